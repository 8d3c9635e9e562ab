/** The ticker and its tick under clock changes, invalid rows, lost replies, and locks. */
import { newId } from "@countersign/domain/ids"
import type { Begin, BeginAnswer } from "@countersign/hub/dispatch/money-core/entries"
import { newPickUp } from "@countersign/hub/pick-ups/pick-up"
import { entryDataText } from "@countersign/hub/platform/audit-entry-data"
import { Database, singleConnection } from "@countersign/hub/platform/db"
import { patienceDefault } from "@countersign/hub/platform/patience"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { until } from "../../../support/health.ts"
import { PgTest } from "../../../support/pg.ts"
import { makeWorkspace, moveClock, type Workspace } from "../../../support/tick.ts"
import {
  beginWith,
  makeOwner,
  makeTicker,
  makeTickerWith,
  settleWith,
  type TickerInTest
} from "../../../support/ticker.ts"

const of = (workspace: Workspace, more: Partial<Begin> = {}): Begin => {
  const { agent, org, wallet } = workspace
  const set = more.mode === "test" ? agent.test : agent
  return beginWith({
    org,
    agent: agent.id,
    limits: [set.day, set.operationMonth, set.month, wallet],
    wallet: more.mode === "test" ? null : wallet,
    ...(more.mode === "test" ? { check: wallet } : {}),
    ...more
  })
}

const begin = ({ ticker }: TickerInTest, begin: Begin) => Effect.promise(() => ticker.begin(begin))
const settle = ({ ticker }: TickerInTest, settle: Parameters<typeof settleWith>[0]) =>
  Effect.promise(() => ticker.settle(settleWith(settle)))
const cap = (limit: number, cents: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update limits set cap = ${BigInt(cents)}::int8 where id = ${BigInt(limit)}::int8`
  )
const rowOf = (limit: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{
        period: number
        used: number
        held: number
      }>`select period, used, held from limits where id = ${BigInt(limit)}::int8`,
      ([row]) => row!
    ))
const kindsOf = (answers: ReadonlyArray<BeginAnswer>) =>
  answers.map((answer) => (answer.kind === "blocked" ? answer.reason : answer.kind))

/** Holds a workspace's lock on a separate connection until it is released, or runs something first. */
const locked = Effect.fnUntraced(function*(
  org: string,
  last: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown> = () => Effect.void
) {
  const { target } = yield* Database
  const sql = yield* singleConnection(target, "locker")
  const taken = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkChild(
    Effect.gen(function*() {
      yield* sql`select lock_org(${org})`
      yield* Deferred.succeed(taken, undefined)
      yield* Deferred.await(release)
      yield* last(sql)
    }).pipe(sql.withTransaction)
  )
  yield* Deferred.await(taken)
  return Effect.andThen(Deferred.succeed(release, undefined), Fiber.join(fiber))
})
/** Until a session waits for a row lock. */
const rowLockWait = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  for (;;) {
    const rows =
      yield* sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (rows.length > 0) return
    yield* Effect.sleep("5 millis")
  }
})

layer(PgTest, { excludeTestServices: true })("the ticker", (it) => {
  it.effect("counts a begin that waited over midnight on the day of its admission", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      yield* cap(workspace.agent.day, 1)
      yield* moveClock(workspace, "2031-03-31T23:59:59.900Z")
      const ticked = yield* makeTicker
      const before = of(workspace)
      assert.strictEqual((yield* begin(ticked, before)).kind, "admitted")
      const letGo = yield* locked(
        workspace.org,
        (sql) => sql`update org_heads set last_at = '2031-04-01T00:00:00.100Z' where org_id = ${workspace.org}`
      )
      const waiting = yield* Effect.forkChild(
        Effect.promise(() => Promise.all([ticked.ticker.begin(of(workspace)), ticked.ticker.begin(of(workspace))]))
      )
      yield* rowLockWait
      yield* letGo
      const answers = yield* Fiber.join(waiting)
      assert.deepStrictEqual(kindsOf(answers), ["admitted", "daily_limit_exceeded"])
      assert.strictEqual((answers[0] as { at: number }).at, Date.parse("2031-04-01T00:00:00.100Z"))
      // Yesterday's hold is released from yesterday's counters only, and so only from the wallet.
      assert.strictEqual((yield* settle(ticked, { id: before.id, org: workspace.org, status: "failed" })).kind, "done")
      assert.deepStrictEqual((({ held, used }) => ({ held, used }))(yield* rowOf(workspace.agent.day)), {
        held: 1,
        used: 0
      })
      assert.strictEqual((yield* rowOf(workspace.wallet)).held, 1)
      assert.deepStrictEqual(kindsOf([yield* begin(ticked, of(workspace))]), ["daily_limit_exceeded"])
    }))

  it.effect("answers an overdue begin with 'unavailable', and reports its decision once the database has made it", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      const { ticker } = yield* makeTickerWith({ ...patienceDefault, beginMillis: 40 })
      const letGo = yield* locked(workspace.org)
      const answer = yield* Effect.promise(() => ticker.begin(of(workspace)))
      assert(answer.kind === "unavailable" && answer.sent)
      yield* letGo
      assert.strictEqual((yield* Effect.promise(() => answer.decided))?.kind, "admitted")
    }))

  it.effect("charges a cost to the month of its hold when the month ends before settlement", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 1_000 })
      yield* cap(workspace.agent.month, 100)
      yield* moveClock(workspace, "2031-01-31T23:00:00.000Z")
      const ticked = yield* makeTicker
      const [first, second, third] = [
        of(workspace, { ceilingCents: 100 }),
        of(workspace, { ceilingCents: 100 }),
        of(workspace, { ceilingCents: 60 })
      ]
      assert.deepStrictEqual(kindsOf([yield* begin(ticked, first), yield* begin(ticked, of(workspace))]), [
        "admitted",
        "agent_budget_exceeded"
      ])
      yield* moveClock(workspace, "2031-02-01T00:00:00.000Z")
      assert.deepStrictEqual(kindsOf([yield* begin(ticked, second)]), ["admitted"])
      assert.strictEqual((yield* settle(ticked, { id: first.id, org: workspace.org, cents: 80 })).kind, "done")
      // February has its hold of 100 and nothing of January's.
      assert.deepStrictEqual(yield* rowOf(workspace.agent.month), { period: 2031 * 12 + 2, used: 0, held: 100 })
      assert.deepStrictEqual(yield* rowOf(workspace.wallet), { period: 0, used: 80, held: 100 })
      assert.strictEqual((yield* settle(ticked, { id: second.id, org: workspace.org, cents: 40 })).kind, "done")
      assert.deepStrictEqual(kindsOf([yield* begin(ticked, third), yield* begin(ticked, of(workspace))]), [
        "admitted",
        "agent_budget_exceeded"
      ])
    }))

  it.effect("keeps its time until a clock that was set back has caught up", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      yield* cap(workspace.agent.day, 1)
      yield* moveClock(workspace, "2031-05-02T00:00:00.000Z")
      const ticked = yield* makeTicker
      // The server's own clock is years behind.
      const answers = [yield* begin(ticked, of(workspace)), yield* begin(ticked, of(workspace))]
      assert.deepStrictEqual(kindsOf(answers), ["admitted", "daily_limit_exceeded"])
      assert.strictEqual((answers[0] as { at: number }).at, Date.parse("2031-05-02T00:00:00.000Z"))
    }))

  it.effect("reopens no period even where the stored time went back", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      yield* cap(workspace.agent.day, 2)
      yield* moveClock(workspace, "2031-05-02T00:00:00.000Z")
      const ticked = yield* makeTicker
      const open = of(workspace)
      assert.strictEqual((yield* begin(ticked, open)).kind, "admitted")
      yield* moveClock(workspace, "2031-05-01T23:59:59.000Z")
      const [refused, blocked, free] = yield* Effect.promise(() =>
        Promise.all([
          ticked.ticker.begin(of(workspace)),
          ticked.ticker.begin(of(workspace, { verdict: "blocked", reason: "policy_violation", limits: [] })),
          ticked.ticker.begin(of(workspace, { limits: [workspace.wallet] }))
        ])
      )
      assert.deepStrictEqual(kindsOf([refused!, blocked!, free!]), ["refused", "policy_violation", "admitted"])
      // Open requests still settle.
      assert.strictEqual((yield* settle(ticked, { id: open.id, org: workspace.org })).kind, "done")
      assert.deepStrictEqual((({ held, used }) => ({ held, used }))(yield* rowOf(workspace.agent.day)), {
        held: 0,
        used: 1
      })
    }))
})

layer(PgTest, { excludeTestServices: true })("a lost reply", (it) => {
  it.effect("leaves a begin admitted once, owned by its sender", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      const ticked = yield* makeTicker
      yield* begin(ticked, of(workspace))
      ticked.faults.push("lost_reply", "lost_reply")
      const answer = yield* begin(ticked, of(workspace))
      assert.deepStrictEqual(answer.kind === "admitted" ? answer.owner : answer, ticked.owner)
      assert.strictEqual((yield* rowOf(workspace.wallet)).held, 2)
    }))

  it.effect("on a connection that the server cuts right after the commit is sent again on another", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      const ticked = yield* makeTicker
      const sql = yield* SqlClient.SqlClient
      const run = Effect.runPromiseWith(yield* Effect.context<never>())
      yield* begin(ticked, of(workspace))
      ticked.faults.push("lost_reply")
      ticked.meanwhile = () =>
        run(
          Effect.asVoid(
            Effect.orDie(
              sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
                and application_name = 'countersign-tick'`
            )
          )
        )
      const asked = of(workspace)
      assert.strictEqual((yield* begin(ticked, asked)).kind, "admitted")
      assert.strictEqual((yield* settle(ticked, { id: asked.id, org: workspace.org })).kind, "done")
    }))

  it.effect("leaves a begin to the hub that took it over meanwhile", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      const ticked = yield* makeTicker
      const sql = yield* SqlClient.SqlClient
      const run = Effect.runPromiseWith(yield* Effect.context<never>())
      const other = yield* makeOwner
      ticked.faults.push("lost_reply")
      ticked.meanwhile = () =>
        run(Effect.asVoid(Effect.orDie(sql`update holds set owner = ${other} where org_id = ${workspace.org}`)))
      const asked = of(workspace)
      assert.deepStrictEqual(yield* begin(ticked, asked), { kind: "known", id: asked.id })
    }))

  it.effect("gives no second approver the first one's execution", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      const ticked = yield* makeTicker
      const approval = newId("apr")
      const asked = of(workspace, {
        verdict: "wait",
        wait: {
          id: approval,
          threshold_cents: 0,
          reason: "approval_threshold",
          required: 1,
          life_seconds: 3600,
          digest: "0"
        }
      })
      yield* begin(ticked, asked)
      const granting = (): Begin => ({
        ...asked,
        verdict: "admit",
        wait: null,
        audit: newId("aud"),
        granted: {
          id: approval,
          by: workspace.owner,
          actor: `user ${workspace.owner} Ada`,
          audit: newId("aud"),
          data: entryDataText()
        }
      })
      // Both are sent twice, and each finds the first call's hold in the second call.
      ticked.faults.push("lost_reply")
      const both = yield* Effect.promise(() =>
        Promise.all([ticked.ticker.begin(granting()), ticked.ticker.begin(granting())])
      )
      assert.deepStrictEqual(kindsOf(both), ["admitted", "not_pending"])
      ticked.faults.push("lost_reply")
      assert.deepStrictEqual(kindsOf([yield* begin(ticked, granting())]), ["not_pending"])
    }))

  it.effect("in every attempt ends with the hub, and its work is found in the holds", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      const ticked = yield* makeTicker
      const asked = of(workspace)
      yield* begin(ticked, asked)
      ticked.faults.push(...Array.from({ length: 1_000 }, () => "cut" as const))
      yield* Effect.forkChild(settle(ticked, { id: asked.id, org: workspace.org }))
      yield* until(
        "it has tried",
        Effect.sync(() => ticked.warnings.length > 0)
      )
      yield* Effect.promise(() => ticked.ticker.close(10))
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select request_id from holds where org_id = ${workspace.org}`, [{
        request_id: asked.id
      }])
    }))

  it.effect("settles once and charges once", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      const ticked = yield* makeTicker
      const asked = of(workspace, { ceilingCents: 10 })
      yield* begin(ticked, asked)
      ticked.faults.push("lost_reply")
      const done = yield* settle(ticked, { id: asked.id, org: workspace.org, cents: 7 })
      assert.deepStrictEqual(done.kind === "done" ? done.costCents : done.kind, 7)
      // Another caller's settle of the same request does nothing, also when it is sent again.
      ticked.faults.push("lost_reply")
      assert.strictEqual((yield* settle(ticked, { id: asked.id, org: workspace.org, cents: 9 })).kind, "settled")
      assert.deepStrictEqual(yield* rowOf(workspace.wallet), { period: 0, used: 7, held: 0 })
    }))
})

layer(PgTest, { excludeTestServices: true })("an invalid entry", (it) => {
  it.effect("in a begin is refused alone; the others in the batch are admitted", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      const ticked = yield* makeTicker
      const answers = yield* Effect.promise(() =>
        Promise.all(
          Array.from(
            { length: 9 },
            (_, at) => ticked.ticker.begin(of(workspace, at === 4 ? { payload: "{\"a\":\"\0\"}" } : {}))
          )
        )
      )
      assert.deepStrictEqual(
        kindsOf(answers),
        Array.from({ length: 9 }, (_, at) => (at === 4 ? "refused" : "admitted"))
      )
      assert.strictEqual((yield* rowOf(workspace.wallet)).held, 8)
    }))

  it.effect("in a settle loses its body and keeps its money; the others in the batch keep both", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      const ticked = yield* makeTicker
      const sql = yield* SqlClient.SqlClient
      const asked = Array.from({ length: 5 }, () => of(workspace))
      yield* Effect.promise(() => Promise.all(asked.map((one) => ticked.ticker.begin(one))))
      yield* Effect.promise(() =>
        Promise.all(
          asked.map(({ id, org }, at) =>
            ticked.ticker.settle(settleWith({ id, org, result: at === 2 ? "{\"bytes\":\"\0\"}" : "{\"n\":1e2}" }))
          )
        )
      )
      const rows = yield* sql<{
        result: string
      }>`select result from settlements where org_id = ${workspace.org}
        order by array_position(${asked.map(({ id }) => id)}::text[], request_id)`
      assert.deepStrictEqual(
        rows.map(({ result }) => (result.includes("unstorable") ? "unstorable" : result)),
        ["{\"n\":1e2}", "{\"n\":1e2}", "unstorable", "{\"n\":1e2}", "{\"n\":1e2}"]
      )
      assert.deepStrictEqual(yield* rowOf(workspace.wallet), { period: 0, used: 5, held: 0 })
    }))

  it.effect("that cannot be stored delays no other entry, and is stored once possible", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      const ticked = yield* makeTicker
      const sql = yield* SqlClient.SqlClient
      const broken = of(workspace, { limits: [workspace.agent.month] })
      yield* begin(ticked, broken)
      // A row damaged by hand: releasing the hold would make it negative.
      yield* sql`update limits set held = 0 where id = ${BigInt(workspace.agent.month)}::int8`
      const stuck = yield* Effect.forkChild(settle(ticked, { id: broken.id, org: workspace.org }))
      yield* Effect.promise(() => ticked.refusal.catch(() => {}))
      for (let n = 0; n < 20; n++) {
        const asked = of(workspace, { limits: [workspace.wallet] })
        yield* begin(ticked, asked)
        assert.strictEqual((yield* settle(ticked, { id: asked.id, org: workspace.org })).kind, "done")
      }
      yield* sql`update limits set held = 1 where id = ${BigInt(workspace.agent.month)}::int8`
      assert.strictEqual((yield* Fiber.join(stuck)).kind, "done")
    }))

  it.effect("of a missing workspace is stale, and settles nothing", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace()
      const ticked = yield* makeTicker
      const org = newId("org")
      assert.strictEqual((yield* begin(ticked, { ...of(workspace), org })).kind, "stale")
      assert.strictEqual((yield* settle(ticked, { id: newId("req"), org })).kind, "settled")
    }))

  it.effect("that names a limit twice reserves it once", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 10 })
      const ticked = yield* makeTicker
      const asked = of(workspace, {
        ceilingCents: 6,
        limits: [workspace.wallet, workspace.agent.day, workspace.wallet, workspace.agent.day]
      })
      assert.strictEqual((yield* begin(ticked, asked)).kind, "admitted")
      assert.strictEqual((yield* rowOf(workspace.wallet)).held, 6)
      yield* settle(ticked, { id: asked.id, org: workspace.org, cents: 6 })
      assert.deepStrictEqual(yield* rowOf(workspace.wallet), { period: 0, used: 6, held: 0 })
      assert.deepStrictEqual((({ held, used }) => ({ held, used }))(yield* rowOf(workspace.agent.day)), {
        held: 0,
        used: 1
      })
    }))

  it.effect("of amounts beyond 31 and 32 bits is exact to the cent", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 900_000_000_000 })
      const ticked = yield* makeTicker
      const amounts = [
        2_147_483_647,
        2_147_483_648,
        3_000_000_000,
        4_294_967_295,
        4_294_967_296,
        6_442_450_944,
        99_999_999_999,
        100_000_000_000
      ]
      const asked = amounts.map((ceilingCents) => of(workspace, { ceilingCents }))
      assert.deepStrictEqual(
        kindsOf(yield* Effect.promise(() => Promise.all(asked.map((one) => ticked.ticker.begin(one))))),
        amounts.map(() => "admitted")
      )
      const sum = amounts.reduce((total, cents) => total + cents, 0)
      assert.strictEqual((yield* rowOf(workspace.wallet)).held, sum)
      const settled = yield* Effect.promise(() =>
        Promise.all(
          asked.map(({ ceilingCents, id, org }) =>
            ticked.ticker.settle(settleWith({ id, org, cents: ceilingCents - 1 }))
          )
        )
      )
      assert.deepStrictEqual(
        settled.map((answer) => (answer.kind === "done" ? answer.costCents : answer.kind)),
        amounts.map((cents) => cents - 1)
      )
      assert.deepStrictEqual(yield* rowOf(workspace.wallet), { period: 0, used: sum - amounts.length, held: 0 })
    }))

  it.effect("of 20 MB is stored, in more than one batch", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      const ticked = yield* makeTicker
      const sql = yield* SqlClient.SqlClient
      const text = JSON.stringify({ text: "ö".repeat(10 << 20) })
      const asked = Array.from({ length: 3 }, () => of(workspace))
      yield* Effect.promise(() => Promise.all(asked.map((one) => ticked.ticker.begin(one))))
      yield* Effect.promise(() =>
        Promise.all(asked.map(({ id, org }) => ticked.ticker.settle(settleWith({ id, org, result: text }))))
      )
      const [row] = yield* sql<{
        bytes: number
        count: number
      }>`select min(octet_length(result))::int8 bytes, count(*) count from settlements where org_id = ${workspace.org}`
      assert.deepStrictEqual(row, { bytes: Buffer.byteLength(text), count: 3 })
    }))
})

layer(PgTest, { excludeTestServices: true })("locks and keys", (it) => {
  it.effect("a locked workspace delays none of the others, however many there are", () =>
    Effect.gen(function*() {
      const ticked = yield* makeTicker
      const shut = yield* Effect.forEach([1, 2, 3, 4, 5], () => makeWorkspace({ funds: 100 }))
      const open = yield* Effect.forEach([1, 2, 3], () => makeWorkspace({ funds: 1000 }))
      const letGo = yield* Effect.forEach(shut, ({ org }) => locked(org))
      const waiting = yield* Effect.forkChild(
        Effect.promise(() =>
          Promise.all(
            shut.flatMap((workspace) => [ticked.ticker.begin(of(workspace)), ticked.ticker.begin(of(workspace))])
          )
        )
      )
      yield* rowLockWait
      // Begun and settled, round after round, while all five are locked.
      for (let round = 0; round < 5; round++) {
        const asked = open.flatMap((workspace) => Array.from({ length: 10 }, () => of(workspace)))
        const answers = yield* Effect.promise(() => Promise.all(asked.map((one) => ticked.ticker.begin(one))))
        assert.deepStrictEqual([...new Set(kindsOf(answers))], ["admitted"])
        yield* Effect.promise(() =>
          Promise.all(asked.map(({ id, org }) => ticked.ticker.settle(settleWith({ id, org }))))
        )
      }
      assert.isUndefined(waiting.pollUnsafe())
      for (const release of letGo) yield* release
      assert.deepStrictEqual([...new Set(kindsOf(yield* Fiber.join(waiting)))], ["admitted"])
    }))

  it.effect("the same key is separate in test mode", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      const ticked = yield* makeTicker
      const [live, test] = [
        of(workspace, { key: "k", scope: "dispatch live" }),
        of(workspace, { mode: "test", key: "k", scope: "dispatch test" })
      ]
      assert.deepStrictEqual(
        kindsOf(yield* Effect.promise(() => Promise.all([live, test].map((one) => ticked.ticker.begin(one))))),
        ["admitted", "admitted"]
      )
      assert.deepStrictEqual(yield* begin(ticked, { ...test, id: newId("req") }), { kind: "known", id: test.id })
      assert.strictEqual((yield* rowOf(workspace.wallet)).held, 1)
    }))

  it.effect("a begin takes the key of the answer that was left for the identical call, alone and in a batch", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      const ticked = yield* makeTicker
      const sql = yield* SqlClient.SqlClient
      const same = () => of(workspace, { scope: "s", pickUp: newPickUp(Buffer.alloc(32, 7)) })
      const leave = ({ pickUp }: Begin) => sql`update call_pickups set owner = null where key = ${pickUp?.key ?? ""}`
      const first = same()
      assert.deepStrictEqual(kindsOf([yield* begin(ticked, first)]), ["admitted"])
      // Its caller may still get the answer.
      assert.deepStrictEqual(kindsOf([yield* begin(ticked, same())]), ["admitted"])
      yield* leave(first)
      const taken = same()
      assert.deepStrictEqual(yield* begin(ticked, taken), { kind: "known", id: first.id })
      assert.strictEqual(taken.pickUp?.key, first.pickUp?.key)
      assert.deepStrictEqual(kindsOf([yield* begin(ticked, same())]), ["admitted"])
      yield* leave(first)
      const answers = yield* Effect.promise(() =>
        Promise.all(Array.from({ length: 5 }, () => ticked.ticker.begin(same())))
      )
      assert.deepStrictEqual(answers.filter(({ kind }) => kind !== "admitted"), [{ kind: "known", id: first.id }])
      assert.strictEqual((yield* rowOf(workspace.wallet)).held, 7)
    }))

  it.effect("of a hundred concurrent begins with one key, one is admitted and the others replay it", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100 })
      const ticked = yield* makeTicker
      const answers = yield* Effect.promise(() =>
        Promise.all(Array.from({ length: 100 }, () => ticked.ticker.begin(of(workspace, { key: "k", scope: "s" }))))
      )
      assert.deepStrictEqual(
        Object.fromEntries(
          Object.entries(Object.groupBy(answers, ({ kind }) => kind)).map(([kind, list]) => [kind, list.length])
        ),
        { admitted: 1, known: 99 }
      )
    }))
})

import { newId } from "@countersign/domain/ids"
import { DevicesRepository } from "@countersign/hub/devices/repository"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expectHealthy, until } from "../../support/health.ts"
import {
  expectStatus,
  firstOwner,
  type HubInTest,
  makeAgent,
  type OwnerInTest,
  startHub,
  topUp
} from "../../support/hub.ts"
import { shiftedClock } from "../../support/shifted-clock.ts"

const hour = 3_600_000
const twoYears = 2 * 365 * 24 * hour

const say = (hub: HubInTest, key: string, payload: object = {}, headers: Record<string, string> = {}) =>
  hub.api("POST", "/service-requests", { key, headers, body: { service: "echo", operation: "say", payload } })

/** A hub over a separate clock. A clock that jumped is trusted after `steady` seconds. */
const world = Effect.fnUntraced(function*(steady: number) {
  const clock = yield* shiftedClock
  const start = startHub({ database: clock.database, env: { HUB_CLOCK_STEADY_SECONDS: String(steady) } })
  const hub = yield* start
  const owner = yield* firstOwner(hub)
  yield* topUp(hub, owner, 1_000)
  const agent = yield* makeAgent(hub, owner, { monthly_budget_cents: 10 })
  return { agent, as: { cookie: owner.cookie }, clock, hub, owner, start }
})

const served = (hub: HubInTest, key: string) =>
  until("the hub serves again", Effect.map(say(hub, key), ({ status }) => status === 200))

/** The difference of the latest stored time of the workspace to the real time, in milliseconds. */
const aheadOf = (
  { clock, owner }: { readonly clock: Effect.Success<typeof shiftedClock>; readonly owner: OwnerInTest }
) =>
  Effect.map(
    clock.sql<
      { ahead: number }
    >`select max(extract(epoch from t.at - pg_catalog.clock_timestamp()) * 1000)::float8 as ahead from (
      select last_at as at from org_heads where org_id = ${owner.org} union all
      select max(created_at) from requests where org_id = ${owner.org} union all
      select max(completed_at) from settlements where org_id = ${owner.org} union all
      select max(created_at) from movements where org_id = ${owner.org} union all
      select max(day)::timestamptz from usage_days where org_id = ${owner.org} union all
      select max(expires_at) - interval '30 days' from idempotency_keys where org_id = ${owner.org}) t`,
    ([row]) => row!.ahead
  )

const waiting = Effect.fnUntraced(
  function*({ as, hub, owner }: Pick<Effect.Success<ReturnType<typeof world>>, "as" | "hub" | "owner">) {
    const agent = yield* makeAgent(hub, owner, {
      bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
    })
    const { approval_id } = expectStatus(yield* say(hub, agent.key), 200).body
    return {
      agent,
      id: approval_id as string,
      look: Effect.map(hub.api("GET", `/approvals/${approval_id}`, as), (answer) => expectStatus(answer, 200).body)
    }
  }
)

/** A device that was seen just now. */
const device = Effect.fnUntraced(
  function*({ clock, hub, owner }: Pick<Effect.Success<ReturnType<typeof world>>, "clock" | "hub" | "owner">) {
    const id = newId("dev")
    yield* clock
      .sql`insert into devices (id, org_id, owner_user_id, name, platform, arch, app_version, capabilities, granted, state,
      key_hash, key_hint, heard_at, confirmed_at)
    values (${id}, ${owner.org}, ${owner.user}, 'laptop', 'linux', 'x64', '1.0.0', '{fs_read}', '{fs_read}', 'active', ${
      Buffer.from(id)
    },
      'x', clock_timestamp(), clock_timestamp())`
    return hub.run(Effect.map(
      Effect.flatMap(DevicesRepository, (devices) => devices.find(owner.org, id)),
      (row) => [row?.state, row?.stale]
    ))
  }
)

describe("a database clock that jumps two years ahead", () => {
  it.live(
    "declines requests instead of writing in the wrong year, and serves as soon as it is back",
    () =>
      Effect.gen(function*() {
        const made = yield* world(3_600)
        const { agent, as, clock, hub } = made
        const approval = yield* waiting(made)
        const laptop = yield* device(made)
        const first = expectStatus(yield* say(hub, agent.key, { n: 1 }, { "idempotency-key": "kept" }), 200)
        yield* clock.shift(twoYears)

        const declined = yield* say(hub, agent.key)
        assert.deepStrictEqual([declined.status, declined.body.error.code], [503, "unavailable"])
        assert.isNotNull(declined.headers.get("retry-after"))
        assert.strictEqual(
          (yield* hub.api("POST", "/balance/top-up", { ...as, body: { amount_cents: 5 } })).status,
          503
        )
        const ready = yield* hub.api("GET", "/ready")
        assert.strictEqual(ready.status, 503)
        assert.match(ready.text, /clock is \d+ s ahead of the expected time/)
        assert.deepStrictEqual(yield* laptop, ["active", false])

        // Long enough for every worker to have run a round.
        const rounds = clock.sql<{ n: number }>`select count(*)::int as n from clock_watch where doubted_at is not null`
        yield* until("the doubt is stored", Effect.map(Effect.orDie(rounds), ([row]) => row!.n === 1))
        yield* clock.shift(0)
        yield* served(hub, agent.key)

        assert.isBelow(yield* aheadOf(made), hour)
        const { expires_at, status } = yield* approval.look
        assert.strictEqual(status, "pending")
        assert.isBelow(Date.parse(expires_at), Date.now() + 25 * hour)
        assert.deepStrictEqual(yield* laptop, ["active", false])
        const again = yield* say(hub, agent.key, { n: 1 }, { "idempotency-key": "kept" })
        assert.deepStrictEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"])
        yield* until("ready", Effect.map(hub.api("GET", "/ready"), ({ status }) => status === 200))
        assert.strictEqual(
          (yield* hub.api("POST", "/balance/top-up", { ...as, body: { amount_cents: 5 } })).status,
          201
        )
        yield* expectHealthy(hub.target)
      }).pipe(Effect.scoped)
  )

  it.live("is not trusted by a hub that starts during the jump", () =>
    Effect.gen(function*() {
      const { agent, clock, hub, start } = yield* world(3_600)
      yield* clock.shift(twoYears)
      yield* hub.stop
      const next = yield* start
      assert.strictEqual((yield* say(next, agent.key)).status, 503)
      yield* clock.shift(0)
      yield* served(next, agent.key)
    }).pipe(Effect.scoped), 120_000)

  it.live(
    "leaves nothing wrong after it was trusted for a while: caps, approvals, lists, devices",
    () =>
      Effect.gen(function*() {
        const made = yield* world(1)
        const { agent, as, clock, hub } = made
        for (let n = 0; n < 4; n++) expectStatus(yield* say(hub, agent.key), 200)
        const early = yield* waiting(made)
        yield* clock.shiftMachine(twoYears)
        yield* until("the wrong clock is trusted", Effect.map(say(hub, agent.key), ({ status }) => status === 200))
        expectStatus(yield* say(hub, agent.key), 200)
        const late = expectStatus(yield* say(hub, early.agent.key), 200).body.approval_id as string
        assert.isAbove(yield* aheadOf(made), twoYears / 2)
        yield* clock.shiftMachine(0)
        yield* until("the time is set back", Effect.map(aheadOf(made), (ahead) => ahead < hour))

        // 4 before, 2 during the jump, and 4 more: the month's 10 cents, and no cent more.
        const rest: Array<string> = []
        for (let n = 0; n < 6; n++) {
          yield* until(
            "decided",
            Effect.map(say(hub, agent.key), ({ body, status }) => status === 200 && rest.push(body.status) > 0)
          )
        }
        assert.deepStrictEqual(rest, ["executed", "executed", "executed", "executed", "blocked", "blocked"])
        const filed = expectStatus(yield* hub.api("GET", `/approvals/${late}`, as), 200).body
        assert.strictEqual(filed.status, "pending")
        assert.isBelow(Date.parse(filed.expires_at), Date.now() + 25 * hour)
        const day = new Date().toISOString().slice(0, 10)
        const listed = expectStatus(
          yield* hub.api("GET", `/service-requests?agent_id=${agent.id}&from=${day}T00:00:00Z&limit=100`, as),
          200
        ).body.data
        assert.strictEqual(listed.filter(({ status }: { status: string }) => status === "executed").length, 10)
        const usage =
          expectStatus(yield* hub.api("GET", `/usage?agentId=${agent.id}&from=${day}T00:00:00Z`, as), 200).body
        assert.strictEqual(usage.totals.cost_cents, 10)

        const log = expectStatus(yield* hub.api("GET", "/audit-logs?limit=200", as), 200).body
        const seqs = log.data.map(({ seq }: { seq: number }) => seq)
        assert.deepStrictEqual(seqs, Array.from({ length: seqs.length }, (_, at) => seqs[0] - at))
        assert.strictEqual(seqs.at(-1), 1)
        assert.strictEqual(
          log.data.filter(({ action }: { action: string }) => action === "workspace.time_corrected").length,
          1
        )
        const paged: Array<number> = []
        for (let cursor = "";;) {
          const page = expectStatus(yield* hub.api("GET", `/audit-logs?limit=3${cursor}`, as), 200).body
          paged.push(...page.data.map(({ seq }: { seq: number }) => seq))
          if (page.next_cursor === null) break
          cursor = `&cursor=${page.next_cursor}`
        }
        // A budget alert may have been written since.
        assert.deepStrictEqual(paged.filter((seq) => seq <= seqs[0]), seqs)
        const after = expectStatus(
          yield* hub.api("GET", `/audit-logs?limit=200&from=${new Date(Date.now() + hour).toISOString()}`, as),
          200
        ).body
        assert.isAbove(after.data.length, 0)
        assert.isTrue(
          after.data.every(({ created_at }: { created_at: string }) => Date.parse(created_at) > Date.now() + hour)
        )
        assert.isTrue(expectStatus(yield* hub.api("GET", "/audit-logs/verify", as), 200).body.ok)
        yield* expectHealthy(hub.target)
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "is repaired in a workspace that an older version left two years ahead, before the hub serves",
    () =>
      Effect.gen(function*() {
        const made = yield* world(3_600)
        const { agent, clock, hub, owner, start } = made
        for (let n = 0; n < 4; n++) expectStatus(yield* say(hub, agent.key), 200)
        yield* hub.stop
        // As the older version stored it: one second of a wrong clock, kept permanently.
        yield* clock
          .sql`update org_heads set last_at = pg_catalog.clock_timestamp() + interval '2 years' where org_id = ${owner.org}`
        yield* clock
          .sql`update limits set period = period + 24, used = 0 where org_id = ${owner.org} and kind in (2, 3)`
        yield* clock.sql`update limits set period = period + 730, used = 0 where org_id = ${owner.org} and kind = 4`
        const next = yield* start
        assert.isBelow(yield* aheadOf(made), hour)
        const rest: Array<string> = []
        for (let n = 0; n < 8; n++) rest.push(expectStatus(yield* say(next, agent.key), 200).body.status)
        assert.deepStrictEqual(rest.map((status) => status === "executed"), [
          true,
          true,
          true,
          true,
          true,
          true,
          false,
          false
        ])
        yield* expectHealthy(next.target)
      }).pipe(Effect.scoped)
  )
})

describe("a database clock that steps back", () => {
  it.live(
    "by an hour declines requests until it is steady, then continues with every cap",
    () =>
      Effect.gen(function*() {
        const made = yield* world(1)
        const { agent, clock, hub } = made
        for (let n = 0; n < 6; n++) expectStatus(yield* say(hub, agent.key), 200)
        const approval = yield* waiting(made)
        yield* clock.shiftMachine(-hour)
        assert.strictEqual((yield* say(hub, agent.key)).status, 503)
        const rest: Array<string> = []
        for (let n = 0; n < 6; n++) {
          yield* until(
            "decided",
            Effect.map(say(hub, agent.key), ({ body, status }) => status === 200 && rest.push(body.status) > 0)
          )
        }
        assert.deepStrictEqual(rest, ["executed", "executed", "executed", "executed", "blocked", "blocked"])
        assert.strictEqual((yield* approval.look).status, "pending")
      }).pipe(Effect.scoped)
  )
})

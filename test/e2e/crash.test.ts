/**
 * Hubs and their database killed with -9 under load, with a provider that records its requests. No acknowledged outcome
 * is lost, no request that must not be repeated is sent twice, every executed request is charged, and no hold is left.
 */
import type { DatabaseTarget } from "@countersign/hub/platform/db"
import { startEmbedded } from "@countersign/hub/platform/postgres/embedded"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { dirname, extname } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { temporaryDirectory } from "../hub/platform/postgres/hub-fixture.ts"
import { expectHealthy, inDatabase, until } from "../support/health.ts"
import { quickRecovery, spawnHub } from "../support/hub-program.ts"
import { firstOwner, makeAgent, makeService, masterKey, startHub, topUp } from "../support/hub.ts"
import { freshDatabase } from "../support/pg.ts"
import { httpUpstream } from "../support/upstream.ts"

const env = { HUB_EGRESS_ALLOW: "127.0.0.1" }
/** The rule for an unknown outcome: fail, send again, or hold for a person. */
const operations = ["plain", "again", "hold"] as const
type Operation = (typeof operations)[number]
const price = 3

interface Acknowledged {
  readonly id: string
  readonly text: string
}

/** A hub that is never killed, for setup and checks; a provider; callers. */
const makeScenario = Effect.fnUntraced(function*(
  target: DatabaseTarget & { readonly database: string },
  hubEnv: Readonly<Record<string, string>>
) {
  const checker = yield* startHub({ database: target, env: { ...env, ...hubEnv } })
  const owner = yield* firstOwner(checker)
  let open = true
  let slowest = 0
  let waiting: Array<() => void> = []
  const upstream = yield* httpUpstream((_, response) => {
    const answer = () => void response.writeHead(200, { "content-type": "application/json" }).end("{\"done\":true}")
    if (!open) waiting.push(answer)
    else if (slowest > 0) void pause(Math.random() * slowest).then(answer)
    else answer()
  })
  const more: Readonly<Record<Operation, object>> = {
    plain: {},
    again: { idempotent: true },
    hold: { unknown: "hold" }
  }
  yield* makeService(checker, owner, {
    name: "work",
    kind: "http",
    base_url: upstream.origin,
    operations: operations.map((name) => ({
      name,
      method: "POST",
      path: `/${name}`,
      payload_schema: { type: "object" },
      price: { type: "fixed", cents: price },
      ...more[name]
    }))
  })
  const funds = 10_000_000
  yield* topUp(checker, owner, funds)
  const agent = yield* makeAgent(checker, owner, { bindings: [{ service: "work", operations: ["*"] }] })
  const acknowledged = new Map<string, Acknowledged>()
  const asked = new Set<string>()

  /** Sends once; returns the answer, or undefined without an answer or an outcome. */
  const ask = async (url: string, key: string): Promise<Acknowledged | undefined> => {
    asked.add(key)
    try {
      const response = await fetch(`${url}/api/v1/service-requests`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${agent.key}`, "idempotency-key": key },
        body: JSON.stringify({ service: "work", operation: key.split("-")[0], payload: { key } })
      })
      const text = await response.text()
      if (response.status !== 200 && response.status !== 202) return undefined
      const { id, status } = JSON.parse(text) as { readonly id: string; readonly status: string }
      if (status === "executed" || status === "failed") acknowledged.set(key, { id, text })
      return { id, text }
    } catch {
      return undefined
    }
  }

  /** Checks all invariants once the hub is idle. Returns requests and calls of the provider. */
  const checkSettled = Effect.gen(function*() {
    yield* until(
      "no request is reserved any more",
      inDatabase(
        target,
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          return (yield* sql`select 1 from holds where phase = 1 limit 1`).length === 0
        })
      )
    )
    const rows = yield* inDatabase(
      target,
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) =>
          sql<{
            id: string
            key: string
            operation: Operation
            status: string | null
            cost: number | null
            late: string | null
          }>`select r.id, k.key, r.operation, s.status, s.cost_cents as cost, s.late_result as late
        from requests r join idempotency_keys k on k.request_id = r.id left join settlements s on s.org_id = r.org_id
          and s.request_id = r.id`
      )
    )
    const journal = new Map<string, number>()
    for (const { headers } of upstream.received) {
      journal.set(String(headers["idempotency-key"]), (journal.get(String(headers["idempotency-key"])) ?? 0) + 1)
    }
    const byKey = new Map(rows.map((row) => [row.key, row]))
    assert.strictEqual(byKey.size, rows.length, "a key has two requests")
    for (const { headers } of upstream.received) {
      assert.isTrue(
        rows.some(({ id }) => id === headers["idempotency-key"]),
        "sent without a record"
      )
    }
    for (const [key, { id, text }] of acknowledged) {
      assert.strictEqual(byKey.get(key)?.id, id, "an acknowledged request is gone")
      const now = yield* checker.api("GET", `/service-requests/${id}`, { key: agent.key })
      // An acknowledged outcome does not change: a late result is reported beside it.
      if (now.body.late_result === undefined) assert.strictEqual(now.text, text)
      else assert.strictEqual(now.body.status, JSON.parse(text).status)
    }
    for (const { id, late, operation, status } of rows) {
      const sent = journal.get(id) ?? 0
      assert.isAtMost(sent, operation === "again" ? 2 : 1, `${operation} was sent ${sent} times`)
      if (status === "executed") assert.isAtLeast(sent, 1, "executed without having been sent")
      assert.isTrue(
        status === "executed" || status === "failed" || (status === null && operation === "hold"),
        `${operation} is ${status}`
      )
      if (late !== null) assert.strictEqual(status, "failed")
    }
    const charged = rows.reduce((sum, { cost }) => sum + (cost ?? 0), 0)
    assert.strictEqual(charged, rows.filter(({ status }) => status === "executed").length * price)
    const { body } = yield* checker.api("GET", "/balance", { cookie: owner.cookie })
    assert.strictEqual(
      body.available_cents,
      funds - charged - rows.filter(({ status }) => status === null).length * price
    )
    yield* expectHealthy(target)
    return { rows, journal }
  })

  return {
    checker,
    owner,
    agent,
    upstream,
    ask,
    asked,
    acknowledged,
    checkSettled,
    slowest: (millis: number) => Effect.sync(() => void (slowest = millis)),
    shut: Effect.sync(() => void (open = false)),
    open: Effect.sync(() => {
      open = true
      for (const answer of waiting) answer()
      waiting = []
    }),
    waiting: () => waiting.length
  }
})

layer(Layer.empty, { excludeTestServices: true })("a hub that is killed with 300 requests in flight", (it) => {
  it.effect(
    "loses none of its answered requests, and each of the others ends by its rule on the remaining hub",
    () =>
      Effect.gen(function*() {
        const target = yield* freshDatabase
        const { acknowledged, ask, open, checkSettled, shut, slowest, upstream, waiting } = yield* makeScenario(
          target,
          quickRecovery
        )
        const hub = yield* spawnHub({ database: target, env })
        const callers = 300
        yield* slowest(20)
        // First 300 answered requests, then 300 in flight.
        const before = yield* Effect.promise(() =>
          Promise.all(Array.from({ length: callers }, (_, at) => ask(hub.url, `${operations[at % 3]}-before-${at}`)))
        )
        assert.isTrue(before.every((answer) => answer !== undefined))
        yield* shut
        const inFlight = yield* Effect.forkChild(
          Effect.promise(() =>
            Promise.all(
              Array.from({ length: callers }, (_, at) => ask(hub.url, `${operations[at % 3]}-inFlight-${at}`))
            )
          )
        )
        yield* until(
          "300 are in flight",
          Effect.sync(() => waiting() === callers)
        )
        yield* hub.kill("SIGKILL")
        assert.isTrue((yield* Fiber.join(inFlight)).every((answer) => answer === undefined))
        yield* open
        const { journal, rows } = yield* checkSettled
        assert.strictEqual(acknowledged.size, callers)
        // Only by the rule for unknown outcomes.
        const ended = (operation: Operation) => [
          ...new Set(
            rows
              .filter(({ key }) => key.startsWith(`${operation}-inFlight`))
              .map(({ id, status }) => `${status} ${journal.get(id)}`)
          )
        ]
        assert.deepStrictEqual(
          { plain: ended("plain"), again: ended("again"), hold: ended("hold") },
          { plain: ["failed 1"], again: ["executed 2"], hold: ["null 1"] }
        )
        assert.strictEqual(upstream.received.length, callers * 2 + callers / 3)
      }),
    180_000
  )

  it.effect(
    "at any instant, three times, with retries under the same keys: each request is executed once or reports why not",
    () =>
      Effect.gen(function*() {
        const target = yield* freshDatabase
        const { acknowledged, agent, ask, asked, checker, checkSettled, slowest, upstream } = yield* makeScenario(
          target,
          quickRecovery
        )
        yield* slowest(60)
        for (let round = 0; round < 3; round++) {
          const hub = yield* spawnHub({ database: target, env })
          const killAt = upstream.received.length + 350 + Math.floor(Math.random() * 400)
          let killed = false
          const load = yield* Effect.forkChild(
            Effect.promise(() =>
              Promise.all(
                Array.from({ length: 300 }, async (_, caller) => {
                  for (let n = 0; !killed; n++) {
                    await ask(hub.url, `${operations[(caller + n) % 3]}-${round}-${caller}-${n}`)
                  }
                })
              )
            )
          )
          yield* until(
            "enough have arrived",
            Effect.sync(() => upstream.received.length >= killAt)
          )
          yield* hub.kill("SIGKILL")
          killed = true
          yield* Fiber.join(load)
        }
        yield* checkSettled
        const unanswered = [...asked].filter((key) => !acknowledged.has(key))
        assert.isAtLeast(unanswered.length, 300)
        const sentBefore = upstream.received.length
        // Their callers retry at another hub: a begun request returns its outcome, any other begins now.
        const known = yield* inDatabase(
          target,
          Effect.flatMap(SqlClient.SqlClient, (sql) =>
            Effect.map(sql<{ key: string }>`select key from idempotency_keys`, (rows) =>
              new Set(rows.map(({ key }) =>
                key
              ))))
        )
        for (let at = 0; at < unanswered.length; at += 100) {
          const answers = yield* Effect.promise(() =>
            Promise.all(unanswered.slice(at, at + 100).map((key) => ask(checker.url, key)))
          )
          assert.isTrue(answers.every((answer) => answer !== undefined))
        }
        assert.strictEqual(upstream.received.length - sentBefore, unanswered.filter((key) => !known.has(key)).length)
        yield* checkSettled
        assert.isString(agent.id)
      }),
    180_000
  )
})

layer(Layer.empty, { excludeTestServices: true })(
  "a hub that is killed under one caller, whose entries take the short path",
  (it) => {
    it.effect(
      "twice: executes each request once, or ends it by its rule",
      () =>
        Effect.gen(function*() {
          const target = yield* freshDatabase
          yield* inDatabase(
            target,
            Effect.flatMap(
              SqlClient.SqlClient,
              (sql) => sql.unsafe(`alter database ${target.database} set track_functions = 'pl'`)
            )
          )
          const { acknowledged, ask, asked, checker, checkSettled, upstream } = yield* makeScenario(
            target,
            quickRecovery
          )
          for (let round = 0; round < 2; round++) {
            const hub = yield* spawnHub({ database: target, env })
            const killAt = upstream.received.length + 10 + Math.floor(Math.random() * 30)
            let killed = false
            const load = yield* Effect.forkChild(
              Effect.promise(async () => {
                for (let n = 0; !killed; n++) await ask(hub.url, `${operations[n % 3]}-${round}-${n}`)
              })
            )
            yield* until(
              "enough have arrived",
              Effect.sync(() => upstream.received.length >= killAt)
            )
            yield* hub.kill("SIGKILL")
            killed = true
            yield* Fiber.join(load)
          }
          yield* checkSettled
          const answered = acknowledged.size
          assert.isAtLeast(answered, 15)
          for (const key of [...asked].filter((key) => !acknowledged.has(key))) {
            assert.isDefined(yield* Effect.promise(() => ask(checker.url, key)))
          }
          yield* checkSettled
          const calls = yield* inDatabase(
            target,
            Effect.flatMap(
              SqlClient.SqlClient,
              (sql) =>
                sql<{ name: string; calls: number }>`select funcname as name, calls from pg_stat_user_functions
              where funcname in ('begin_one', 'settle_one')`
            )
          )
          const callsOf = (wanted: string) => calls.find(({ name }) => name === wanted)?.calls ?? 0
          assert.isAtLeast(callsOf("begin_one"), answered)
          assert.isAtLeast(callsOf("settle_one"), answered)
        }),
      180_000
    )
  }
)

layer(Layer.empty, { excludeTestServices: true })("a database that is killed under two hubs with load", (it) => {
  it.effect(
    "restarts, and the hubs continue: every caller gets its answer, and each execution is charged once",
    () =>
      Effect.gen(function*() {
        const dataDir = yield* temporaryDirectory
        const postgres = yield* Effect.orDie(startEmbedded({ dataDir }))
        const { connection } = postgres
        // Hubs must not be declared dead while they wait for the database: they reconnect within their lease and grace.
        const recovery = { HUB_OWNER_LEASE_SECONDS: "5", HUB_OWNER_GRACE_SECONDS: "10" }
        const { acknowledged, ask, checkSettled, slowest, upstream } = yield* makeScenario(connection, recovery)
        const url = "path" in connection
          ? `postgres:///${connection.database}?${new URLSearchParams({
            host: dirname(connection.path),
            port: extname(connection.path).slice(1),
            user: connection.username
          })}`
          : ""
        const hubs = yield* Effect.all(
          [1, 2].map(() => spawnHub({ env: { ...env, ...recovery, DATABASE_URL: url, HUB_MASTER_KEY: masterKey } })),
          { concurrency: "unbounded" }
        )
        yield* slowest(30)
        const callers = 150
        const rounds = 8
        const load = yield* Effect.forkChild(
          Effect.promise(() =>
            Promise.all(
              Array.from({ length: callers }, async (_, caller) => {
                for (let n = 0; n < rounds; n++) {
                  const key = `${operations[(caller + n) % 3]}-${caller}-${n}`
                  // With the same key until there is an answer, from either hub.
                  for (let tries = 0; !acknowledged.has(key); tries++) {
                    await ask(hubs[(caller + tries) % 2]!.url, key)
                    if (tries > 0) await pause(50)
                  }
                }
              })
            )
          )
        )
        for (const share of [0.2, 0.6]) {
          yield* until(
            "some are done",
            Effect.sync(() => upstream.received.length >= callers * rounds * share)
          )
          const pid = yield* postgres.pid
          assert.isDefined(pid)
          process.kill(pid!, "SIGKILL")
          yield* until(
            "it serves again",
            Effect.map(postgres.pid, (now) => now !== undefined && now !== pid)
          )
        }
        yield* Fiber.join(load)
        const { journal, rows } = yield* checkSettled
        assert.strictEqual(rows.length, callers * rounds)
        // The hubs survived, so they settled every request that they sent.
        for (const { id, key, status } of rows) assert.strictEqual(`${status} ${journal.get(id)}`, "executed 1", key)
      }),
    180_000
  )
})

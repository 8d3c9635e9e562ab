/**
 * Cut connections, lost replies, owners that are given up too early, and servers with weaker guarantees than required.
 */
import { newId } from "@countersign/domain/ids"
import { parseConfig, Settings } from "@countersign/hub/config"
import { openLane } from "@countersign/hub/dispatch/money-core/service"
import { Recovery } from "@countersign/hub/dispatch/recovery/service"
import { databaseLayer } from "@countersign/hub/platform/database"
import { Owner } from "@countersign/hub/platform/owner"
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expectHealthy, inDatabase, until } from "../../../support/health.ts"
import { quickRecovery } from "../../../support/hub-program.ts"
import {
  type Api,
  firstOwner,
  type HubInTest,
  makeAgent,
  makeService,
  masterKey,
  startHub,
  topUp
} from "../../../support/hub.ts"
import { faultProxy, transactionPooler } from "../../../support/pg-proxy.ts"
import { freshDatabase } from "../../../support/pg.ts"
import { httpUpstream } from "../../../support/upstream.ts"

const env = { HUB_EGRESS_ALLOW: "127.0.0.1" }

/** A provider that withholds its answers until the test releases them, an owner, and an agent with a binding. */
const world = Effect.fnUntraced(function*(hub: HubInTest) {
  const owner = yield* firstOwner(hub)
  let open = true
  let held: Array<() => void> = []
  const upstream = yield* httpUpstream((_, response) => {
    const answer = () => response.writeHead(200, { "content-type": "application/json" }).end("{\"done\":true}")
    if (open) answer()
    else held.push(answer)
  })
  const operation = (name: string, more: object) => ({
    name,
    method: "POST",
    path: `/${name}`,
    payload_schema: { type: "object" },
    price: { type: "fixed", cents: 3 },
    ...more
  })
  yield* makeService(hub, owner, {
    name: "work",
    kind: "http",
    base_url: upstream.origin,
    operations: [
      operation("plain", {}),
      operation("again", { idempotent: true }),
      operation("hold", { unknown: "hold" })
    ]
  })
  yield* topUp(hub, owner, 100_000)
  const agent = yield* makeAgent(hub, owner, { bindings: [{ service: "work", operations: ["*"] }] })
  const ask = (api: Api, operation: string, key?: string) =>
    api("POST", "/service-requests", {
      key: agent.key,
      body: { service: "work", operation, payload: {} },
      ...(key === undefined ? {} : { headers: { "idempotency-key": key } })
    })
  const sent = (request: string) =>
    upstream.received.filter(({ headers }) => headers["idempotency-key"] === request).length
  return {
    owner,
    agent,
    ask,
    upstream,
    sent,
    /** Releases the newest withheld answer. */
    answerOne: Effect.sync(() => held.pop()?.()),
    shut: Effect.sync(() => void (open = false)),
    open: Effect.sync(() => {
      open = true
      for (const answer of held) answer()
      held = []
    }),
    arrived: (count: number) =>
      until(
        `${count} calls arrived`,
        Effect.sync(() => upstream.received.length >= count)
      )
  }
})

const terminate = (application: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
        and application_name = ${application}`
  )
const holds = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<{
      request_id: string
      owner: number
      phase: number
    }>`select request_id, owner, phase::int as phase from holds order by request_id`
)
const numberOf = (hub: HubInTest) => hub.run(Effect.map(Owner, (owner) => owner.num()))

layer(Layer.empty, { excludeTestServices: true })("the owner's lock", (it) => {
  it.effect(
    "cut while a provider works: nothing is sent twice, no hub takes over, and the hub continues",
    () =>
      Effect.gen(function*() {
        const hub = yield* startHub({ env })
        const other = yield* startHub({ database: hub.target, env: { ...env, ...quickRecovery } })
        const { answerOne, arrived, ask, open, sent, shut } = yield* world(hub)
        const me = yield* numberOf(hub)
        yield* shut
        const running = yield* Effect.forkChild(
          Effect.all(
            ["plain", "again", "hold"].map((operation) => ask(hub.api, operation)),
            { concurrency: "unbounded" }
          )
        )
        yield* arrived(3)
        for (let cut = 0; cut < 3; cut++) {
          yield* inDatabase(
            hub.target,
            Effect.gen(function*() {
              yield* terminate("countersign-owner")
              yield* other.run(Effect.flatMap(Recovery, ({ sweep }) => sweep))
              assert.deepStrictEqual(
                (yield* holds).map(({ owner }) => owner),
                [me, me, me]
              )
            })
          )
          // A request at the moment of the cut waits for the lock, and is served.
          const later = yield* Effect.forkChild(ask(hub.api, "plain"))
          yield* arrived(4 + cut)
          yield* answerOne
          assert.deepInclude((yield* Fiber.join(later)).body, { status: "executed" })
        }
        yield* open
        for (const { body } of yield* Fiber.join(running)) {
          assert.deepInclude(body, { status: "executed", cost_cents: 3 })
          assert.strictEqual(sent(body.id), 1)
        }
        assert.strictEqual(yield* numberOf(hub), me)
        yield* expectHealthy(hub.target)
      })
  )

  it.effect(
    "keeps a hub alive with an expired lease while held; without the lock, a valid lease does",
    () =>
      Effect.gen(function*() {
        const hub = yield* startHub({ env })
        const { arrived, ask, open, shut } = yield* world(hub)
        const me = yield* numberOf(hub)
        yield* shut
        const running = yield* Effect.forkChild(ask(hub.api, "plain"))
        yield* arrived(1)
        const other = yield* startHub({ database: hub.target, env: { ...env, ...quickRecovery } })
        yield* inDatabase(
          hub.target,
          Effect.gen(function*() {
            const sql = yield* SqlClient.SqlClient
            yield* sql`update owners set alive_until = clock_timestamp() - interval '1 hour' where num = ${me}`
            yield* other.run(Effect.flatMap(Recovery, ({ sweep }) => sweep))
            assert.deepStrictEqual(
              (yield* holds).map(({ owner }) => owner),
              [me]
            )
          })
        )
        yield* open
        assert.deepInclude((yield* Fiber.join(running)).body, { status: "executed" })
      })
  )

  it.effect(
    "and lease of an abandoned hub: its late answers are kept and reported, and it continues under a new number",
    () =>
      Effect.gen(function*() {
        const hub = yield* startHub({ env })
        const other = yield* startHub({ database: hub.target, env: { ...env, ...quickRecovery } })
        const { arrived, ask, open, owner, sent, shut } = yield* world(hub)
        const me = yield* numberOf(hub)
        yield* shut
        const running = yield* Effect.forkChild(
          Effect.all(
            ["plain", "again", "hold"].map((operation) => ask(hub.api, operation)),
            { concurrency: "unbounded" }
          )
        )
        yield* arrived(3)
        yield* inDatabase(
          hub.target,
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) =>
              sql`update owners set ended = true, alive_until = clock_timestamp() - interval '1 hour' where num = ${me}`
          )
        )
        // The one that may be sent again is sent by the other hub.
        yield* arrived(4)
        const stateOf = (id: string) =>
          Effect.map(other.api("GET", `/service-requests/${id}`, { cookie: owner.cookie }), ({ body }) => body)
        yield* until(
          "the verdicts are written",
          inDatabase(
            hub.target,
            Effect.map(holds, (open) => open.filter(({ phase }) => phase === 1).length <= 1)
          )
        )
        yield* open
        const [plain, again, hold] = (yield* Fiber.join(running)).map(({ body }) => body)
        // By rule: failed, sent again, held for a person.
        yield* until(
          "late answers are kept",
          Effect.map(stateOf(plain.id), ({ late_result }) => late_result !== undefined)
        )
        assert.deepInclude(yield* stateOf(plain.id), { status: "failed", cost_cents: 0 })
        assert.deepStrictEqual((yield* stateOf(plain.id)).late_result, {
          status: "executed",
          cost_cents: 3,
          result: { done: true }
        })
        yield* until(
          "the second send is settled",
          Effect.map(stateOf(again.id), ({ status }) => status === "executed")
        )
        assert.deepInclude(yield* stateOf(again.id), { cost_cents: 3 })
        // Its own late answer settles the held one.
        yield* until(
          "the held one is settled",
          Effect.map(stateOf(hold.id), ({ status }) => status === "executed")
        )
        assert.deepStrictEqual([sent(plain.id), sent(again.id), sent(hold.id)], [1, 2, 1])
        const log = (yield* other.api("GET", `/audit-logs?subject_id=${plain.id}`, { cookie: owner.cookie })).body.data
        assert.isTrue(log.some(({ action }: { action: string }) => action === "service_request.late_result"))
        yield* until(
          "it has a new number",
          Effect.map(numberOf(hub), (now) => now !== me)
        )
        assert.deepInclude((yield* ask(hub.api, "plain")).body, { status: "executed" })
        yield* expectHealthy(hub.target)
      })
  )
})

layer(Layer.empty, { excludeTestServices: true })("holds", (it) => {
  it.effect(
    "left by a failure with their own hub are ended by the rule of unknown outcomes",
    () =>
      Effect.gen(function*() {
        const hub = yield* startHub({ env })
        const { agent, ask, owner, sent } = yield* world(hub)
        const made = (yield* Effect.all(["plain", "again", "hold"].map((operation) => ask(hub.api, operation)))).map(
          ({ body }) => body
        )
        const me = yield* numberOf(hub)
        // In their state before they were sent, without an active owner.
        yield* inDatabase(
          hub.target,
          Effect.gen(function*() {
            const sql = yield* SqlClient.SqlClient
            for (const { id, operation } of made) {
              const copy = newId("req")
              yield* sql`insert into requests
                select org_id, ${copy}, agent_id, mode, service, operation, payload, ceiling_cents, null,
                null, null, created_at from requests where id = ${id}`
              yield* sql`insert into holds (request_id, org_id, agent_id, mode, service, operation, owner, ceiling_cents, limits,
                    month,
                  day, created_at)
            values (${copy}, ${owner.org}, ${agent.id}, 'live', 'work', ${operation}, ${me}, 3, '{}', 0, 0, clock_timestamp() -
              interval '1 minute')`
              Object.assign(
                made.find((one) => one.id === id)!,
                { copy }
              )
            }
            yield* until(
              "none is reserved",
              Effect.map(holds, (open) => open.every(({ phase }) => phase === 2))
            )
          })
        )
        const [plain, again, hold] = yield* Effect.all(
          made.map(({ copy }) =>
            Effect.map(hub.api("GET", `/service-requests/${copy}`, { cookie: owner.cookie }), ({ body }) => body)
          )
        )
        assert.deepStrictEqual(
          [plain.status, plain.result.code, again.status, hold.status],
          ["failed", "interrupted", "executed", "running"]
        )
        assert.deepStrictEqual(
          [plain, again, hold].map(({ id }) => sent(id)),
          [0, 1, 0]
        )
      })
  )
})

layer(Layer.empty, { excludeTestServices: true })("between a hub and its database", (it) => {
  it.effect(
    "executes, charges, and answers each request once when replies and requests are lost at random under load",
    () =>
      Effect.gen(function*() {
        const target = yield* freshDatabase
        const proxy = yield* faultProxy(target)
        const hub = yield* startHub({ database: proxy.target, env })
        const { ask, owner, sent } = yield* world(hub)
        // Ticks lose their replies, or never arrive; the owner's connection is cut as well.
        let bytes = 0
        proxy.mischief = (application, from) => {
          if (application !== "countersign-tick" && application !== "countersign-owner") return "pass"
          return ++bytes % (from === "server" ? 7 : 13) === 0 ? "cut" : "pass"
        }
        const answers = yield* Effect.forEach(
          Array.from({ length: 600 }),
          (_, at) => ask(hub.api, at % 2 === 0 ? "plain" : "again", `k${at}`),
          { concurrency: 40 }
        )
        const cuts = proxy.faults
        proxy.mischief = () => "pass"
        assert.isAtLeast(cuts, 10)
        assert.deepStrictEqual(
          [...new Set(answers.map(({ body, status }) => `${status} ${body.status ?? body.error.code}`))],
          ["200 executed"]
        )
        assert.strictEqual(new Set(answers.map(({ body }) => body.id)).size, 600)
        for (const { body } of answers) assert.strictEqual(sent(body.id), 1)
        assert.strictEqual(
          (yield* hub.api("GET", "/balance", { cookie: owner.cookie })).body.available_cents,
          100_000 - 600 * 3
        )
        const again = yield* Effect.forEach(answers.slice(0, 50), (_, at) =>
          ask(hub.api, at % 2 === 0 ? "plain" : "again", `k${at}`))
        assert.deepStrictEqual(
          again.map(({ text }) =>
            text
          ),
          answers.slice(0, 50).map(({ text }) => text)
        )
        yield* expectHealthy(target)
      })
  )
})

layer(Layer.empty, { excludeTestServices: true })("a server", (it) => {
  it.effect(
    "with hostile defaults is overridden by every session of the hub",
    () =>
      Effect.gen(function*() {
        const target = yield* freshDatabase
        yield* inDatabase(
          target,
          Effect.gen(function*() {
            const sql = yield* SqlClient.SqlClient
            const hostile = {
              synchronous_commit: "off",
              default_transaction_isolation: "serializable",
              standard_conforming_strings: "off",
              timezone: "Asia/Tokyo",
              lock_timeout: "1ms",
              statement_timeout: "50ms",
              datestyle: "SQL, DMY",
              bytea_output: "escape",
              intervalstyle: "sql_standard",
              enable_indexscan: "off",
              plan_cache_mode: "force_custom_plan",
              extra_float_digits: "-15",
              default_transaction_read_only: "on",
              default_transaction_deferrable: "on",
              transform_null_equals: "on"
            }
            for (const [name, value] of Object.entries(hostile)) {
              yield* sql.unsafe(`alter database ${target.database} set ${name} = '${value}'`)
            }
          })
        )
        const hub = yield* startHub({ database: target, env })
        const { agent, ask, owner } = yield* world(hub)
        const answers = yield* Effect.forEach(Array.from({ length: 100 }), (_, at) => ask(hub.api, "plain", `k${at}`), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual([...new Set(answers.map(({ body }) => body.status))], ["executed"], answers[0]!.text)
        assert.isTrue(answers.every(({ body }) => Math.abs(Date.parse(body.created_at) - Date.now()) < 600_000))
        assert.strictEqual((yield* ask(hub.api, "plain", "k7")).text, answers[7]!.text)
        assert.strictEqual(
          (yield* hub.api("GET", "/balance", { cookie: owner.cookie })).body.available_cents,
          100_000 - 300
        )
        assert.isDefined(agent.id)
        // Of a tick's own connection, and of the pool's.
        const settings = ["synchronous_commit", "transaction_isolation", "standard_conforming_strings", "TimeZone"]
        const wanted = ["on", "read committed", "on", "UTC"]
        const lane = yield* openLane(target)
        for (const [at, name] of settings.entries()) {
          assert.deepStrictEqual(
            yield* Effect.promise(() => lane.run(`select current_setting('${name}') as value`, [])),
            [
              { value: wanted[at] }
            ] as never
          )
          assert.deepStrictEqual(
            yield* hub.run(
              Effect.orDie(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select current_setting(${name}) as value`))
            ),
            [{ value: wanted[at] }]
          )
        }
        yield* Effect.promise(lane.close)
        yield* expectHealthy(target)
      })
  )

  const started = (target: object) => {
    const { database, host, port, username } = target as {
      readonly database: string
      readonly host: string
      readonly port: number
      readonly username: string
    }
    const config = parseConfig(
      { HUB_MASTER_KEY: masterKey, DATABASE_URL: `postgres://${username}@${host}:${port}/${database}` },
      { projectDir: "/nonexistent", terminal: false }
    )
    return Effect.exit(Effect.scoped(Layer.build(databaseLayer.pipe(Layer.provide(Settings.layerOf(config))))))
  }

  it.effect("behind a transaction pooler is refused, with the solution in the message", () =>
    Effect.gen(function*() {
      const target = yield* freshDatabase
      const pooled = yield* started(yield* transactionPooler(target))
      assert.match(
        Exit.isFailure(pooled) ? Cause.pretty(pooled.cause) : "it was taken",
        /transaction pooler.*session pooler/s
      )
      // The same connection without a pooler.
      const plain = yield* started((yield* faultProxy(target)).target)
      assert.isTrue(Exit.isSuccess(plain), Exit.isFailure(plain) ? Cause.pretty(plain.cause) : "")
    }))
})

import { idFloor } from "@countersign/domain/ids"
import { Db } from "@countersign/hub/platform/db"
import { Retention } from "@countersign/hub/retention/service"
import { SearchRepository } from "@countersign/hub/search/repository"
import { SearchIndex } from "@countersign/hub/search/service"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expectHealthy, inDatabase, until } from "../../support/health.ts"
import { expectStatus, firstOwner, HubTest, makeAgent, makeService, startHub, TestHub } from "../../support/hub.ts"
import { freshDatabase } from "../../support/pg.ts"

/** Blocked requests of the past, with their entries in the log; every hundredth has a rare word in its payload. */
const history = Effect.fnUntraced(function*(org: string, agent: string, count: number, fill = "") {
  const sql = yield* SqlClient.SqlClient
  const prefix = idFloor("req", Date.now() - 3_600_000).slice(0, -6)
  yield* sql.withTransaction(Effect.gen(function*() {
    const [head] = yield* sql<{ seq: number }>`select seq from org_heads where org_id = ${org} for update`
    yield* sql`insert into requests (org_id, id, agent_id, mode, service, operation, payload, ceiling_cents, created_at)
      select ${org}, ${prefix} || lpad(n::text, 6, '0'), ${agent}, 'live', 'echo', 'say',
        case when n % 100 = 0 then '{"text":"a Quetzal flew by"}' else '{"text":"number ' || n || '.' || ${fill} || '"}' end, 1, hub_time_or_last()
      from generate_series(1, ${count}::int) n`
    yield* sql`insert into settlements (org_id, request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, completed_at)
      select org_id, id, agent_id, mode, service, operation, 'blocked', 1, 0, created_at from requests where org_id = ${org} and id like ${`${prefix}%`}`
    yield* sql`insert into audit (org_id, seq, id, action, actor_type, actor_id, actor_name, subject_type, subject_id, outcome, created_at, prev_hash, hash)
      select ${org}, ${
      BigInt(head!.seq)
    }::int8 + n, 'aud_' || n, 'service_request.blocked', 'hub', 'hub', 'Hub', 'service_request',
        ${prefix} || lpad(n::text, 6, '0'), 'blocked', hub_time_or_last(), sha256('a'), sha256('b') from generate_series(1, ${count}::int) n`
    yield* sql`update org_heads set seq = seq + ${count} where org_id = ${org}`
  }))
  return prefix
})

layer(HubTest(), { excludeTestServices: true })("a search in requests", (it) => {
  it.effect(
    "finds words of payloads, ids, and operations beyond the newest requests, page by page, and nothing else",
    () =>
      Effect.gen(function*() {
        const { api, owner, run } = yield* TestHub
        const hub = yield* TestHub
        const agent = yield* makeAgent(hub, owner)
        const prefix = yield* run(history(owner.org, agent.id, 6_000))
        yield* until(
          "all is indexed",
          run(Effect.gen(function*() {
            yield* Effect.flatMap(SearchIndex, ({ round }) => round)
            const sql = yield* SqlClient.SqlClient
            const [row] = yield* sql<{ n: number }>`select count(*) as n from request_texts where org_id = ${owner.org}`
            return row!.n >= 6_000
          }))
        )
        const find = (q: string, more = "") =>
          Effect.map(
            api("GET", `/service-requests?agent_id=${agent.id}&q=${encodeURIComponent(q)}${more}`, {
              cookie: owner.cookie
            }),
            (answer) => expectStatus(answer, 200).body
          )
        const ids = ({ data }: { readonly data: ReadonlyArray<{ readonly id: string }> }) => data.map(({ id }) => id)
        const wanted = Array.from({ length: 60 }, (_, at) => `${prefix}${String(6_000 - at * 100).padStart(6, "0")}`)
        const found: Array<string> = []
        for (let cursor = "";;) {
          const page = yield* find("quetzal", `&limit=25${cursor}`)
          found.push(...ids(page))
          if (page.next_cursor === null) break
          cursor = `&cursor=${page.next_cursor}`
        }
        assert.deepStrictEqual(found, wanted)
        assert.deepStrictEqual(ids(yield* find("NUMBER 17.")), [`${prefix}000017`])
        assert.deepStrictEqual(ids(yield* find(`${prefix}000003`)), [`${prefix}000003`])
        assert.deepStrictEqual(ids(yield* find("no such words")), [])
        assert.deepStrictEqual(ids(yield* find("100%")), [])
        assert.lengthOf((yield* find("echo.say")).data, 50)
        assert.deepStrictEqual(ids(yield* find("\"text\"")), [], "the name of a field is not a word")
        assert.deepStrictEqual(ids(yield* find("quetzal", "&status=executed")), [])
        const frequent = Array.from({ length: 51 }, (_, at) => `${prefix}${String(6_000 - at).padStart(6, "0")}`)
          .filter((_, at) => at !== 0)
        assert.deepStrictEqual(ids(yield* find("number")), frequent, "a word of most requests finds the newest of them")
      })
  )

  it.effect("reads again whether the database has the index when the first read failed", () =>
    Effect.gen(function*() {
      const { run } = yield* TestHub
      const asked = yield* run(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        // A separate layer: the hub's has cached the result.
        const { indexed } = yield* Effect.scoped(
          Effect.map(Layer.build(Layer.fresh(SearchRepository.layer)), Context.get(SearchRepository))
        )
        const failed = yield* Effect.exit(sql.withTransaction(Effect.andThen(Effect.exit(sql`select 1 / 0`), indexed)))
        return [failed._tag, yield* indexed]
      }))
      assert.deepStrictEqual(asked, ["Failure", true])
    }))

  it.effect("indexes long texts of any script in parts", () =>
    Effect.gen(function*() {
      const { owner, run } = yield* TestHub
      const hub = yield* TestHub
      const agent = yield* makeAgent(hub, owner)
      const prefix = yield* run(history(owner.org, agent.id, 100, "漢字".repeat(8_000)))
      const written = run(Effect.gen(function*() {
        const repository = yield* SearchRepository
        const db = yield* Db
        yield* db.transaction(repository.advance(owner.org, 1_000))
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<
          { id: string }
        >`select request_id as id from request_texts where org_id = ${owner.org} and request_id like ${`${prefix}%`}`
        return rows.length
      }))
      yield* until("all is indexed", Effect.map(written, (count) => count === 100))
    }))

  it.effect(
    "finds a request as soon as it is answered, and its text is removed with its body",
    () =>
      Effect.gen(function*() {
        const { api, owner, run } = yield* TestHub
        const hub = yield* TestHub
        const as = { cookie: owner.cookie }
        const agent = yield* makeAgent(hub, owner, { mode: "test" })
        const { id } = expectStatus(
          yield* api("POST", "/service-requests", {
            key: agent.key,
            body: { service: "echo", operation: "say", payload: { text: "ephemeral" } }
          }),
          200
        ).body
        const find = Effect.map(
          api("GET", "/service-requests?q=ephemeral", as),
          ({ body }) => body.data.map((row: { id: string }) => row.id)
        )
        assert.deepStrictEqual(yield* find, [id])
        const texts = run(
          Effect.flatMap(SqlClient.SqlClient, (sql) =>
            Effect.map(sql`select 1 from request_texts where request_id = ${id}`, (rows) => rows.length))
        )
        yield* until(
          "it is indexed",
          Effect.map(texts, (count) =>
            count === 1)
        )
        expectStatus(yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { retention_days: 1 } }), 200)
        yield* run(Effect.flatMap(Retention, ({ round }) => round(Date.now() + 3 * 86_400_000)))
        assert.deepStrictEqual([yield* texts, yield* find], [0, []])
      })
  )

  it.effect("does not find values that the operation's schema masks, for a person", () =>
    Effect.gen(function*() {
      const { api, owner, run } = yield* TestHub
      const hub = yield* TestHub
      yield* makeService(hub, owner, {
        name: "safe",
        kind: "http",
        base_url: "https://safe.example",
        operations: [{
          name: "open",
          method: "POST",
          path: "/",
          price: { type: "fixed", cents: 1 },
          payload_schema: { type: "object", properties: { pin: { type: "string", writeOnly: true } } }
        }]
      })
      const agent = yield* makeAgent(hub, owner, { mode: "test", bindings: [{ service: "safe", operations: ["*"] }] })
      const { id } = expectStatus(
        yield* api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "safe", operation: "open", payload: { pin: "xylophone" } }
        }),
        200
      ).body
      yield* run(Effect.flatMap(SearchIndex, ({ round }) => round))
      const found = (q: string, who: object) =>
        Effect.map(api("GET", `/service-requests?q=${q}`, who), ({ body }) =>
          body.data.map((row: { id: string }) => row.id))
      assert.deepStrictEqual(yield* found("xylophone", { cookie: owner.cookie }), [])
      assert.include(yield* found("safe.open", { cookie: owner.cookie }), id)
      assert.deepStrictEqual(yield* found("xylophone", { key: agent.key }), [id])
    }))
})

layer(HubTest(), { excludeTestServices: true })("a search in a database without the extensions", (it) => {
  it.effect("reads the newest requests, and the doctor reports it as a notice", () =>
    Effect.gen(function*() {
      const database = yield* freshDatabase
      yield* inDatabase(
        database,
        Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.orDie(sql`drop index request_texts_search`))
      )
      const hub = yield* startHub({ database })
      const owner = yield* firstOwner(hub)
      const agent = yield* makeAgent(hub, owner, { mode: "test" })
      const { id } = expectStatus(
        yield* hub.api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "echo", operation: "say", payload: { text: "ephemeral" } }
        }),
        200
      ).body
      const { body } = yield* hub.api("GET", "/service-requests?q=ephemeral", { cookie: owner.cookie })
      assert.deepStrictEqual(body.data.map((row: { id: string }) => row.id), [id])
      yield* expectHealthy(database)
    }).pipe(Effect.scoped), 120_000)
})

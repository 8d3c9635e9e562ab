/**
 * Lists of requests in the caller's order, and by amount and reason: each walk returns each request once, also with
 * short pages.
 */
import { requestSorts } from "@countersign/domain/service-requests"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../../support/hub.ts"
import { makePerson, makeWorkspace } from "../../../support/people.ts"

// eslint-disable-next-line typescript/no-explicit-any
type Item = any

const ids = (rows: ReadonlyArray<Item>) => rows.map(({ id }) => id as string)

/**
 * A workspace with requests of each outcome: five executed, at 3, 1, and 1 cents and two free ones, two pending, one
 * blocked, one failed.
 */
const world = Effect.gen(function*() {
  const hub = yield* TestHub
  const person = yield* makePerson(hub, yield* makeWorkspace(hub, "Lists"), "owner", "Ada")
  const as = { cookie: person.cookie }
  yield* topUp(hub, person, 10_000)
  yield* makeService(hub, person, {
    name: "desks",
    kind: "http",
    base_url: "https://desks.example",
    operations: [{
      name: "buy",
      method: "POST",
      path: "/",
      price: { type: "fixed", cents: 4_200 },
      payload_schema: { type: "object" }
    }]
  })
  const agent = yield* makeAgent(hub, person, {
    bindings: [{ service: "echo", operations: ["*"] }, { service: "desks", operations: ["*"] }]
  })
  const trial = yield* makeAgent(hub, person, { mode: "test", bindings: [{ service: "echo", operations: ["*"] }] })
  const send = (service: string, operation: string, headers: Record<string, string> = {}, key = agent.key) =>
    Effect.map(
      hub.api("POST", "/service-requests", { key, headers, body: { service, operation, payload: { word: "walnut" } } }),
      (answer) => expectStatus(answer, 200).body
    )
  const executed: Array<Item> = []
  for (let n = 0; n < 3; n++) executed.push(yield* send("echo", "say"))
  const waiting = [yield* send("desks", "buy"), yield* send("desks", "buy")]
  const blocked = yield* send("echo", "none")
  const failed = yield* send("echo", "say", { "x-test-outcome": "failure" }, trial.key)
  const free = yield* send("echo", "say", {}, trial.key)
  assert.deepStrictEqual([executed[0].status, waiting[0].status, blocked.status, failed.status, free.status], [
    "executed",
    "approval_required",
    "blocked",
    "failed",
    "executed"
  ])
  yield* hub.run(
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`update settlements set cost_cents = 3, ceiling_cents = 5 where org_id = ${person.org} and request_id = ${
        executed[1].id
      }`
    }).pipe(Effect.orDie)
  )
  const get = (path: string) => Effect.map(hub.api("GET", path, as), (answer) => expectStatus(answer, 200).body)
  const walk = Effect.fnUntraced(function*(query: string, limit = 2) {
    const rows: Array<Item> = []
    for (let cursor = "";;) {
      const page = yield* get(`/service-requests?${query}&limit=${limit}${cursor}`)
      rows.push(...page.data)
      if (page.next_cursor === null) return rows
      cursor = `&cursor=${page.next_cursor}`
    }
  })
  return { ...hub, hub, person, as, get, walk, agent, send, executed, waiting, blocked, failed, free }
})

layer(HubTest(), { excludeTestServices: true })("the list of requests", (it) => {
  it.effect("returns each request once in every order, including ties", () =>
    Effect.gen(function*() {
      const { api, as, get, walk } = yield* world
      const all = ids(yield* walk("", 50))
      assert.lengthOf(all, 8)
      for (const field of requestSorts) {
        for (const limit of [1, 3, 50]) {
          const up = yield* walk(`sort=${field}`, limit)
          const down = yield* walk(`sort=-${field}`, limit)
          assert.deepStrictEqual(ids(up).sort(), [...all].sort(), `${field}: each request once`)
          assert.deepStrictEqual(ids(down), ids(up).reverse(), `-${field} is the reverse of ${field}`)
          const keys = up.map((row): readonly [number, string] => [field === "cost_cents" ? row.cost_cents : 0, row.id])
          assert.deepStrictEqual(keys, [...keys].sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1)), field)
        }
      }
      assert.deepStrictEqual(ids(yield* walk("sort=-created_at")), all)
      const { next_cursor } = yield* get("/service-requests?sort=-cost_cents&limit=2")
      for (const query of ["sort=cost_cents", "sort=created_at", "status=executed"]) {
        assert.strictEqual(
          (yield* api("GET", `/service-requests?${query}&cursor=${next_cursor}`, as)).status,
          400,
          query
        )
      }
      assert.strictEqual((yield* api("GET", "/service-requests?sort=status", as)).status, 400)
    }))

  it.effect("sorts the filtered rows: state, agent, period, text", () =>
    Effect.gen(function*() {
      const { agent, blocked, executed, failed, free, waiting, walk } = yield* world
      const [first, second, third] = ids(executed)
      assert.deepStrictEqual(ids(yield* walk("sort=-cost_cents&status=executed")), [second, third, first, free.id])
      assert.deepStrictEqual(
        ids(yield* walk("sort=-cost_cents&status=blocked&status=failed&status=approval_required")),
        [failed.id, blocked.id, ...ids(waiting).reverse()]
      )
      assert.deepStrictEqual(ids(yield* walk("sort=created_at&status=approval_required", 1)), ids(waiting))
      assert.deepStrictEqual(ids(yield* walk(`sort=cost_cents&agent_id=${agent.id}`)), [
        ...ids(waiting),
        blocked.id,
        first,
        third,
        second
      ])
      assert.deepStrictEqual(ids(yield* walk("sort=cost_cents&q=walnut&mode=live&status=executed", 1)), [
        first,
        third,
        second
      ])
      assert.deepStrictEqual(ids(yield* walk("sort=created_at&q=desks.buy", 1)), ids(waiting))
      assert.deepStrictEqual(ids(yield* walk(`sort=created_at&to=${executed[0].created_at}`)), [])
      assert.deepStrictEqual(ids(yield* walk("sort=cost_cents&status=running")), [])
      assert.deepStrictEqual(ids(yield* walk("sort=created_at&service=desks")), ids(waiting))
    }))

  it.effect("filters by amount and by reason, alone and together, in its export too", () =>
    Effect.gen(function*() {
      const { api, as, blocked, executed, failed, free, waiting, walk } = yield* world
      const [first, second, third] = ids(executed)
      const found = Effect.fnUntraced(function*(query: string) {
        const rows = yield* walk(query, 1)
        const file = expectStatus(yield* api("GET", `/service-requests/export?format=jsonl&${query}`, as), 200).text
        assert.deepStrictEqual(
          file.split("\n").filter((line) => line !== "").map((line) => (JSON.parse(line) as Item).id),
          ids(rows),
          query
        )
        return ids(rows)
      })
      assert.deepStrictEqual(yield* found("min_cents=3"), [...ids(waiting).reverse(), second])
      assert.deepStrictEqual(yield* found("min_cents=1&max_cents=1&mode=live"), [third, first])
      assert.deepStrictEqual(yield* found("max_cents=0&mode=test"), [free.id])
      assert.deepStrictEqual(yield* found("min_cents=4200&max_cents=4200"), ids(waiting).reverse())
      assert.deepStrictEqual(yield* found("status=executed&min_cents=2&max_cents=1000000"), [second])
      assert.deepStrictEqual(yield* found("min_cents=5000"), [])
      assert.deepStrictEqual(yield* found(`reason_code=${blocked.reason_code}`), [blocked.id])
      assert.deepStrictEqual(yield* found("reason_code=adapter_error"), [failed.id])
      assert.deepStrictEqual(yield* found("reason_code=approval_threshold"), ids(waiting).reverse())
      assert.deepStrictEqual(yield* found("reason_code=approval_threshold&status=blocked"), [])
      assert.deepStrictEqual(yield* found("reason_code=approval_threshold&min_cents=4201"), [])
      assert.deepStrictEqual(yield* found("reason_code=nonsense%22_%25"), [])
      for (const query of ["min_cents=-1", "max_cents=1.5", "reason_code=", `reason_code=${"a".repeat(65)}`]) {
        assert.strictEqual((yield* api("GET", `/service-requests?${query}`, as)).status, 400, query)
      }
    }))

  it.effect("answers a short page with a cursor where a filter matches little", () =>
    Effect.gen(function*() {
      const { get, person, run, walk } = yield* world
      yield* run(
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const [like] = yield* sql<
            { agent_id: string }
          >`select agent_id from requests where org_id = ${person.org} limit 1`
          for (let first = 1; first <= 47_000; first += 9_400) {
            const id = sql`'req_7' || lpad(n::text, 25, '0')`
            const numbers = sql`generate_series(${first}::int, ${first + 9_399}::int) n`
            yield* sql`insert into requests (org_id, id, agent_id, mode, service, operation, payload, ceiling_cents, created_at)
          select ${person.org}, ${id}, ${like!.agent_id}, 'live', 'echo', 'say', '{}', 1, now() from ${numbers}`
            yield* sql`insert into settlements (org_id, request_id, agent_id, mode, service, operation, status, ceiling_cents, cost_cents, completed_at)
          select ${person.org}, ${id}, ${
              like!.agent_id
            }, 'live', 'echo', 'say', 'executed', 1, 1, now() from ${numbers}`
          }
          // As the server does after this many rows.
          yield* sql`analyze requests, settlements`
        }).pipe(Effect.orDie)
      )
      for (const sort of ["-created_at", "cost_cents"]) {
        const first = yield* get(`/service-requests?sort=${sort}&max_cents=4200&min_cents=2&limit=50`)
        assert.isNotNull(first.next_cursor, sort)
        assert.lengthOf(yield* walk(`sort=${sort}&max_cents=4200&min_cents=2`, 50), 3)
      }
    }))

  it.effect("shows members and agents only their own requests, in every order", () =>
    Effect.gen(function*() {
      const { agent, hub, person, walk } = yield* world
      const member = yield* makePerson(hub, person.org, "member", "Mel")
      const own = yield* makeAgent(hub, member, { mode: "test" })
      const { body } = expectStatus(
        yield* hub.api("POST", "/service-requests", {
          key: own.key,
          body: { service: "echo", operation: "say", payload: {} }
        }),
        200
      )
      for (const query of ["sort=cost_cents", "sort=created_at", "min_cents=0"]) {
        const seen =
          expectStatus(yield* hub.api("GET", `/service-requests?${query}`, { cookie: member.cookie }), 200).body.data
        assert.deepStrictEqual(ids(seen), [body.id], query)
        const theirs =
          expectStatus(yield* hub.api("GET", `/service-requests?${query}`, { key: agent.key }), 200).body.data
        assert.lengthOf(theirs, (yield* walk(`agent_id=${agent.id}`, 50)).length, query)
      }
    }))
})

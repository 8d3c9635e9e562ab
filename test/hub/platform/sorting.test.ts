/**
 * Orders that callers choose for the lists of agents and approvals: each page walk returns each row once, including
 * ties.
 */
import { agentSorts } from "@countersign/domain/agents"
import { approvalSorts } from "@countersign/domain/approvals"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"
import { makePerson, makeWorkspace } from "../../support/people.ts"

// eslint-disable-next-line typescript/no-explicit-any
type Item = any

const world = Effect.gen(function*() {
  const hub = yield* TestHub
  const person = yield* makePerson(hub, yield* makeWorkspace(hub, "Sorting"), "owner", "Ada")
  const as = { cookie: person.cookie }
  const get = (path: string) => Effect.map(hub.api("GET", path, as), (answer) => expectStatus(answer, 200).body)
  /** Every row of a list, page by page. */
  const walk = Effect.fnUntraced(function*(path: string, limit = 2) {
    const rows: Array<Item> = []
    for (let cursor = "";;) {
      const page = yield* get(`${path}&limit=${limit}${cursor}`)
      rows.push(...page.data)
      if (page.next_cursor === null) return rows
      cursor = `&cursor=${page.next_cursor}`
    }
  })
  return { ...hub, hub, person, as, get, walk }
})

const ids = (rows: ReadonlyArray<Item>) => rows.map(({ id }) => id as string)

const expectOrder = (
  rows: ReadonlyArray<Item>,
  sort: string,
  keyOf: (row: Item) => string | number,
  all: ReadonlyArray<string>
) => {
  assert.deepStrictEqual(ids(rows).sort(), [...all].sort(), `${sort}: each row once`)
  const sign = sort.startsWith("-") ? -1 : 1
  const keys = rows.map((row): [string | number, string] => [keyOf(row), row.id])
  const sorted = [...keys].sort(([a, x], [b, y]) => sign * (a < b ? -1 : a > b ? 1 : x < y ? -1 : 1))
  assert.deepStrictEqual(keys, sorted, sort)
}

layer(HubTest(), { excludeTestServices: true })("a list in the caller's order", (it) => {
  it.effect("gives each agent once in every order, with equal names, sums, and times", () =>
    Effect.gen(function*() {
      const { api, as, get, hub, person, run, walk } = yield* world
      const all: Array<string> = []
      for (const name of ["beta", "Alpha", "alpha", "Beta", "\u00c4rger \"x\"", "gamma", "Alpha"]) {
        const { id } = yield* makeAgent(hub, person)
        expectStatus(yield* api("PATCH", `/agents/${id}`, { ...as, body: { name } }), 200)
        all.push(id)
      }
      yield* run(
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* sql`update limits set used = case when agent_id = any(${
            all.slice(0, 3)
          }::text[]) then 700 else 0 end, period = month_of(hub_time_or_last())
        where org_id = ${person.org} and kind = 2 and mode = 'live' and service is null`
          yield* sql`insert into agent_sightings (agent_id, org_id, last_seen_at)
        select id, ${person.org}, timestamptz '2026-11-01 10:00:00.123456Z' + (n / 2) * interval '1 microsecond'
        from unnest(${all.slice(0, 5)}::text[]) with ordinality t(id, n)
        on conflict (agent_id) do update set last_seen_at = excluded.last_seen_at`
        }).pipe(Effect.orDie)
      )
      for (const field of agentSorts) {
        const seen: Array<ReadonlyArray<string>> = []
        for (const sort of [field, `-${field}`]) {
          const rows = yield* walk(`/agents?sort=${sort}`)
          seen.push(ids(rows))
          if (field === "name") expectOrder(rows, sort, ({ name }) => name.toLowerCase(), all)
          else if (field === "spent_this_month_cents") {
            expectOrder(rows, sort, ({ spent_this_month_cents }) => spent_this_month_cents, all)
          } else assert.deepStrictEqual(ids(rows).sort(), [...all].sort(), `${sort}: each row once`)
        }
        assert.deepStrictEqual(seen[1], [...seen[0]!].reverse(), `-${field} is the reverse of ${field}`)
      }
      assert.deepStrictEqual(ids(yield* walk("/agents?sort=last_seen_at")), [
        all[5],
        all[6],
        all[0],
        all[1],
        all[2],
        all[3],
        all[4]
      ])
      assert.deepStrictEqual(ids(yield* walk("/agents?sort=-created_at")), ids((yield* get("/agents?limit=50")).data))
      assert.deepStrictEqual(
        ids(yield* walk("/agents?sort=name&q=alpha")),
        ids(yield* walk("/agents?sort=name")).slice(0, 3)
      )
      const { next_cursor } = yield* get("/agents?sort=name&limit=2")
      for (const query of ["sort=-name", "sort=last_seen_at", "q=alpha"]) {
        assert.strictEqual((yield* api("GET", `/agents?${query}&cursor=${next_cursor}`, as)).status, 400, query)
      }
      assert.strictEqual((yield* api("GET", "/agents?sort=id", as)).status, 400)
    }))

  it.effect("gives each approval once in every order, and filters by amount and age over the whole list", () =>
    Effect.gen(function*() {
      const { api, as, get, hub, person, run, walk } = yield* world
      yield* topUp(hub, person, 10_000)
      const agent = yield* makeAgent(hub, person, {
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const all: Array<string> = []
      for (let n = 0; n < 7; n++) {
        const { body } = expectStatus(
          yield* api("POST", "/service-requests", {
            key: agent.key,
            body: { service: "echo", operation: "say", payload: { n } }
          }),
          200
        )
        all.push(body.approval_id)
      }
      yield* run(
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* sql`update approvals a set cost_cents = 100 * (n % 3), expires_at = requested_at + (10 + n % 2) * interval '1 day',
          requested_at = hub_time_or_last() - (7 - n) * interval '1 hour'
        from unnest(${all}::text[]) with ordinality t(id, n) where a.org_id = ${person.org} and a.id = t.id`
          yield* sql`update approvals set expires_at = timestamptz '2030-01-01 00:00:00.000001Z' where org_id = ${person.org} and id = any(${
            all.slice(2, 5)
          }::text[])`
        }).pipe(Effect.orDie)
      )
      for (const field of approvalSorts) {
        const up = yield* walk(`/approvals?sort=${field}`)
        const down = yield* walk(`/approvals?sort=-${field}`)
        assert.deepStrictEqual(ids(up).sort(), [...all].sort(), `${field}: each row once`)
        assert.deepStrictEqual(ids(down), ids(up).reverse(), `-${field} is the reverse of ${field}`)
        if (field === "cost_cents") expectOrder(up, field, ({ cost_cents }) => cost_cents, all)
        if (field === "expires_at") expectOrder(up, field, ({ expires_at }) => Date.parse(expires_at), all)
        if (field === "requested_at") assert.deepStrictEqual(ids(up), all)
      }
      assert.deepStrictEqual(ids(yield* walk("/approvals?min_cents=100&max_cents=100&sort=requested_at")), [
        all[0],
        all[3],
        all[6]
      ])
      assert.deepStrictEqual(ids(yield* walk("/approvals?min_cents=200", 1)), [all[1], all[4]])
      assert.deepStrictEqual(ids((yield* get("/approvals?min_age_seconds=16200")).data), [all[0], all[1]])
      assert.deepStrictEqual(ids((yield* get("/approvals?max_age_seconds=5400&min_age_seconds=1800")).data), [all[5]])
      for (const query of ["min_cents=-1", "max_cents=1.5", "min_age_seconds=x", "sort=comment"]) {
        assert.strictEqual((yield* api("GET", `/approvals?${query}`, as)).status, 400, query)
      }
      const { next_cursor } = yield* get("/approvals?sort=-cost_cents&limit=2")
      assert.strictEqual((yield* api("GET", `/approvals?sort=expires_at&cursor=${next_cursor}`, as)).status, 400)
    }))

  it.effect("filters the audit log by outcome, reason code, amount, and operation, in its export too", () =>
    Effect.gen(function*() {
      const { api, as, hub, person, walk } = yield* world
      yield* topUp(hub, person, 10_000)
      const agent = yield* makeAgent(hub, person, { bindings: [{ service: "echo", operations: ["*"] }] })
      const send = (operation: string) =>
        Effect.map(
          api("POST", "/service-requests", { key: agent.key, body: { service: "echo", operation, payload: {} } }),
          ({ body }) => body
        )
      const executed = yield* send("say")
      const blocked = yield* send("none")
      assert.deepStrictEqual([executed.status, blocked.status], ["executed", "blocked"])
      const found = Effect.fnUntraced(function*(query: string) {
        const rows = yield* walk(`/audit-logs?action=service_request.*&${query}`)
        const file =
          expectStatus(yield* api("GET", `/audit-logs/export?action=service_request.*&${query}`, as), 200).text
        const exported = file.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Item)
        assert.deepStrictEqual(ids(exported).sort(), ids(rows).sort(), query)
        return [...new Set(rows.map(({ subject }) => subject.id as string))]
      })
      assert.deepStrictEqual(yield* found("outcome=blocked"), [blocked.id])
      assert.deepStrictEqual(yield* found(`outcome=${blocked.reason_code}`), [blocked.id])
      assert.deepStrictEqual(yield* found("outcome=executed&min_cents=1&max_cents=1"), [executed.id])
      assert.deepStrictEqual(yield* found("outcome=executed&min_cents=2"), [])
      assert.deepStrictEqual(yield* found("service=echo&operation=say"), [executed.id])
      assert.deepStrictEqual(yield* found("operation=none"), [blocked.id])
      assert.deepStrictEqual(yield* found("service=echo&operation=sa%25"), [])
      assert.strictEqual((yield* api("GET", "/audit-logs?min_cents=x", as)).status, 400)
    }))
})

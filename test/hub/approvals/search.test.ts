/** `q` of `GET /approvals` and its export: every approval is searched by its visible text. */
import { SearchIndex } from "@countersign/hub/search/service"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../support/hub.ts"
import { makePerson, makeWorkspace } from "../../support/people.ts"

const columnOf = (csv: string, name: string) => {
  const [head, ...lines] = csv.trim().split("\r\n").map((line) => line.split(","))
  return lines.map((line) => line[head!.indexOf(name)])
}

layer(HubTest(), { excludeTestServices: true })("the search of approvals", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const person = yield* makePerson(hub, yield* makeWorkspace(hub, "Search"), "owner", "Ada")
    const as = { cookie: person.cookie }
    yield* topUp(hub, person, 1_000)
    const binding = { service: "echo", operations: ["*"], approval_threshold_cents: 0 }
    const ask = Effect.fnUntraced(function*(key: string, payload: unknown, service = "echo", operation = "say") {
      const { body } = expectStatus(
        yield* hub.api("POST", "/service-requests", { key, body: { service, operation, payload } }),
        200
      )
      assert.strictEqual(body.status, "approval_required")
      return body.approval_id as string
    })
    const page = (query: string) =>
      Effect.map(hub.api("GET", `/approvals?${query}`, as), (answer) => expectStatus(answer, 200).body)
    const found = (query: string) =>
      Effect.map(page(query), ({ data }) => data.map(({ id }: { id: string }) => id) as ReadonlyArray<string>)
    return { ...hub, hub, person, as, ask, binding, page, found }
  })

  it.effect("finds a pending approval beyond the first page, before and after its request is indexed", () =>
    Effect.gen(function*() {
      const { ask, binding, found, hub, page, person } = yield* world
      const agent = yield* makeAgent(hub, person, { name: "Zoë the Scout", bindings: [binding] })
      const others = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, n) => n),
        (n) => ask(agent.key, { text: `hotel ${n}` }),
        { concurrency: 8 }
      )
      const last = yield* ask(agent.key, { text: "A ferry to Ærøskøbing, \"first class\"", seats: 1_742 })
      assert.notInclude(yield* found(""), last)
      const check = Effect.gen(function*() {
        for (const q of ["ferry", "FERRY first", "ÆRØSKØBING", "ærøskøbing zoe", "1742", "\"first", last]) {
          assert.deepStrictEqual(yield* found(`q=${encodeURIComponent(q)}`), [last], q)
        }
        for (const q of ["ferry hotel", "seats", "text", "airship", "100%"]) {
          assert.deepStrictEqual(yield* found(`q=${encodeURIComponent(q)}`), [], q)
        }
        const first = yield* page("q=hotel&limit=40")
        const second = yield* page(`q=hotel&limit=40&cursor=${first.next_cursor}`)
        assert.deepStrictEqual([...first.data, ...second.data].map(({ id }: { id: string }) => id), [...others].sort())
        assert.strictEqual(second.next_cursor, null)
      })
      yield* check
      while ((yield* hub.run(Effect.flatMap(SearchIndex, ({ round }) => round))) > 0);
      yield* check
    }))

  it.effect("finds decided approvals by text, agent, and digest, and none of another workspace", () =>
    Effect.gen(function*() {
      const { api, as, ask, binding, found, hub, page, person } = yield* world
      const [scout, porter] = [
        yield* makeAgent(hub, person, { name: "Scout", bindings: [binding] }),
        yield* makeAgent(hub, person, { name: "Porter", bindings: [binding] })
      ]
      const [kept, other] = [
        yield* ask(scout.key, { text: "crate of tea" }),
        yield* ask(porter.key, { text: "crate of coffee" })
      ]
      for (const id of [kept, other]) expectStatus(yield* api("POST", `/approvals/${id}/reject`, as), 200)
      const pending = yield* ask(porter.key, { text: "crate of tea" })
      while ((yield* hub.run(Effect.flatMap(SearchIndex, ({ round }) => round))) > 0);
      assert.deepStrictEqual(yield* found("status=rejected&q=tea"), [kept])
      assert.deepStrictEqual(yield* found("status=rejected&q=crate"), [other, kept])
      assert.deepStrictEqual(yield* found("status=rejected&q=porter+crate"), [other])
      assert.deepStrictEqual(yield* found("q=tea"), [pending])
      const { payload_digest } = expectStatus(yield* api("GET", `/approvals/${kept}`, as), 200).body
      assert.deepStrictEqual(yield* found(`status=rejected&q=${payload_digest.slice(0, 8)}`), [kept])
      const stranger = yield* makePerson(hub, yield* makeWorkspace(hub, "Elsewhere"), "owner", "Eve")
      assert.deepStrictEqual(
        expectStatus(
          yield* api("GET", "/approvals?workspace=all&status=rejected&q=tea", { cookie: stranger.cookie }),
          200
        ).body.data,
        []
      )
      const csv = expectStatus(yield* api("GET", "/approvals/export?status=rejected&q=tea", as), 200).text
      assert.deepStrictEqual(columnOf(csv, "id"), [kept])
      assert.strictEqual((yield* page("q=%20%20")).data.length, 1)
      assert.strictEqual((yield* api("GET", `/approvals?q=${"x".repeat(201)}`, as)).status, 400)
    }))

  it.effect("does not find a masked value, and finds the same payload by its visible values", () =>
    Effect.gen(function*() {
      const { ask, found, hub, person } = yield* world
      yield* makeService(hub, person, {
        name: "mail",
        kind: "http",
        base_url: "https://mail.example",
        operations: [{
          name: "send",
          method: "POST",
          path: "/",
          price: { type: "fixed", cents: 1 },
          payload_schema: {
            type: "object",
            properties: { to: { type: "string" }, pin: { type: "string", writeOnly: true } }
          }
        }]
      })
      const agent = yield* makeAgent(hub, person, {
        bindings: [{ service: "mail", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const id = yield* ask(agent.key, { to: "grace@example.com", pin: "493817" }, "mail", "send")
      const check = Effect.gen(function*() {
        assert.deepStrictEqual([yield* found("q=grace"), yield* found("q=493817"), yield* found("q=grace+493817")], [
          [id],
          [],
          []
        ])
      })
      yield* check
      while ((yield* hub.run(Effect.flatMap(SearchIndex, ({ round }) => round))) > 0);
      yield* check
    }))
})

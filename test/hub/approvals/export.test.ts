/** `GET /approvals/export` and `GET /agents/export`: the filtered lists as files. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectStatus, HubTest, makeAgent, makeService, TestHub } from "../../support/hub.ts"
import { makePerson, makeSignedIn, makeWorkspace } from "../../support/people.ts"

const columnOf = (csv: string, name: string) => {
  const [head, ...lines] = csv.trim().split("\r\n").map((line) => line.split(","))
  return lines.map((line) => line[head!.indexOf(name)])
}

layer(HubTest(), { excludeTestServices: true })("the exports of approvals and agents", (it) => {
  it.effect("contain every row of the filter in the order of the list, beyond one page", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const person = yield* makePerson(hub, yield* makeWorkspace(hub, "Files"), "owner", "Ada")
      const as = { cookie: person.cookie }
      const binding = { service: "echo", operations: ["*"], approval_threshold_cents: 0 }
      const agent = yield* makeAgent(hub, person, { mode: "test", bindings: [binding] })
      const other = yield* makeAgent(hub, person, { mode: "test", bindings: [binding] })
      const send = (key: string, n: number) =>
        Effect.map(
          hub.api("POST", "/service-requests", {
            key,
            headers: { "x-test-outcome": "approval" },
            body: { service: "echo", operation: "say", payload: { text: `n${n}` } }
          }),
          (answer) => expectStatus(answer, 200).body.approval_id as string
        )
      const asked = yield* Effect.forEach(Array.from({ length: 201 }, (_, n) => n), (n) => send(agent.key, n), {
        concurrency: 8
      })
      const foreign = yield* send(other.key, 1)
      expectStatus(yield* hub.api("POST", `/approvals/${foreign}/reject`, { ...as, body: { comment: "=1+1" } }), 200)

      const csv = expectStatus(yield* hub.api("GET", `/approvals/export?agent_id=${agent.id}`, as), 200)
      assert.match(csv.headers.get("content-type") ?? "", /^text\/csv/)
      assert.match(csv.headers.get("content-disposition") ?? "", /^attachment; filename="approvals-org_\w+\.csv"$/)
      assert.deepStrictEqual(columnOf(csv.text, "id"), [...asked].sort())
      const decided = expectStatus(
        yield* hub.api("GET", "/approvals/export?status=rejected&status=approved&sort=-cost_cents&workspace=all", as),
        200
      ).text
      assert.deepStrictEqual(columnOf(decided, "id"), [foreign])
      for (const workspace of ["all", person.org]) {
        const named = expectStatus(yield* hub.api("GET", `/approvals/export?workspace=${workspace}`, as), 200)
        assert.strictEqual(
          named.headers.get("content-disposition"),
          `attachment; filename="approvals-${workspace}.csv"`
        )
      }
      assert.deepStrictEqual(columnOf(decided, "comment"), ["'=1+1"])
      assert.deepStrictEqual(columnOf(decided, "status"), ["rejected"])
      assert.deepStrictEqual(columnOf(decided, "decided_by"), [person.email])
      assert.deepStrictEqual(
        columnOf(expectStatus(yield* hub.api("GET", "/approvals/export?min_cents=2", as), 200).text, "id"),
        []
      )

      const all = expectStatus(yield* hub.api("GET", "/agents?limit=50", as), 200).body.data as ReadonlyArray<
        { readonly id: string }
      >
      const agents = expectStatus(yield* hub.api("GET", "/agents/export", as), 200)
      assert.match(agents.headers.get("content-disposition") ?? "", /^attachment; filename="agents-org_\w+\.csv"$/)
      assert.deepStrictEqual(columnOf(agents.text, "id"), all.map(({ id }) => id))
      assert.deepStrictEqual(columnOf(agents.text, "services"), ["echo", "echo"])
      const sorted =
        expectStatus(yield* hub.api("GET", `/agents/export?sort=created_at&workspace=${person.org}`, as), 200).text
      assert.deepStrictEqual(columnOf(sorted, "id"), all.map(({ id }) => id).reverse())
      assert.deepStrictEqual(
        columnOf(expectStatus(yield* hub.api("GET", "/agents/export?status=paused", as), 200).text, "id"),
        []
      )
      for (
        const query of [
          "/approvals/export?limit=5",
          "/approvals/export?sort=comment",
          "/agents/export?status=none",
          "/agents/export?limit=2"
        ]
      ) {
        assert.strictEqual((yield* hub.api("GET", query, as)).status, 400, query)
      }
    }))

  it.effect("hide masked values, give members only rows of their agents, and contain no rows of another workspace", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { owner } = hub
      yield* makeService(hub, owner, {
        name: "mail",
        kind: "http",
        base_url: "https://mail.example",
        operations: [{
          name: "send",
          method: "POST",
          path: "/",
          price: { type: "fixed", cents: 1 },
          summary: ["/to", "/pin"],
          payload_schema: {
            type: "object",
            properties: { to: { type: "string" }, pin: { type: "string", writeOnly: true } }
          }
        }]
      })
      const member = yield* makeSignedIn(hub, owner.org, "member")
      const bindings = [{ service: "mail", operations: ["*"] }]
      const [own, theirs] = [
        yield* makeAgent(hub, member, { mode: "test" }),
        yield* makeAgent(hub, owner, { mode: "test", bindings })
      ]
      const ask = (key: string, service: string, operation: string, payload: object) =>
        Effect.map(
          hub.api("POST", "/service-requests", {
            key,
            headers: { "x-test-outcome": "approval" },
            body: { service, operation, payload }
          }),
          (answer) => expectStatus(answer, 200).body.approval_id as string
        )
      const mine = yield* ask(own.key, "echo", "say", {})
      yield* ask(theirs.key, "mail", "send", { to: "ada@example.com", pin: "not-for-members" })
      const { text } = expectStatus(
        yield* hub.api("GET", `/approvals/export?agent_id=${theirs.id}`, { cookie: owner.cookie }),
        200
      )
      assert.include(text, "ada@example.com")
      assert.notInclude(text, "not-for-members")
      assert.deepStrictEqual(
        columnOf(expectStatus(yield* hub.api("GET", "/approvals/export", { cookie: member.cookie }), 200).text, "id"),
        [mine]
      )
      assert.deepStrictEqual(
        columnOf(expectStatus(yield* hub.api("GET", "/agents/export", { cookie: member.cookie }), 200).text, "id"),
        [own.id]
      )
      const elsewhere = yield* makeWorkspace(hub)
      for (const path of ["/approvals/export", "/agents/export"]) {
        assert.strictEqual(
          (yield* hub.api("GET", `${path}?workspace=${elsewhere}`, { cookie: member.cookie })).status,
          404,
          path
        )
        assert.strictEqual((yield* hub.api("GET", path, { key: own.key })).status, 401, path)
      }
    }))
})

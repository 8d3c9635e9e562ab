import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectStatus, HubTest, makeAgent, makeService, makeToken, TestHub, topUp } from "../../support/hub.ts"
import { makePerson } from "../../support/people.ts"

interface Step {
  readonly step: string
  readonly state: string
  readonly at?: string
}

layer(HubTest(), { excludeTestServices: true })("the trace of a request", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner } = hub
    const as = { cookie: owner.cookie }
    yield* topUp(hub, owner, 100)
    const send = (key: string, payload: unknown = {}, service = "echo", operation = "say") =>
      Effect.map(
        api("POST", "/service-requests", { key, body: { service, operation, payload } }),
        (answer) => expectStatus(answer, 200).body
      )
    const trace = (id: string, who: object = as) => api("GET", `/service-requests/${id}/trace`, who)
    return { ...hub, hub, as, send, trace }
  })

  it.effect("of an executed request ends in two ledger entries that sum to zero, and in the log", () =>
    Effect.gen(function*() {
      const { api, as, hub, owner, send, trace } = yield* world
      const agent = yield* makeAgent(hub, owner, {
        name: "Scout",
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0, monthly_cap_cents: 40 }]
      })
      const asked = yield* send(agent.key, { text: "hello" })
      const waiting = expectStatus(yield* trace(asked.id), 200).body
      assert.deepStrictEqual(
        waiting.steps.filter(({ state }: Step) => state === "open").map(({ step }: Step) => step),
        ["approval"]
      )
      assert.deepStrictEqual([waiting.postings, waiting.approval.status], [[], "pending"])
      expectStatus(yield* api("POST", `/approvals/${asked.approval_id}/approve`, as), 200)
      const { body } = expectStatus(yield* trace(asked.id), 200)
      assert.deepStrictEqual([
        body.request.status,
        body.agent,
        body.payload,
        body.threshold_cents,
        body.approval.status
      ], ["executed", { id: agent.id, name: "Scout" }, { text: "hello" }, 0, "approved"])
      assert.deepStrictEqual(body.steps.map(({ state }: Step) => state), [
        ...Array.from({ length: 13 }, () => "passed"),
        "decided"
      ])
      assert.strictEqual(body.steps.at(-1).at, body.request.completed_at)
      assert.deepStrictEqual(
        body.postings.map((
          { account, amount_cents, cause }: { account: { type: string }; amount_cents: number; cause: object }
        ) => [account.type, amount_cents, cause]),
        [
          ["org", -1, { type: "service_request", id: asked.id }],
          ["revenue", 1, { type: "service_request", id: asked.id }]
        ]
      )
      assert.deepStrictEqual(body.entries.map(({ action }: { action: string }) => action), [
        "service_request.approval_required",
        "approval.approved",
        "service_request.executed"
      ])
      assert.deepStrictEqual(body.limits.operation_month.spent_cents, 1)
      // Test keys transfer nothing.
      const { body: test } = yield* api("PATCH", `/agents/${agent.id}/key`, { ...as, body: { mode: "test" } })
      expectStatus(
        yield* api("POST", `/agents/${agent.id}/services`, { ...as, body: { service: "echo", operations: ["*"] } }),
        200
      )
      const tried = yield* send(test.api_key)
      assert.deepStrictEqual((yield* trace(tried.id)).body.postings, [])
    }))

  it.effect("names the standing approval that covered it, also after its end, to people with access to approvals", () =>
    Effect.gen(function*() {
      const { api, as, hub, owner, send, trace } = yield* world
      const agent = yield* makeAgent(hub, owner, {
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const [asked, later] = [yield* send(agent.key), yield* send(agent.key)]
      const remember = {
        max_cost_cents: 1,
        max_uses: 5,
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        apply_to_pending: true
      }
      const { standing_approval: { created_by, id } } =
        expectStatus(yield* api("POST", `/approvals/${asked.approval_id}/approve`, { ...as, body: { remember } }), 200)
          .body
      const passed = yield* send(agent.key)
      assert.isUndefined((yield* trace(asked.id)).body.standing_approval)
      assert.deepStrictEqual((yield* trace(passed.id)).body.standing_approval, { id, created_by, ended: false })
      assert.deepStrictEqual((yield* trace(later.id)).body.standing_approval, { id, created_by, ended: false })
      expectStatus(yield* api("DELETE", `/standing-approvals/${id}`, as), 204)
      assert.deepStrictEqual((yield* trace(passed.id)).body.standing_approval, { id, created_by, ended: true })
    }))

  it.effect("names the step that stopped it, and masks values that the schema calls secret", () =>
    Effect.gen(function*() {
      const { api, as, hub, owner, send, trace } = yield* world
      yield* makeService(hub, owner, {
        name: "vault",
        kind: "http",
        base_url: "https://vault.example",
        operations: [{
          name: "open",
          method: "POST",
          path: "/",
          price: { type: "fixed", cents: 9 },
          payload_schema: { type: "object", properties: { pin: { type: "string", writeOnly: true } } }
        }]
      })
      const agent = yield* makeAgent(hub, owner, {
        bindings: [{ service: "vault", operations: ["*"], monthly_cap_cents: 5 }]
      })
      const stopped = yield* send(agent.key, { pin: "not-for-members" }, "vault", "open")
      const answer = yield* trace(stopped.id)
      assert.notInclude(answer.text, "not-for-members")
      assert.deepStrictEqual([answer.body.request.block.limit_cents, answer.body.payload], [5, {
        pin: { $masked: true }
      }])
      assert.deepStrictEqual(
        answer.body.steps.filter(({ state }: Step) => state !== "passed").map(({ state, step }: Step) => [step, state]),
        [
          ["operation_month", "decided"],
          ["agent_month", "unreached"],
          ["wallet", "unreached"],
          ["approval", "unreached"],
          ["execution", "unreached"],
          ["settlement", "unreached"]
        ]
      )
      // A search digit by digit does not reveal it, either; the agent that sent it finds it.
      const found = (q: string, who: object) =>
        Effect.map(
          api("GET", `/service-requests?q=${q}`, who),
          ({ body }) => body.data.map(({ id }: { id: string }) => id)
        )
      assert.deepStrictEqual(yield* found("not-for", as), [])
      assert.deepStrictEqual(yield* found("vault", as), [stopped.id])
      assert.deepStrictEqual(yield* found("not-for", { key: agent.key }), [stopped.id])
      // Its name stays after the agent is deleted.
      expectStatus(yield* api("DELETE", `/agents/${agent.id}`, as), 204)
      assert.strictEqual((yield* trace(stopped.id)).body.agent.name, "Agent")
      // Secret values stay masked after their schema is deleted.
      expectStatus(yield* api("DELETE", "/services/vault", as), 204)
      assert.deepStrictEqual((yield* trace(stopped.id)).body.payload, { $masked: true })
    }))

  it.effect("shows ledger entries and log to people with access to them, and nothing of others' agents to a member", () =>
    Effect.gen(function*() {
      const { hub, owner, send, trace } = yield* world
      const agent = yield* makeAgent(hub, owner)
      const { id } = yield* send(agent.key)
      const parts = (
        { body }: { readonly body: { postings: ReadonlyArray<unknown>; entries: ReadonlyArray<unknown> } }
      ) => [body.postings.length, body.entries.length]
      assert.deepStrictEqual(parts(yield* trace(id)), [2, 1])
      assert.deepStrictEqual(parts(yield* trace(id, { pat: yield* makeToken(hub, owner, ["requests:read"]) })), [0, 0])
      assert.strictEqual((yield* trace(id, { pat: yield* makeToken(hub, owner, ["agents:read"]) })).status, 403)
      assert.strictEqual(
        (yield* trace(id, { cookie: (yield* makePerson(hub, owner.org, "member")).cookie })).status,
        404
      )
      assert.strictEqual(
        (yield* trace(id, { cookie: (yield* makePerson(hub, owner.org, "viewer")).cookie })).status,
        200
      )
    }))
})

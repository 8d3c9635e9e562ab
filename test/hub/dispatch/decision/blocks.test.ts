/** A blocked request explains itself: the cause, the reason, and the next step. Spec: reference/requests.md "Block". */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../../support/hub.ts"

layer(HubTest(), { excludeTestServices: true })("a blocked request", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner } = hub
    const as = { cookie: owner.cookie }
    yield* topUp(hub, owner, 1_000)
    const agent = yield* makeAgent(hub, owner, { bindings: [{ service: "echo", operations: ["*"] }] })
    const ask = (
      payload: object = { text: "a" },
      service = "echo",
      operation = "say",
      headers: Record<string, string> = {}
    ) => api("POST", "/service-requests", { key: agent.key, headers, body: { service, operation, payload } })
    const read = (id: string) =>
      Effect.map(api("GET", `/service-requests/${id}`, { key: agent.key }), ({ body }) => body)
    /** Adds a rule for this agent only; returns its id. */
    const rule = (name: string, when: string, more: object) =>
      Effect.map(
        api("POST", "/policies", { ...as, body: { name, when: `agent.id == "${agent.id}" && (${when})`, ...more } }),
        (answer) => String(expectStatus(answer, 201).body.id)
      )
    return { ...hub, agent, as, ask, read, rule }
  })

  it.effect("by a rule has the rule's reason and does not suggest waiting", () =>
    Effect.gen(function*() {
      const { ask, rule } = yield* world
      const policy = yield* rule("no echo", "true", { then: "block", reason: "Use search instead." })
      const { body } = yield* ask()
      assert.deepInclude(body, { status: "blocked", reason_code: "policy_violation" })
      assert.deepInclude(body.block, {
        limit: "policy",
        policy_id: policy,
        reason: "Use search instead.",
        next_action: { kind: "change_request", href: "/api/v1/service-requests" }
      })
      assert.isNotEmpty(body.block.message)
    }))

  it.effect("by a rule with an error names the rule and the error", () =>
    Effect.gen(function*() {
      const { ask, rule } = yield* world
      yield* rule("big ones", "payload.amount > 5", { then: "require_approval" })
      const { body } = yield* ask()
      assert.strictEqual(body.status, "blocked")
      assert.match(
        body.block.message,
        /"big ones" could not be evaluated.*: No such key: \w+\. A person can correct the rule\.$/u
      )
      assert.deepStrictEqual(body.block.next_action, { kind: "ask", href: "/api/v1/agent-requests" })
    }))

  it.effect("names similar operations that the agent may use for a misspelled name, and no others", () =>
    Effect.gen(function*() {
      const { agent, ask } = yield* world
      for (const [service, operation] of [["ehco", "say"], ["echo", "sya"], ["Echo", "Say"]] as const) {
        const { body } = yield* ask({ text: "a" }, service, operation)
        assert.deepInclude(body.block, {
          limit: "binding",
          unknown_operation: true,
          did_you_mean: ["echo.say"],
          next_action: { kind: "change_request", href: "/api/v1/service-requests" }
        })
      }
      const far = yield* ask({ text: "a" }, "llm", "chatt")
      assert.isTrue(far.body.block.unknown_operation)
      assert.notProperty(far.body.block, "did_you_mean")
      const unbound = yield* ask({ model: "m", messages: [{ role: "user", content: "a" }] }, "llm", "chat")
      assert.deepInclude(unbound.body.block, {
        limit: "binding",
        next_action: { kind: "binding", href: `/api/v1/agents/${agent.id}/services` }
      })
      assert.notProperty(unbound.body.block, "unknown_operation")
    }))

  it.effect("after rejection, expiry, and cancellation has a block, with the comment of the person who rejected it", () =>
    Effect.gen(function*() {
      const { api, as, ask, read, rule } = yield* world
      yield* rule("look", "true", { then: "require_approval" })
      const [rejected, cancelled] = [yield* ask(), yield* ask()]
      expectStatus(
        yield* api("POST", `/approvals/${rejected.body.approval_id}/reject`, {
          ...as,
          body: { comment: "Too expensive." }
        }),
        200
      )
      const after = yield* read(rejected.body.id)
      assert.deepInclude(after, { status: "blocked", reason_code: "approval_rejected" })
      assert.deepInclude(after.block, {
        limit: "approval",
        comment: "Too expensive.",
        message: "A person rejected the request.",
        next_action: { kind: "change_request", href: "/api/v1/service-requests" }
      })
      expectStatus(yield* api("POST", `/service-requests/${cancelled.body.id}/cancel`, as), 200)
      assert.deepInclude((yield* read(cancelled.body.id)).block, { limit: "approval", next_action: { kind: "none" } })
    }))

  it.effect("by a limit has a message, and suggests waiting only for a limit that resets", () =>
    Effect.gen(function*() {
      const { api, as, ask, agent } = yield* world
      expectStatus(
        yield* api("POST", `/agents/${agent.id}/services`, {
          ...as,
          body: { service: "echo", operations: ["*"], daily_request_limit: 1 }
        }),
        200
      )
      assert.strictEqual((yield* ask()).body.status, "executed")
      const { body } = yield* ask()
      assert.deepInclude(body.block, {
        limit: "operation_day_count",
        next_action: { kind: "wait", href: "/api/v1/service-requests" }
      })
      assert.isString(body.block.resets_at)
      assert.match(body.block.message, /daily limit of 1 requests/u)
    }))
})

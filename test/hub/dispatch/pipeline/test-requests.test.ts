/** `POST /agents/:id/test-requests`: a person tries an agent in test mode. Spec: reference/requests.md "Test mode". */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectStatus, HubTest, makeAgent, makeService, makeToken, TestHub, topUp } from "../../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../../support/people.ts"

const say = { service: "echo", operation: "say", payload: { text: "hi" } }
const pathOf = (agent: { readonly id: string }) => `/agents/${agent.id}/test-requests`

layer(HubTest(), { excludeTestServices: true })("test requests that people send as an agent", (it) => {
  it.effect("execute in test mode with the person in the audit log, without effect on money and keys", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      yield* topUp(hub, hub.owner, 500)
      const agent = yield* makeAgent(hub, hub.owner)
      const before = (yield* hub.api("GET", "/balance", { cookie })).body
      const { key_hint, mode_keys } = (yield* hub.api("GET", `/agents/${agent.id}`, { cookie })).body
      const sent = expectStatus(yield* hub.api("POST", pathOf(agent), { cookie, body: say }), 200).body
      assert.deepInclude(sent, {
        status: "executed",
        mode: "test",
        agent_id: agent.id,
        cost_cents: 0,
        origin: { user_id: hub.owner.user }
      })
      assert.isAbove(sent.ceiling_cents, 0)
      assert.deepStrictEqual((yield* hub.api("GET", "/balance", { cookie })).body, before)
      const now = (yield* hub.api("GET", `/agents/${agent.id}`, { cookie })).body
      assert.deepStrictEqual([now.key_hint, now.mode_keys, now.spent_this_month_cents], [key_hint, mode_keys, 0])
      const { body: { data: entries } } = yield* hub.api("GET", `/audit-logs?subject_id=${sent.id}`, { cookie })
      assert.isNotEmpty(entries)
      for (const { action, actor, agent_id } of entries) {
        assert.deepStrictEqual([actor.type, actor.id, agent_id], ["user", hub.owner.user, agent.id], action)
      }
      assert.strictEqual((yield* hub.api("GET", `/service-requests/${sent.id}`, { cookie })).body.mode, "test")
    }))

  it.effect("play the chosen outcome", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      const agent = yield* makeAgent(hub, hub.owner)
      const played = (outcome: string) => hub.api("POST", pathOf(agent), { cookie, body: { ...say, outcome } })
      for (
        const [outcome, code, status] of [["failure", 200, "failed"], ["running", 202, "running"], [
          "blocked",
          200,
          "blocked"
        ], ["approval", 200, "approval_required"]] as const
      ) {
        const { body } = expectStatus(yield* played(outcome), code)
        assert.deepStrictEqual([body.status, body.mode, body.cost_cents], [status, "test", 0], outcome)
      }
      const unknown = expectStatus(yield* played("executed"), 400)
      assert.strictEqual(unknown.body.error.details[0].path, "outcome")
    }))

  it.effect("follow the agent's bindings, limits, threshold, freeze, and status", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      yield* topUp(hub, hub.owner, 500)
      const sent = (agent: { readonly id: string }, body: unknown = say) =>
        Effect.map(hub.api("POST", pathOf(agent), { cookie, body }), (answer) => expectStatus(answer, 200).body)
      const unbound = yield* sent(yield* makeAgent(hub, hub.owner, { bindings: [] }))
      assert.deepStrictEqual([unbound.status, unbound.mode], ["blocked", "test"])
      assert.isString(unbound.block.limit)

      const limited = yield* makeAgent(hub, hub.owner, {
        bindings: [{ service: "echo", operations: ["*"], daily_request_limit: 1 }]
      })
      assert.deepStrictEqual([(yield* sent(limited)).status, (yield* sent(limited)).status], ["executed", "blocked"])
      // Test requests have their own counters.
      assert.strictEqual(
        (yield* hub.api("POST", "/service-requests", { key: limited.key, body: say })).body.status,
        "executed"
      )

      const asking = yield* makeAgent(hub, hub.owner, {
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const waiting = yield* sent(asking)
      assert.strictEqual(waiting.status, "approval_required")
      const approval = (yield* hub.api("GET", `/approvals/${waiting.approval_id}`, { cookie })).body
      assert.deepStrictEqual([approval.status, approval.mode], ["pending", "test"])
      expectStatus(yield* hub.api("POST", `/approvals/${waiting.approval_id}/approve`, { cookie, body: {} }), 200)
      const done = (yield* hub.api("GET", `/service-requests/${waiting.id}?wait=30`, { cookie })).body
      assert.deepStrictEqual([done.status, done.cost_cents], ["executed", 0])

      const stopped = yield* makeAgent(hub, hub.owner)
      expectStatus(yield* hub.api("PATCH", `/agents/${stopped.id}`, { cookie, body: { frozen: true } }), 200)
      assert.strictEqual((yield* sent(stopped)).status, "blocked")
      expectStatus(
        yield* hub.api("PATCH", `/agents/${stopped.id}`, { cookie, body: { frozen: false, status: "disabled" } }),
        200
      )
      const disabled = yield* sent(stopped)
      assert.deepStrictEqual([disabled.status, disabled.result.code], ["failed", "agent_disabled"])
      expectStatus(yield* hub.api("DELETE", `/agents/${stopped.id}`, { cookie }), 204)
      assert.strictEqual((yield* hub.api("POST", pathOf(stopped), { cookie, body: say })).status, 404)
    }))

  it.effect("are refused with the invalid paths of the payload", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      yield* makeService(hub, hub.owner, {
        name: "typed",
        kind: "http",
        base_url: "https://typed.example",
        operations: [{
          name: "send",
          method: "POST",
          path: "/send",
          price: { type: "fixed", cents: 3 },
          payload_schema: {
            type: "object",
            required: ["to"],
            properties: { to: { type: "string" }, count: { type: "integer" } }
          }
        }]
      })
      const agent = yield* makeAgent(hub, hub.owner, { bindings: [{ service: "typed", operations: ["*"] }] })
      const send = (payload: unknown) =>
        hub.api("POST", pathOf(agent), { cookie, body: { service: "typed", operation: "send", payload } })
      const refused = expectStatus(yield* send({ to: "a", count: "many" }), 400)
      assert.deepStrictEqual(refused.body.error.details.map(({ path }: { path: string }) => path), ["payload.count"])
      assert.strictEqual(expectStatus(yield* send(3), 400).body.error.details[0].path, "payload")
      assert.deepInclude(expectStatus(yield* send({ to: "a" }), 200).body, {
        status: "executed",
        cost_cents: 0,
        ceiling_cents: 3
      })
    }))

  it.effect("are sent once for one idempotency key", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const agent = yield* makeAgent(hub, hub.owner)
      const send = (payload: object) =>
        hub.api("POST", pathOf(agent), {
          cookie: hub.owner.cookie,
          body: { ...say, payload },
          headers: { "idempotency-key": "once" }
        })
      const [first, again] = [
        expectStatus(yield* send({ text: "a" }), 200),
        expectStatus(yield* send({ text: "a" }), 200)
      ]
      assert.deepStrictEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"])
      assert.strictEqual((yield* send({ text: "b" })).status, 409)
    }))

  it.effect("need agents:write; members test only their own agents, and other workspaces' agents are not found", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const agent = yield* makeAgent(hub, hub.owner)
      for (const [role, status] of [["admin", 200], ["operator", 403], ["viewer", 403], ["member", 404]] as const) {
        const { cookie } = yield* makeSignedIn(hub, hub.owner.org, role)
        assert.strictEqual((yield* hub.api("POST", pathOf(agent), { cookie, body: say })).status, status, role)
      }
      const member = yield* makeSignedIn(hub, hub.owner.org, "member")
      const own = yield* makeAgent(hub, member)
      const sent = expectStatus(yield* hub.api("POST", pathOf(own), { cookie: member.cookie, body: say }), 200)
      assert.deepStrictEqual(sent.body.origin, { user_id: member.id })
      const pat = yield* makeToken(hub, hub.owner, ["agents:write"])
      assert.strictEqual((yield* hub.api("POST", pathOf(agent), { pat, body: say })).status, 200)
      const narrow = yield* makeToken(hub, hub.owner, ["agents:read"])
      assert.strictEqual((yield* hub.api("POST", pathOf(agent), { pat: narrow, body: say })).status, 403)
      assert.strictEqual((yield* hub.api("POST", pathOf(agent), { key: agent.key, body: say })).status, 401)
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
      assert.strictEqual((yield* hub.api("POST", pathOf(agent), { cookie: stranger.cookie, body: say })).status, 404)
    }))
})

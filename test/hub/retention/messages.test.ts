/**
 * Agent requests, budget requests, invites, conversations, and texts of delegated tasks: removed `retention_days` after
 * their end or last change, with an audit entry.
 */
import { Retention } from "@countersign/hub/retention/service"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectHealthy } from "../../support/health.ts"
import { expectStatus, HubTest, makeAgent, TestHub } from "../../support/hub.ts"

const dayMillis = 86_400_000

layer(HubTest(), { excludeTestServices: true })("agent requests and conversations", (it) => {
  it.effect("are kept without retention_days, and deleted after it unless they are open or in use", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner, run } = hub
      const as = { cookie: owner.cookie }
      const agent = yield* makeAgent(hub, owner, { bindings: [] })
      const ask = Effect.map(
        api("POST", "/agent-requests", { key: agent.key, body: { kind: "question", title: "Which?" } }),
        (answer): string => expectStatus(answer, 201).body.id
      )
      const ended = yield* ask
      const open = yield* ask
      expectStatus(yield* api("PATCH", `/agent-requests/${ended}`, { ...as, body: { status: "dismissed" } }), 200)
      const path = `/agents/${agent.id}/conversations`
      const talk = expectStatus(yield* api("POST", path, { ...as, body: {} }), 201).body.id
      expectStatus(
        yield* api("POST", `${path}/${talk}/messages`, { ...as, body: { role: "user", content: "Hello" } }),
        201
      )
      const round = (days: number) =>
        run(Effect.flatMap(Retention, (retention) => retention.messageRound(Date.now() + days * dayMillis)))
      assert.strictEqual(yield* round(1_000), 0)
      expectStatus(yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { retention_days: 30 } }), 200)
      assert.strictEqual(yield* round(29), 0)
      assert.strictEqual(yield* round(31), 2)
      assert.strictEqual(yield* round(31), 0)
      const statusOf = (address: string) => Effect.map(api("GET", address, as), ({ status }) => status)
      assert.deepStrictEqual([
        yield* statusOf(`/agent-requests/${ended}`),
        yield* statusOf(`/agent-requests/${open}`),
        yield* statusOf(`${path}/${talk}`)
      ], [404, 200, 404])
      const trail = yield* api("GET", "/audit-logs?action=workspace.messages_removed", as)
      assert.deepStrictEqual(
        trail.body.data.map((
          { data }: { data: Record<string, unknown> }
        ) => [data["agent_requests"], data["conversations"]]),
        [[1, 1]]
      )
    }))

  it.effect("ended tasks lose their texts, and decided budget requests and ended invites are deleted; money stays", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner, run } = hub
      const as = { cookie: owner.cookie }
      expectStatus(yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { retention_days: 30 } }), 200)
      const parent = yield* makeAgent(hub, owner, { monthly_budget_cents: 100 })
      const made = (path: string, call: Parameters<typeof api>[2]) =>
        Effect.map(api("POST", path, call), (answer) => expectStatus(answer, 201).body)
      const child = yield* made("/agents/spawn", {
        key: parent.key,
        body: { name: "Child", services: [{ service: "echo", operations: ["*"] }], monthly_budget_cents: 10 }
      })
      const delegate = made(`/agents/${parent.id}/delegated-tasks`, {
        key: parent.key,
        body: { to_agent_id: child.id, goal: "Find Ada", input: { city: "Bern" }, budget_cents: 5, services: ["echo"] }
      })
      const set = (id: string, body: object) =>
        Effect.map(
          api("PATCH", `/agents/${child.id}/delegated-tasks/${id}`, { key: child.api_key, body }),
          (answer) => expectStatus(answer, 200)
        )
      const [done, failed, open] = [yield* delegate, yield* delegate, yield* delegate]
      yield* set(done.id, { status: "completed", result: { found: "Ada" } })
      yield* set(failed.id, { status: "failed", error: { code: "not_found", message: "Ada is not in Bern" } })
      const ask = made("/budget-requests", {
        key: parent.key,
        body: { amount_cents: 50, period: "month", reason: "more" }
      })
      const decided = yield* ask
      expectStatus(yield* api("PATCH", `/budget-requests/${decided.id}`, { ...as, body: { status: "approved" } }), 200)
      const pending = yield* ask
      const invite = (email: string) => made(`/orgs/${owner.org}/invites`, { ...as, body: { email, role: "member" } })
      const revoked = yield* invite("bob@countersign.test")
      expectStatus(yield* api("DELETE", `/orgs/${owner.org}/invites/${revoked.id}`, as), 204)
      const cap = Effect.map(api("GET", `/agents/${parent.id}/budget`, as), ({ body }) => body)
      const before = yield* cap
      const round = (days: number) =>
        run(Effect.flatMap(Retention, (retention) => retention.messageRound(Date.now() + days * dayMillis)))
      assert.strictEqual(yield* round(29), 0)
      assert.strictEqual(yield* round(31), 4)
      assert.strictEqual(yield* round(31), 0)
      const task = (id: string) =>
        Effect.map(api("GET", `/delegated-tasks/${id}`, as), (answer) => expectStatus(answer, 200).body)
      const note = "Removed: this workspace kept it for 30 days."
      const removed = { $removed: true }
      assert.deepInclude(yield* task(done.id), { goal: note, input: removed, result: removed, budget_cents: 5 })
      assert.deepInclude(yield* task(failed.id), { goal: note, error: { code: "not_found", message: note } })
      assert.deepInclude(yield* task(open.id), { goal: "Find Ada", input: { city: "Bern" }, status: "accepted" })
      assert.deepStrictEqual(
        yield* Effect.forEach(
          [decided.id, pending.id],
          (id) => Effect.map(api("GET", `/budget-requests/${id}`, as), ({ status }) => status)
        ),
        [404, 200]
      )
      assert.deepStrictEqual((yield* api("GET", `/orgs/${owner.org}/invites`, as)).body.data, [])
      assert.deepStrictEqual(yield* cap, before)
      assert.strictEqual(before.monthly_budget_cents, 150)
      yield* expectHealthy(hub.target)
    }))
})

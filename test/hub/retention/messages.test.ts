/** Agent requests and conversations: deleted `retention_days` after their end or last change, with an audit entry. */
import { Retention } from "@countersign/hub/retention/service"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
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
})

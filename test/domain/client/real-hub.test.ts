/** The client against a real hub: checks that both implement the same contract, which the scripted hub cannot show. */
import { AccessError, ConflictError, connect, makeClient } from "@countersign/domain/client"
import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { HubTest, makeAgent, makeToken, TestHub, topUp } from "../../support/hub.ts"

const say = { service: "echo", operation: "say", payload: { n: 1, deep: [{ ok: null }] } }
const scopes = [
  "agents:read",
  "agents:write",
  "requests:read",
  "approvals:read",
  "approvals:decide",
  "budgets:read",
  "budgets:write",
  "usage:read",
  "audit:read"
]
const rejection = (promise: Promise<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() => promise.then(() => assert.fail("it resolved"), (error: unknown) => error))

layer(HubTest(), { excludeTestServices: true })("the client and a hub", (it) => {
  const people = Effect.gen(function*() {
    const hub = yield* TestHub
    yield* topUp(hub, hub.owner, 1_000)
    const credential = yield* makeToken(hub, hub.owner, scopes)
    return { hub, owner: yield* makeClient({ baseUrl: hub.url, credential }), credential }
  })

  it.effect("returns executed, blocked and failed as values", () =>
    Effect.gen(function*() {
      const { hub } = yield* people
      const agent = yield* makeAgent(hub, hub.owner)
      const client = yield* makeClient({ baseUrl: hub.url, credential: agent.key })
      const done = yield* client.dispatch(say)
      assert(done.status === "executed")
      assert.deepStrictEqual([done.result, done.cost_cents, done.agent_id], [
        { echo: say.payload },
        1,
        agent.id as typeof done.agent_id
      ])
      const unbound = yield* makeAgent(hub, hub.owner, { bindings: [] })
      const blocked = yield* Effect.flatMap(makeClient({ baseUrl: hub.url, credential: unbound.key }), (client) =>
        client.dispatch(say))
      assert(blocked.status === "blocked")
      assert.deepStrictEqual([blocked.reason_code, blocked.block?.limit], ["policy_violation", "binding"])
      const test = yield* makeAgent(hub, hub.owner, { mode: "test" })
      const scripted = yield* makeClient({ baseUrl: hub.url, credential: test.key })
      const refused = yield* scripted.dispatch(say, { testOutcome: "blocked" })
      assert(refused.status === "blocked")
      assert.strictEqual(refused.reason_code, "policy_violation")
      const failed = yield* scripted.dispatch(say, { testOutcome: "failure" })
      assert(failed.status === "failed")
      assert.strictEqual(failed.code, "adapter_error")
      assert.strictEqual((yield* client.estimate(say)).ceiling_cents, 1)
    }))

  it.effect("polls until a person approves, and returns executed", () =>
    Effect.gen(function*() {
      const { hub, owner } = yield* people
      const agent = yield* makeAgent(hub, hub.owner, {
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const client = yield* makeClient({ baseUrl: hub.url, credential: agent.key })
      const asked = yield* client.dispatch(say, { wait: true })
      assert(asked.status === "approval_required")
      const pending = yield* owner.approvals.list({ query: { agent_id: asked.agent_id } })
      assert.deepStrictEqual<ReadonlyArray<string>>(pending.data.map(({ id }) => id), [asked.approval_id])
      const id = pending.data[0]!.id
      const verdict = yield* owner.approvals.approve({ params: { id }, payload: { comment: "fine" } })
      assert.strictEqual(verdict.approval.status, "approved")
      assert.strictEqual((yield* client.poll(asked.id, { untilDecided: true })).status, "executed")
      const late = yield* Effect.flip(owner.approvals.reject({ params: { id } }))
      assert.deepStrictEqual([late._tag, late.code], ["ConflictError", "approval_not_pending"])
      assert.strictEqual(late.data?.["status"], "approved")
    }))

  it.effect("polls a running request until a person settles it", () =>
    Effect.gen(function*() {
      const { hub, owner } = yield* people
      const agent = yield* makeAgent(hub, hub.owner, { mode: "test" })
      const client = yield* makeClient({ baseUrl: hub.url, credential: agent.key })
      const begun = yield* client.dispatch(say, { testOutcome: "running" })
      assert(begun.status === "running")
      yield* owner.service_requests.settle({
        params: { id: begun.id },
        payload: { status: "executed", result: { ok: true }, comment: "seen" }
      })
      const settled = yield* client.poll(begun.id)
      assert(settled.status === "executed")
      assert.deepStrictEqual(settled.result, { ok: true })
    }))

  it.effect("runs one action per key; refuses another payload under the key, and a wrong credential", () =>
    Effect.gen(function*() {
      const { hub } = yield* people
      const agent = yield* makeAgent(hub, hub.owner)
      const client = connect({ baseUrl: hub.url, credential: agent.key })
      const once = () => client.dispatch(say, { idempotencyKey: "k" })
      const [first, again] = yield* Effect.promise(() => Promise.all([once(), once()]))
      assert.strictEqual(first.id, again.id)
      const error = yield* rejection(client.dispatch({ ...say, payload: {} }, { idempotencyKey: "k" }))
      assert(error instanceof ConflictError)
      assert.strictEqual(error.code, "idempotency_conflict")
      assert.isString(error.request_id)
      const stranger = connect({ baseUrl: hub.url, credential: "agent_key_live_nobody" })
      const refused = yield* rejection(stranger.dispatch(say))
      assert(refused instanceof AccessError)
      assert.strictEqual(refused.status, 401)
    }))

  it.effect("reads lists, creates, reports and exports as the contract types them", () =>
    Effect.gen(function*() {
      const { owner } = yield* people
      const made = yield* owner.agents.create({ payload: { name: "Made by the client" } })
      assert.match(made.api_key, /^agent_key_live_/)
      const listed = yield* owner.agents.list({ query: { limit: 200 } })
      assert.include(listed.data.map(({ id }) => id), made.id)
      assert.isAtLeast((yield* owner.ledger.balance()).balance_cents, 0)
      const report = yield* owner.usage.report()
      assert(typeof report === "object")
      assert.isArray(report.data)
      const csv = yield* owner.usage.report({ query: { format: "csv" } })
      assert.isString(csv)
      assert.isTrue((yield* owner.audit.verify()).ok)
      const log = yield* owner.audit.export.open({ query: { format: "jsonl" } })
      const first = yield* log.stream.pipe(Stream.decodeText, Stream.splitLines, Stream.take(1), Stream.mkString)
      assert.strictEqual((JSON.parse(first) as { seq: number }).seq, 1)
      const health = yield* owner.discovery.health()
      assert.strictEqual(health.status, "ok")
    }))

  it.effect("follows events from a list's position", () =>
    Effect.gen(function*() {
      const { owner } = yield* people
      const { as_of } = yield* owner.agents.list()
      const made = yield* owner.agents.create({ payload: { name: "Streamed" } })
      const response = yield* owner.events.stream.open({ query: { cursor: as_of } })
      const lines = Stream.splitLines(Stream.decodeText(response.stream))
      const received = yield* lines.pipe(
        Stream.filter((line) => line.includes(made.id)),
        Stream.take(1),
        Stream.mkString
      )
      assert.include(received, "data:")
    }))
})

import { AccessError, type ClientOptions, ConflictError, connect, type Outcome } from "@countersign/domain/client"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  emptyPage,
  executed,
  json,
  refusal,
  requestId,
  reset,
  running,
  type Scripted,
  scriptedHub,
  serviceRequest,
  silence
} from "./scripted-hub.ts"

const say = { service: "echo", operation: "say", payload: { n: 1 } }
const connectionTo = Effect.fnUntraced(
  function*(script: ReadonlyArray<Scripted>, options: Partial<ClientOptions> = {}) {
    const hub = yield* scriptedHub(...script)
    return { hub, client: connect({ baseUrl: hub.baseUrl, credential: "agent_key_test_abc", retries: 0, ...options }) }
  }
)
const rejection = (promise: Promise<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() => promise.then(() => assert.fail("it resolved"), (error: unknown) => error))

describe("without Effect", () => {
  it.live("dispatch resolves with the outcome", () =>
    Effect.gen(function*() {
      const { client, hub } = yield* connectionTo([executed])
      const outcome: Outcome = yield* Effect.promise(() =>
        client.dispatch(say, { testOutcome: "approval", idempotencyKey: "k" })
      )
      assert(outcome.status === "executed")
      assert.deepStrictEqual(outcome.result, { echo: { n: 1 } })
      const { headers, body } = hub.asked[0]!
      assert.deepStrictEqual([headers["x-test-outcome"], headers["idempotency-key"], body], [
        "approval",
        "k",
        JSON.stringify(say)
      ])
    }))

  it.live("gives each dispatch its own key", () =>
    Effect.gen(function*() {
      const { client, hub } = yield* connectionTo([executed])
      yield* Effect.promise(() => Promise.all([client.dispatch(say), client.dispatch(say), client.dispatch(say)]))
      assert.strictEqual(new Set(hub.asked.map(({ headers }) => headers["idempotency-key"])).size, 3)
    }))

  it.live("offers poll, estimate and every group", () =>
    Effect.gen(function*() {
      const estimate = {
        status: "executed",
        mode: "live",
        service: "echo",
        operation: "say",
        cost_cents: 1,
        ceiling_cents: 1
      }
      const { client, hub } = yield* connectionTo([executed, json(200, estimate), emptyPage, emptyPage])
      assert.strictEqual((yield* Effect.promise(() => client.poll(requestId))).status, "executed")
      assert.strictEqual((yield* Effect.promise(() => client.estimate(say))).ceiling_cents, 1)
      assert.deepStrictEqual(
        (yield* Effect.promise(() => client.approvals.list({ query: { status: "approved" } }))).data,
        []
      )
      assert.deepStrictEqual((yield* Effect.promise(() => client.standing_approvals.list())).data, [])
      assert.deepStrictEqual(hub.asked.map(({ method, path }) => `${method} ${path}`), [
        `GET /api/v1/service-requests/${requestId}`,
        "POST /api/v1/service-requests/estimate",
        "GET /api/v1/approvals?status=approved",
        "GET /api/v1/standing-approvals"
      ])
    }))

  it("requires the arguments of an endpoint in the contract's types", () => {
    const client = connect({ baseUrl: "http://hub.test" })
    const wrong = [
      // @ts-expect-error: the approval id is required
      () => client.approvals.get(),
      // @ts-expect-error: an agent id is not an approval id
      () => client.approvals.get({ params: { id: "agt_01j00000000000000000000000" } }),
      // @ts-expect-error: not a status
      () => client.approvals.list({ query: { status: "lost" } }),
      // @ts-expect-error: a payload is an object
      () => client.dispatch({ service: "echo", operation: "say", payload: 7 })
    ]
    assert.lengthOf(wrong, 4)
  })

  it.live("resolves with blocked, and rejects 401 and 409 with their own classes", () =>
    Effect.gen(function*() {
      const blocked = json(200, serviceRequest({ status: "blocked", reason_code: "policy_violation" }))
      const { client } = yield* connectionTo([
        blocked,
        refusal(401, "unauthorized"),
        refusal(409, "idempotency_conflict")
      ])
      assert.strictEqual((yield* Effect.promise(() => client.dispatch(say))).status, "blocked")
      assert.instanceOf(yield* rejection(client.dispatch(say)), AccessError)
      const conflict = yield* rejection(client.dispatch(say))
      assert.instanceOf(conflict, ConflictError)
      assert.strictEqual(conflict.code, "idempotency_conflict")
    }))

  it.live("resolves open with the environment's own Response", () =>
    Effect.gen(function*() {
      const { client } = yield* connectionTo([
        (response) => void response.writeHead(200, { "content-type": "text/csv" }).end("a\r\n")
      ])
      const response = yield* Effect.promise(() => client.audit.export.open({ query: { format: "csv" } }))
      assert.instanceOf(response, Response)
      assert.strictEqual(yield* Effect.promise(() => response.text()), "a\r\n")
    }))
})

describe("a signal", () => {
  const reason = new Error("enough")

  it.live("sends nothing if it is already aborted", () =>
    Effect.gen(function*() {
      const { client, hub } = yield* connectionTo([executed])
      assert.strictEqual(yield* rejection(client.dispatch(say, { signal: AbortSignal.abort(reason) })), reason)
      assert.isEmpty(hub.asked)
    }))

  it.live("ends a call with a pending answer, and its connection", () =>
    Effect.gen(function*() {
      const abort = new AbortController()
      let closed: () => void = () => {}
      const hangUp = new Promise<void>((resolve) => {
        closed = resolve
      })
      const { client, hub } = yield* connectionTo([(response) => void response.on("close", () => closed())])
      const call = rejection(client.dispatch(say, { signal: abort.signal }))
      yield* Effect.promise(() => hub.arrived(1))
      abort.abort(reason)
      assert.strictEqual(yield* call, reason)
      yield* Effect.promise(() => hangUp)
    }))

  it.live("ends a call between two tries: no further try follows", () =>
    Effect.gen(function*() {
      const abort = new AbortController()
      const { client, hub } = yield* connectionTo(
        [refusal(429, "rate_limited", {}, { "retry-after": "60" }), executed],
        {
          retries: 2,
          fetch: async (input, init) => {
            const response = await fetch(input, init)
            // After the answer was read, while the client pauses before the next try.
            setImmediate(() => setImmediate(() => abort.abort(reason)))
            return response
          }
        }
      )
      assert.strictEqual(yield* rejection(client.dispatch(say, { signal: abort.signal })), reason)
      assert.lengthOf(hub.asked, 1)
    }))

  it.live("ends a polling", () =>
    Effect.gen(function*() {
      const abort = new AbortController()
      const { client, hub } = yield* connectionTo([running, silence])
      const call = rejection(client.dispatch(say, { wait: true, signal: abort.signal }))
      yield* Effect.promise(() => hub.arrived(1))
      abort.abort(reason)
      assert.strictEqual(yield* call, reason)
      assert.lengthOf(hub.asked, 1)
    }))

  it.live("ends a body that `open` returned", () =>
    Effect.gen(function*() {
      const abort = new AbortController()
      const { client } = yield* connectionTo([(response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\n\n")
      }])
      const response = yield* Effect.promise(() => client.events.stream.open({}, { signal: abort.signal }))
      const text = rejection(response.text())
      abort.abort(reason)
      assert.strictEqual(yield* text, reason)
    }))

  it.live("leaves an error unchanged if it is not aborted", () =>
    Effect.gen(function*() {
      const { client } = yield* connectionTo([reset])
      const error = yield* rejection(client.agents.list({}, { signal: new AbortController().signal }))
      assert.propertyVal(error, "code", "network_error")
    }))
})

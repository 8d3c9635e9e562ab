import { pollDelayMillis } from "@countersign/domain/client-polling"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { recordingTime } from "./recorded-time.ts"
import {
  clientOf,
  executed,
  json,
  refusal,
  requestId,
  running,
  type Scripted,
  serviceRequest,
  stillRunning
} from "./scripted-hub.ts"

const say = { service: "echo", operation: "say", payload: {} }
const blocked = json(200, serviceRequest({ status: "blocked", reason_code: "approval_stale" }))
const failed = json(200, serviceRequest({ status: "failed", result: { code: "adapter_error", detail: "no" } }))
const waiting = json(
  200,
  serviceRequest({ status: "approval_required", approval_id: "apr_01j00000000000000000000000" })
)
const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((a, b) => a + b, 0)

describe("polling a running request", () => {
  it("waits 2 s first, 1.5 times as long each time, 10 s at most", () => {
    assert.deepStrictEqual([0, 1, 2, 3, 4, 5, 100].map(pollDelayMillis), [
      2000,
      3000,
      4500,
      6750,
      10_000,
      10_000,
      10_000
    ])
  })

  it.live.each([["executed", executed], ["blocked", blocked], ["failed", failed]] as const)(
    "ends with %s",
    ([status, last]) =>
      recordingTime(({ pauses }) =>
        Effect.gen(function*() {
          const { client, hub } = yield* clientOf([
            running,
            stillRunning,
            stillRunning,
            stillRunning,
            stillRunning,
            stillRunning,
            last
          ])
          const outcome = yield* client.dispatch(say, { wait: true })
          assert.strictEqual(outcome.status, status)
          assert.deepStrictEqual(pauses, [2000, 3000, 4500, 6750, 10_000, 10_000])
          assert.deepStrictEqual(hub.asked.map(({ method, path }) => `${method} ${path}`), [
            "POST /api/v1/service-requests",
            ...pauses.map(() => `GET /api/v1/service-requests/${requestId}`)
          ])
        })
      )
  )

  it.live("ends after five minutes in all, with the outcome `running`", () =>
    recordingTime(({ pauses }) =>
      Effect.gen(function*() {
        const { client, hub } = yield* clientOf([running, stillRunning])
        const outcome = yield* client.dispatch(say, { wait: true })
        assert.strictEqual(outcome.status, "running")
        assert.strictEqual(sum(pauses), 300_000)
        assert.lengthOf(hub.asked, 1 + pauses.length)
      })
    ))

  it.live("uses another total time if given", () =>
    recordingTime(({ pauses }) =>
      Effect.gen(function*() {
        const { client } = yield* clientOf([stillRunning], { pollBudgetMillis: 6000 })
        assert.strictEqual((yield* client.poll(requestId)).status, "running")
        assert.deepStrictEqual(pauses, [2000, 3000, 1000])
        assert.strictEqual((yield* client.poll(requestId, { budgetMillis: 2500 })).status, "running")
        assert.deepStrictEqual(pauses.slice(3), [2000, 500])
      })
    ))

  it.live("happens only on request", () =>
    recordingTime(({ pauses }) =>
      Effect.gen(function*() {
        const { client, hub } = yield* clientOf([running])
        assert.strictEqual((yield* client.dispatch(say)).status, "running")
        assert.lengthOf(hub.asked, 1)
        assert.isEmpty(pauses)
      })
    ))

  it.live("retries a transient error, and raises any other", () =>
    recordingTime(() =>
      Effect.gen(function*() {
        const { client } = yield* clientOf([running, refusal(503, "unavailable"), stillRunning, executed])
        assert.strictEqual((yield* client.dispatch(say, { wait: true })).status, "executed")
        const other = yield* clientOf([running, refusal(404, "not_found")])
        assert.strictEqual((yield* Effect.flip(other.client.dispatch(say, { wait: true }))).status, 404)
      })
    ))
})

describe("poll by id", () => {
  it.live("checks at once", () =>
    recordingTime(({ pauses }) =>
      Effect.gen(function*() {
        const { client } = yield* clientOf([executed])
        assert.strictEqual((yield* client.poll(requestId)).status, "executed")
        assert.isEmpty(pauses)
      })
    ))

  it.live("returns a pending approval, unless it should also wait for the decision", () =>
    recordingTime(({ pauses }) =>
      Effect.gen(function*() {
        const { client } = yield* clientOf([waiting, waiting, waiting, executed])
        assert.strictEqual((yield* client.poll(requestId)).status, "approval_required")
        assert.isEmpty(pauses)
        assert.strictEqual((yield* client.poll(requestId, { untilDecided: true })).status, "executed")
        assert.deepStrictEqual(pauses, [2000, 3000])
      })
    ))

  it.live.each(["", "req_", "agt_01j00000000000000000000000", "../health"])(
    "of %j is refused before anything is sent",
    (id) =>
      Effect.gen(function*() {
        const { client, hub } = yield* clientOf([executed])
        const error = yield* Effect.flip(client.poll(id))
        assert.strictEqual(error._tag, "InputError")
        assert.deepStrictEqual(error.details?.map(({ path }) => path), ["id"])
        assert.isEmpty(hub.asked)
      })
  )

  it.live("raises for a request with an unknown status instead of polling without end", () =>
    recordingTime(() =>
      Effect.gen(function*() {
        const odd: Scripted = json(200, serviceRequest({ status: "parked" }))
        const { client, hub } = yield* clientOf([odd])
        assert.strictEqual((yield* Effect.flip(client.poll(requestId))).code, "unexpected_answer")
        assert.lengthOf(hub.asked, 1)
      })
    ))
})

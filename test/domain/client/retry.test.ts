import { backoffMillis, mayRepeat, parseRetryAfter } from "@countersign/domain/retry-rules"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { recordingTime } from "./recorded-time.ts"
import { clientOf, cut, emptyPage, executed, refusal, reset, type Scripted, silence, text } from "./scripted-hub.ts"

const say = { service: "echo", operation: "say", payload: { n: 1 } }
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("a retry", () => {
  const passing: ReadonlyArray<readonly [string, Scripted]> = [
    ["a connection that is reset", reset],
    ["a connection that is reset in the middle of the answer", cut],
    ["429", refusal(429, "rate_limited")],
    ["502, with a gateway's HTML", text(502, "<h1>Bad Gateway</h1>")],
    ["503", refusal(503, "unavailable")],
    ["504, without a body", text(504, "")]
  ]

  it.live.each(passing)(
    "happens for %s, twice by default: the third answer counts",
    ([, trouble]) =>
      recordingTime(({ pauses }) =>
        Effect.gen(function*() {
          const { client, hub } = yield* clientOf([trouble, trouble, emptyPage])
          const page = yield* client.service_requests.list()
          assert.deepStrictEqual(page.data, [])
          assert.lengthOf(hub.asked, 3)
          assert.lengthOf(pauses, 2)
        })
      )
  )

  it.live.each(passing)(
    "happens for %s, whose last error is raised",
    ([, trouble]) =>
      recordingTime(() =>
        Effect.gen(function*() {
          const { client, hub } = yield* clientOf([trouble])
          const error = yield* Effect.flip(client.service_requests.list())
          assert.include(["NetworkError", "RateLimitError", "StatusError"], error._tag)
          assert.lengthOf(hub.asked, 3)
        })
      )
  )

  it.live.each([400, 401, 403, 404, 409, 410, 413, 415, 500, 501, 505])(
    "does not happen for %i, which is raised at once",
    (status) =>
      recordingTime(({ pauses }) =>
        Effect.gen(function*() {
          const { client, hub } = yield* clientOf([refusal(status, "some_code"), emptyPage])
          assert.strictEqual((yield* Effect.flip(client.service_requests.list())).status, status)
          assert.lengthOf(hub.asked, 1)
          assert.isEmpty(pauses)
        })
      )
  )

  it.live("happens for an address without a listener, and the error names the cause", () =>
    recordingTime(({ pauses }) =>
      Effect.gen(function*() {
        const { client } = yield* clientOf([], { baseUrl: "http://127.0.0.1:1" })
        const error = yield* Effect.flip(client.discovery.health())
        assert.strictEqual(error._tag, "NetworkError")
        assert.strictEqual(error.code, "network_error")
        assert.include(error.message, "http://127.0.0.1:1 could not be reached")
        assert.isUndefined(error.status)
        assert.lengthOf(pauses, 2)
      })
    ))
})

describe("the number of retries", () => {
  it.live.each([0, 1, 5])("retries: %i of the client", (retries) =>
    recordingTime(() =>
      Effect.gen(function*() {
        const { client, hub } = yield* clientOf([refusal(503, "unavailable")], { retries })
        yield* Effect.flip(client.service_requests.list())
        assert.lengthOf(hub.asked, retries + 1)
      })
    ))

  it.live("is the call's own, or else the client's", () =>
    recordingTime(() =>
      Effect.gen(function*() {
        const { client, hub } = yield* clientOf([refusal(503, "unavailable")])
        yield* Effect.flip(client.service_requests.list({}, { retries: 0 }))
        assert.lengthOf(hub.asked, 1)
        yield* Effect.flip(client.dispatch(say, { retries: 1 }))
        assert.lengthOf(hub.asked, 3)
      })
    ))
})

describe("which requests are retried", () => {
  it.live("a GET, a PUT and a DELETE always", () =>
    recordingTime(() =>
      Effect.gen(function*() {
        const { client, hub } = yield* clientOf([refusal(503, "unavailable")])
        yield* Effect.flip(client.agents.list())
        yield* Effect.flip(client.secrets.put({ params: { name: "stripe" }, payload: { value: "x" } }))
        yield* Effect.flip(client.secrets.remove({ params: { name: "stripe" } }))
        assert.deepStrictEqual(hub.asked.map(({ method }) => method), [
          "GET",
          "GET",
          "GET",
          "PUT",
          "PUT",
          "PUT",
          "DELETE",
          "DELETE",
          "DELETE"
        ])
      })
    ))

  it.live("a POST only with an idempotency key, which each one that transfers money has", () =>
    recordingTime(() =>
      Effect.gen(function*() {
        const { client, hub } = yield* clientOf([reset])
        yield* Effect.flip(client.agents.create({ payload: { name: "a" } }))
        assert.deepStrictEqual(hub.asked.map(({ headers }) => headers["idempotency-key"]), [undefined])
        const topUp = client.ledger.topUp({ payload: { amount_cents: 100 } })
        yield* Effect.flip(topUp)
        yield* Effect.flip(topUp)
        const [, first, ...others] = hub.asked.map(({ headers }) => headers["idempotency-key"])
        assert.match(String(first), uuidV4)
        assert.deepStrictEqual(others, Array.from({ length: 5 }, () => first))
      })
    ))

  it.live("a PATCH only with an idempotency key", () =>
    recordingTime(() =>
      Effect.gen(function*() {
        const { client, hub } = yield* clientOf([refusal(503, "unavailable")])
        yield* Effect.flip(
          client.agents.update({ params: { id: "agt_01j00000000000000000000000" }, payload: { name: "b" } })
        )
        assert.lengthOf(hub.asked, 1)
      })
    ))

  it("as a table", () => {
    const methods = ["GET", "HEAD", "PUT", "DELETE", "POST", "PATCH"]
    assert.deepStrictEqual(methods.map((method) => mayRepeat(method, false)), [true, true, true, true, false, false])
    assert.isTrue(["POST", "PATCH"].every((method) => mayRepeat(method, true)))
  })
})

describe("the idempotency key of a dispatch", () => {
  it.live("is a new UUID v4, the same on every try, with the same body", () =>
    recordingTime(() =>
      Effect.gen(function*() {
        const { client, hub } = yield* clientOf([reset, cut, executed, executed])
        yield* client.dispatch(say)
        yield* client.dispatch(say)
        const keys = hub.asked.map(({ headers }) => String(headers["idempotency-key"]))
        assert.lengthOf(keys, 4)
        assert.match(keys[0] ?? "", uuidV4)
        assert.deepStrictEqual(keys.slice(0, 3), [keys[0], keys[0], keys[0]])
        assert.match(keys[3] ?? "", uuidV4)
        assert.notStrictEqual(keys[3], keys[0])
        assert.deepStrictEqual([...new Set(hub.asked.map(({ body }) => body))], [JSON.stringify(say)])
      })
    ))

  it.live("is the caller's if given", () =>
    recordingTime(() =>
      Effect.gen(function*() {
        const { client, hub } = yield* clientOf([refusal(503, "unavailable"), executed])
        yield* client.dispatch(say, { idempotencyKey: "order 17" })
        assert.deepStrictEqual(hub.asked.map(({ headers }) => headers["idempotency-key"]), ["order 17", "order 17"])
      })
    ))

  it.live("stays the same when the caller runs the call again after an error", () =>
    recordingTime(() =>
      Effect.gen(function*() {
        const { client, hub } = yield* clientOf([reset, executed], { retries: 0 })
        const outcome = yield* Effect.retry(client.dispatch(say), { times: 1 })
        assert.strictEqual(outcome.status, "executed")
        assert.lengthOf(hub.asked, 2)
        assert.strictEqual(hub.asked[0]?.headers["idempotency-key"], hub.asked[1]?.headers["idempotency-key"])
      })
    ))

  it.live.each(["", "é", "a\nb", " a", "a ", "x".repeat(256)])(
    "%j is refused before anything is sent",
    (idempotencyKey) =>
      Effect.gen(function*() {
        const { client, hub } = yield* clientOf([executed])
        assert.strictEqual((yield* Effect.flip(client.dispatch(say, { idempotencyKey })))._tag, "InputError")
        assert.isEmpty(hub.asked)
      })
  )
})

describe("the backoff", () => {
  it("is 500 ms × 2^attempt, at most 8 s, times a number from 0 to 1", () => {
    const ceilings = [500, 1000, 2000, 4000, 8000, 8000, 8000]
    assert.deepStrictEqual(ceilings.map((_, attempt) => backoffMillis(attempt, 0)), ceilings.map(() => 0))
    assert.deepStrictEqual(
      ceilings.map((_, attempt) => backoffMillis(attempt, 0.5)),
      ceilings.map((ceiling) => ceiling / 2)
    )
    assert.deepStrictEqual(
      ceilings.map((_, attempt) => backoffMillis(attempt, 0.999_999)),
      ceilings.map((ceiling) => ceiling - 1)
    )
    assert.strictEqual(backoffMillis(5000, 0.5), 4000)
  })

  it.live.each(
    [[0, [0, 0, 0, 0, 0, 0]], [0.5, [250, 500, 1000, 2000, 4000, 4000]], [0.25, [
      125,
      250,
      500,
      1000,
      2000,
      2000
    ]]] as const
  )(
    "is the pause between tries: with the random number %d, %j",
    ([random, expected]) =>
      recordingTime(({ pauses }) =>
        Effect.gen(function*() {
          const { client } = yield* clientOf([refusal(503, "unavailable")], { retries: 6 })
          yield* Effect.flip(client.service_requests.list())
          assert.deepStrictEqual(pauses, expected)
        }), { random })
  )
})

describe("Retry-After", () => {
  const limited = (value: string, headers: Record<string, string> = {}) =>
    refusal(429, "rate_limited", {}, { "retry-after": value, ...headers })

  it.live("in seconds is waited out for 429, with any random number", () =>
    recordingTime(({ pauses }) =>
      Effect.gen(function*() {
        const { client } = yield* clientOf([limited("7"), limited("0"), executed])
        assert.strictEqual((yield* client.dispatch(say)).status, "executed")
        assert.deepStrictEqual(pauses, [7000, 0])
      })
    ))

  it.live("as a date is counted from the answer's own date", () =>
    recordingTime(({ pauses }) =>
      Effect.gen(function*() {
        const date = "Sat, 21 Nov 2026 09:00:00 GMT"
        const later = limited("Sat, 21 Nov 2026 09:00:12 GMT", { date })
        const past = limited("Sat, 21 Nov 2026 08:59:00 GMT", { date })
        const { client } = yield* clientOf([later, past, emptyPage])
        yield* client.service_requests.list()
        assert.deepStrictEqual(pauses, [12_000, 0])
      }), { startMillis: 0 }))

  it.live("has no effect for 503", () =>
    recordingTime(({ pauses }) =>
      Effect.gen(function*() {
        const { client } = yield* clientOf([refusal(503, "unavailable", {}, { "retry-after": "120" }), emptyPage])
        yield* client.service_requests.list()
        assert.deepStrictEqual(pauses, [250])
      }), { random: 0.5 }))

  it.live("above the limit is raised at once, with its time", () =>
    recordingTime(({ pauses }) =>
      Effect.gen(function*() {
        const { client, hub } = yield* clientOf([limited("301")])
        const error = yield* Effect.flip(client.service_requests.list())
        assert.strictEqual(error._tag, "RateLimitError")
        assert.strictEqual(error.retry_after_millis, 301_000)
        assert.lengthOf(hub.asked, 1)
        assert.isEmpty(pauses)
      })
    ))

  it.each([
    ["5", 5000],
    [" 5 ", 5000],
    ["0", 0],
    ["Thu, 01 Jan 1970 00:00:09 GMT", 8000],
    ["Thursday, 01-Jan-70 00:00:09 GMT", 8000],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["-5", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["", undefined],
    ["99999999999", undefined],
    [undefined, undefined]
  ])(
    "%j is read as %s ms, a second after 1970 began",
    (value, millis) => assert.strictEqual(parseRetryAfter(value, undefined, 1000), millis)
  )
})

describe("the timeout", () => {
  it.effect("of one try is a network error, is retried, and closes the connection", () =>
    Effect.gen(function*() {
      let closed = 0
      const hang: Scripted = (response) => void response.on("close", () => closed++)
      const { client, hub } = yield* clientOf([hang, emptyPage], { timeoutMillis: 5000, retries: 1 })
      const fiber = yield* Effect.forkChild(client.service_requests.list())
      yield* Effect.promise(() => hub.arrived(1))
      yield* TestClock.adjust("5 seconds")
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual((yield* Fiber.join(fiber)).data, [])
      assert.lengthOf(hub.asked, 2)
      assert.strictEqual(closed, 1)
    }))

  it.effect("is raised as `timeout`", () =>
    Effect.gen(function*() {
      const { client, hub } = yield* clientOf([silence], { timeoutMillis: 5000, retries: 0 })
      const fiber = yield* Effect.forkChild(Effect.flip(client.service_requests.list()))
      yield* Effect.promise(() => hub.arrived(1))
      yield* TestClock.adjust("5 seconds")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag, "NetworkError")
      assert.strictEqual(error.code, "timeout")
    }))

  it.effect("covers a body that stops arriving", () =>
    Effect.gen(function*() {
      const half: Scripted = (response) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.write("{")
      }
      const { client, hub } = yield* clientOf([half], { timeoutMillis: 5000, retries: 0 })
      const fiber = yield* Effect.forkChild(Effect.flip(client.service_requests.list()))
      yield* Effect.promise(() => hub.arrived(1))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).code, "timeout")
    }))
})

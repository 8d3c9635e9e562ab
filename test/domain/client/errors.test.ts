import { ClientFailure } from "@countersign/domain/client"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { recordingTime } from "./recorded-time.ts"
import { clientOf, json, refusal, type Scripted, text } from "./scripted-hub.ts"

const errorOf = (answer: Scripted) =>
  recordingTime(() =>
    Effect.gen(function*() {
      const { client } = yield* clientOf([answer])
      return yield* Effect.flip(client.service_requests.list())
    })
  )

describe("a raised error", () => {
  it.live.each(
    [
      [400, "invalid_request", "StatusError"],
      [401, "unauthorized", "AccessError"],
      [403, "session_required", "AccessError"],
      [404, "not_found", "StatusError"],
      [409, "idempotency_conflict", "ConflictError"],
      [418, "a_code_nobody_knows", "StatusError"],
      [429, "rate_limited", "RateLimitError"],
      [500, "internal_error", "StatusError"],
      [503, "unavailable", "StatusError"]
    ] as const
  )("%i %s is a %s with code, message, request id and status", ([status, code, tag]) =>
    Effect.gen(function*() {
      const error = yield* errorOf(refusal(status, code))
      assert.isTrue(error instanceof ClientFailure && error instanceof Error)
      const { _tag, message, name, request_id } = error
      assert.deepStrictEqual([_tag, name, error.code, message, request_id, error.status], [
        tag,
        tag,
        code,
        `scripted: ${code}`,
        "rid-1",
        status
      ])
    }))

  it.live("has the paths of a 400 and the data of a 409", () =>
    Effect.gen(function*() {
      const details = [{ path: "payload.qty", message: "expected a number" }]
      assert.deepStrictEqual(
        (yield* errorOf(refusal(400, "invalid_request", { details: [...details, 7, { path: 1 }] }))).details,
        details
      )
      const data = { status: "approved", decided_by: { id: "usr_1" } }
      assert.deepStrictEqual((yield* errorOf(refusal(409, "approval_not_pending", { data, hint: "new" }))).data, data)
    }))

  it.live("can be caught by its tag", () =>
    Effect.gen(function*() {
      const { client } = yield* clientOf([refusal(409, "conflict")])
      const code = yield* client.service_requests.list().pipe(
        Effect.as(""),
        Effect.catchTag("ConflictError", (error) => Effect.succeed(error.code))
      )
      assert.strictEqual(code, "conflict")
    }))

  it.live.each(
    [
      [502, "<h1>Bad Gateway</h1>", "upstream_error"],
      [504, "", "upstream_timeout"],
      [401, "who are you", "unauthorized"],
      [520, "{\"error\":\"odd\"}", "http_520"],
      [500, "{\"error\":{\"code\":7}}", "internal_error"],
      [500, "[]", "internal_error"],
      [500, "{", "internal_error"]
    ] as const
  )(
    "a %i with the body %j has a code of its status, and the id of its header",
    ([status, body, code]) =>
      Effect.gen(function*() {
        const error = yield* errorOf(text(status, body, { "x-request-id": "rid-2" }))
        assert.deepStrictEqual([error.status, error.code, error.request_id], [status, code, "rid-2"])
        assert.notInclude(error.message, "<")
      })
  )

  it.live("does not follow a redirect with the credential", () =>
    Effect.gen(function*() {
      const { client, hub } = yield* clientOf([json(307, {}, { location: "/elsewhere" })])
      const error = yield* Effect.flip(client.service_requests.list())
      assert.deepStrictEqual([error._tag, error.status], ["StatusError", 307])
      assert.lengthOf(hub.asked, 1)
    }))
})

describe("a 2xx without JSON", () => {
  it.live.each(
    [
      ["HTML", text(200, "<html>Sign in to the Wi-Fi</html>", { "x-request-id": "rid-3" })],
      ["nothing", text(200, "", { "x-request-id": "rid-3" })],
      ["half a JSON", text(200, "{\"data\":[", { "content-type": "application/json", "x-request-id": "rid-3" })]
    ] as const
  )("%s: is raised, not retried", ([, answer]) =>
    recordingTime(({ pauses }) =>
      Effect.gen(function*() {
        const { client } = yield* clientOf([answer])
        const error = yield* Effect.flip(client.service_requests.list())
        assert.deepStrictEqual([error._tag, error.status, error.request_id], ["AnswerError", 200, "rid-3"])
        assert.isEmpty(pauses)
      })
    ))

  it.live("is raised for text and empty endpoints too", () =>
    Effect.gen(function*() {
      const { client } = yield* clientOf([text(200, "<html></html>")])
      const id = "pat_01j00000000000000000000000"
      assert.strictEqual((yield* Effect.flip(client.usage.report())).code, "unreadable_answer")
      assert.strictEqual((yield* Effect.flip(client.tokens.revoke({ params: { id } }))).code, "unreadable_answer")
    }))
})

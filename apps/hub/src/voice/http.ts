import { HubApi } from "@countersign/domain/api"
import { notFound, unauthorized } from "@countersign/domain/errors"
import { Effect, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Settings } from "../config.ts"
import { makeSignedHook } from "../edge/signed-hook.ts"
import { ed25519Key, telnyxSignatureProblem, twilioSignatureProblem } from "../platform/provider-signatures.ts"
import { telnyxReportOf, twilioReportOf } from "./reports.ts"
import { VoiceStatus } from "./status.ts"

const parsed = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"))
  } catch {
    return undefined
  }
}

export const VoiceHooksHttp = HttpApiBuilder.group(
  HubApi,
  "voice_hooks",
  Effect.fn(function*(handlers) {
    const { publicUrl, voice } = yield* Settings
    const signed = yield* makeSignedHook
    const status = yield* VoiceStatus
    const telnyx = Option.map(voice.telnyxPublicKey, ed25519Key)
    const twilio = Option.map(voice.twilioAuthToken, Redacted.value)
    const received = { received: true }
    return handlers.handleRaw(
      "status",
      Effect.fnUntraced(function*() {
        if (Option.isNone(telnyx) && Option.isNone(twilio)) return yield* Effect.fail(notFound())
        const request = yield* HttpServerRequest.HttpServerRequest
        // With both set, the header decides.
        const isTwilio = request.headers["x-twilio-signature"] !== undefined
          ? Option.isSome(twilio) || Option.isNone(telnyx)
          : Option.isNone(telnyx)
        if (isTwilio) {
          if (Option.isNone(twilio)) {
            return yield* Effect.fail(unauthorized("The call was refused: this hub has no HUB_TWILIO_AUTH_TOKEN."))
          }
          // Below the public address, never below the header `host`.
          const url = `${publicUrl.origin}${request.originalUrl.replace(/^https?:\/\/[^/]*/u, "")}`
          const { body } = yield* signed({
            headers: ["x-twilio-signature"],
            problem: ({ body, headers }) =>
              twilioSignatureProblem(twilio.value, url, headers["x-twilio-signature"], [
                ...new URLSearchParams(Buffer.from(body).toString("utf8"))
              ])
          })
          const report = twilioReportOf(new URLSearchParams(Buffer.from(body).toString("utf8")))
          if (report !== undefined) yield* status.apply("twilio", report)
          return received
        }
        if (Option.isNone(telnyx)) return yield* Effect.fail(notFound())
        const { body } = yield* signed({
          headers: ["telnyx-signature-ed25519", "telnyx-timestamp"],
          timestamp: "telnyx-timestamp",
          problem: ({ body, headers }, now) =>
            telnyxSignatureProblem(
              telnyx.value,
              headers["telnyx-timestamp"],
              headers["telnyx-signature-ed25519"],
              body,
              now
            )
        })
        const report = telnyxReportOf(parsed(body))
        if (report !== undefined) yield* status.apply("telnyx", report)
        return received
      })
    )
  })
)

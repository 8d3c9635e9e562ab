import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal } from "@countersign/domain/auth"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { idempotencyKeyOf, sentHeaders } from "../platform/idempotency-key.ts"
import { Speech } from "./service.ts"

export const SpeechHttp = HttpApiBuilder.group(
  HubApi,
  "speech",
  Effect.fn(function*(handlers) {
    const speech = yield* Speech
    return handlers.handleAll({
      voices: () => Effect.flatMap(CurrentPrincipal, speech.voices),
      say: Effect.fnUntraced(function*({ payload }) {
        const key = yield* idempotencyKeyOf(sentHeaders(yield* HttpServerRequest.HttpServerRequest))
        const wav = yield* speech.say(yield* CurrentPrincipal, payload, key)
        return HttpServerResponse.uint8Array(wav, {
          contentType: "audio/wav",
          headers: { "cache-control": "no-store", "content-disposition": "inline; filename=\"speech.wav\"" }
        })
      })
    })
  })
)

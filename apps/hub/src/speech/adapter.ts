/**
 * `speech.say`: an OpenAI-compatible speech endpoint, by setting. The audio goes to the caller and is not stored. Spec:
 * reference/speech.md "Provider".
 */
import { Effect, Option, Redacted } from "effect"
import { type Adapter, type AdapterOutcome, failed } from "../providers/adapter.ts"
import { readAnswer, scrubbed, scrubOf } from "../providers/answer.ts"
import type { Egress } from "../providers/egress.ts"
import { fateOf, isSuccess, refusalOf } from "../providers/fate.ts"
import { isWav } from "./rules.ts"

const audioBytesMax = 32 * 1024 * 1024
const model = "tts-1"
/** The shipped price: 15 USD for a million characters. The endpoint does not report what it charges. */
const microCentsInCharacter = 1_500
const microCents = (text: string): number => [...text].length * microCentsInCharacter

export interface SpeechEndpoint {
  readonly url: URL
  readonly key: Option.Option<Redacted.Redacted>
}

export const speechAdapter = (egress: Egress["Service"], endpoint: Option.Option<SpeechEndpoint>): Adapter => ({
  execute: (_definition, call) => {
    if (Option.isNone(endpoint)) {
      return Effect.succeed(failed("No speech provider is configured: the operator has not set HUB_TTS_URL."))
    }
    const key = Option.getOrUndefined(Option.map(endpoint.value.key, Redacted.value))
    const scrub = scrubOf(key === undefined ? [] : [key])
    const { speed, text, voice } = call.payload as {
      readonly text: string
      readonly voice: string
      readonly speed?: number
    }
    return egress.request({
      url: `${endpoint.value.url.href.replace(/\/+$/u, "")}/audio/speech`,
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "audio/wav",
        "idempotency-key": call.requestId,
        ...key === undefined ? {} : { authorization: `Bearer ${key}` }
      },
      body: JSON.stringify({ model, input: text, voice, response_format: "wav", speed: speed ?? 1 }),
      timeoutMs: call.timeoutMs,
      maxBytes: audioBytesMax,
      overflow: "fail",
      trusted: true
    }).pipe(Effect.match({
      onFailure: fateOf,
      onSuccess: (answer): AdapterOutcome => {
        if (!isSuccess(answer.status)) {
          return refusalOf(answer, scrubbed(readAnswer(answer.body, answer.headers["content-type"]), scrub))
        }
        if (!isWav(answer.body)) return failed(`The provider answered ${answer.status} without a WAV.`, answer.status)
        call.audio?.(answer.body)
        const costCents = microCents(text) / 1_000_000
        return {
          kind: "executed",
          result: { characters: text.length, audio_bytes: answer.body.length, cost_cents: costCents },
          actual: costCents,
          actualFound: true
        }
      }
    }))
  }
})

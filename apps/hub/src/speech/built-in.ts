/** The built-in engine: Flite, in its own process at the lowest priority, one part of a text at a time. */
import { type ApiError, invalidField, unavailable } from "@countersign/domain/errors"
import { Context, Effect, Layer, Semaphore } from "effect"
import { workerProcess } from "../knowledge/processes/worker-process.ts"
import type { SpeechAnswer, SpeechJob } from "./engine-process.ts"
import { isForeign, joinedWav, partsOf, spoken } from "./rules.ts"

/** The engine and its voices take 21 MB of code, outside of the heap. */
const heapMebibytes = 256
const idleMillis = 120_000
/** At the lowest priority a part may wait long for a processor. */
const partMillisMax = 60_000
/** Texts that wait or are spoken. */
const textsMax = 32

export class BuiltInSpeech extends Context.Service<BuiltInSpeech, {
  /** A WAV. 400 for a text that is not English or has no words, 503 when too many texts wait. */
  readonly say: (job: SpeechJob) => Effect.Effect<Uint8Array, ApiError>
}>()("@countersign/hub/speech/BuiltInSpeech") {
  static readonly layer = Layer.effect(
    BuiltInSpeech,
    Effect.gen(function*() {
      const process = yield* workerProcess<SpeechJob, SpeechAnswer>({
        entry: new URL("./engine-process.ts", import.meta.url),
        heapMebibytes,
        idleMillis
      })
      const turn = yield* Semaphore.make(1)
      let texts = 0

      const partOf = Effect.fnUntraced(function*(job: SpeechJob): Effect.fn.Return<Uint8Array, ApiError> {
        // Parts of several texts take turns, so that a long one delays a short one only by one part.
        const end = yield* turn.withPermits(1)(process.run(job, partMillisMax))
        return end.kind === "answered" && end.answer.wav !== undefined
          ? end.answer.wav
          : yield* Effect.fail(unavailable("The speech engine did not answer. Try again."))
      })

      return BuiltInSpeech.of({
        say: Effect.fn("BuiltInSpeech.say")(function*(job) {
          if (isForeign(job.text)) {
            return yield* Effect.fail(
              invalidField("text", "the built-in voices speak English only; set HUB_TTS_URL for other languages")
            )
          }
          const parts = partsOf(spoken(job.text))
          if (parts.length === 0) return yield* Effect.fail(invalidField("text", "there is nothing to say"))
          if (texts >= textsMax) {
            return yield* Effect.fail(unavailable("Too many texts wait to be spoken. Try again shortly."))
          }
          texts++
          return yield* Effect.forEach(parts, (text) => partOf({ ...job, text })).pipe(
            Effect.map(joinedWav),
            Effect.ensuring(Effect.sync(() => void texts--))
          )
        })
      })
    })
  )
}

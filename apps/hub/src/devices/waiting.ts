/** Answers that wait for something to happen: asked again at every signal, and from time to time though nobody rang. */
import { Effect } from "effect"
import type { Signals } from "../platform/signals.ts"

/** A signal may be lost with its connection. */
const lookAgainMillis = 1_000

/**
 * The first answer that is `enough`, or the last one when the time is over, or the hub stops. `subject` is a device's id, or another
 * that is rung for.
 */
export const awaitSignal = <A, E, R>(
  signals: Signals["Service"],
  subject: string,
  millis: number,
  ask: Effect.Effect<A, E, R>,
  enough: (answer: A) => boolean,
  lookMillis: number = lookAgainMillis
): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const until = performance.now() + millis
    let rung = false
    let ring: (() => void) | undefined
    const stop = signals.subscribe((signal) => {
      if (
        signal.kind !== "stop" && signal.kind !== "resync" && (signal.kind !== "device" || signal.device !== subject)
      ) return
      rung = true
      ring?.()
    })
    const wait = (length: number) =>
      Effect.callback<void>((resume) => {
        const timer = setTimeout(() => resume(Effect.void), length)
        ring = () => {
          clearTimeout(timer)
          resume(Effect.void)
        }
        if (rung) ring()
        return Effect.sync(() => clearTimeout(timer))
      })
    return yield* Effect.gen(function*() {
      for (;;) {
        rung = false
        const answer = yield* ask
        const left = until - performance.now()
        if (left <= 0 || enough(answer) || signals.stopped()) return answer
        yield* wait(Math.min(left, lookMillis))
      }
    }).pipe(Effect.ensuring(Effect.sync(stop)))
  })

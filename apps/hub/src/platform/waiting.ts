/** Long polls: read again at each signal, and at an interval in case a signal was lost. */
import { Effect } from "effect"
import type { Signals } from "./signals.ts"

/** A signal may be lost with its connection. */
const intervalDefaultMillis = 1_000

/** The part of `Signals` that a long poll uses. */
export type SubjectSignals = Pick<Signals["Service"], "stopped" | "subscribeTo">

export interface WaitOptions {
  readonly intervalMillis?: number
  /** No answer can be enough before the next signal, so nothing is read until then. */
  readonly isPending?: () => boolean
}

/**
 * Returns the first answer that is `enough`, or the latest one at the timeout or when the hub stops. `subject` is the
 * id of a device, a command, or an agent request, or of the workspace that is read.
 */
export const awaitSignal = <A, E, R>(
  signals: SubjectSignals,
  subject: string,
  millis: number,
  read: Effect.Effect<A, E, R>,
  enough: (answer: A) => boolean,
  { intervalMillis = intervalDefaultMillis, isPending = () => false }: WaitOptions = {}
): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const until = performance.now() + millis
    let signaled = false
    let wake: (() => void) | undefined
    const stop = signals.subscribeTo(subject, () => {
      signaled = true
      wake?.()
    })
    const wait = (length: number) =>
      Effect.callback<void>((resume) => {
        const timer = setTimeout(() => resume(Effect.void), length)
        wake = () => {
          clearTimeout(timer)
          resume(Effect.void)
        }
        if (signaled) wake()
        return Effect.sync(() => clearTimeout(timer))
      })
    return yield* Effect.gen(function*() {
      if (isPending()) yield* wait(Math.min(millis, intervalMillis))
      for (;;) {
        signaled = false
        const answer = yield* read
        const left = until - performance.now()
        if (left <= 0 || enough(answer) || signals.stopped()) return answer
        yield* wait(Math.min(left, intervalMillis))
      }
    }).pipe(Effect.ensuring(Effect.sync(stop)))
  })

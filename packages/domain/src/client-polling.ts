/** Polls unfinished requests. Spec: reference/clients.md "Polling". */
import { Clock, Effect } from "effect"

export const pollFirstMillis = 2_000
export const pollFactor = 1.5
export const pollCapMillis = 10_000
/** The default total time of one polling. */
export const pollBudgetMillis = 300_000

/** The pause before check number `look`, counted from 0: 2 s, 3 s, 4.5 s, 6.75 s, then 10 s each. */
export const pollDelayMillis = (look: number): number => Math.min(pollCapMillis, pollFirstMillis * pollFactor ** look)

export interface Polling<A, E, R> {
  readonly look: Effect.Effect<A, E, R>
  readonly isDone: (value: A) => boolean
  readonly budgetMillis: number
}

/**
 * Checks again until the result is final, starting with the result `seen` already. The last pause is limited to the
 * remaining time; after that the latest result is the answer, final or not.
 */
export const polling = <A, E, R>(seen: A, options: Polling<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function*() {
    const end = (yield* Clock.currentTimeMillis) + options.budgetMillis
    let value = seen
    for (let look = 0; !options.isDone(value); look++) {
      const left = end - (yield* Clock.currentTimeMillis)
      if (left <= 0) break
      yield* Effect.sleep(Math.min(left, pollDelayMillis(look)))
      value = yield* options.look
    }
    return value
  })

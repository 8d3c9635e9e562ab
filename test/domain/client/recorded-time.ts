/** A test clock whose sleeps pass at once and are recorded, and a fixed random number. */
import { Clock, Duration, Effect, Random } from "effect"

/** A sleep of this length is a timeout that must not fire: it never ends. */
export const neverMillis = 3_600_000

export interface Recorded {
  /** Every pause, in milliseconds. */
  readonly pauses: ReadonlyArray<number>
}

/** Gives `run` a clock whose sleeps of less than an hour pass at once, and `random` for every random number. */
export const recordingTime = <A, E, R>(
  run: (recorded: Recorded) => Effect.Effect<A, E, R>,
  options: { readonly random?: number; readonly startMillis?: number } = {}
): Effect.Effect<A, E, R> => {
  const { random = 0.999_999, startMillis = Date.UTC(2026, 10, 21, 9) } = options
  const pauses: Array<number> = []
  let now = startMillis
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
    sleep: (duration) => {
      const millis = Duration.toMillis(duration)
      return millis >= neverMillis ? Effect.never : Effect.sync(() => {
        pauses.push(millis)
        now += millis
      })
    }
  }
  return run({ pauses }).pipe(
    Effect.provideService(Clock.Clock, clock),
    Effect.provideService(Random.Random, { nextDoubleUnsafe: () => random, nextIntUnsafe: () => 0 })
  )
}

/**
 * Runs compared measurements in turn for several rounds, so that other load on the machine affects all of them alike.
 */
import { Effect } from "effect"

export const quantile = (sorted: ReadonlyArray<number>, part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

export const sorted = (values: Iterable<number>): ReadonlyArray<number> => [...values].sort((a, b) => a - b)

export const median = (values: Iterable<number>): number => quantile(sorted(values), 0.5)

/** Runs every measurement once per round, in the given order; returns the results by measurement and round. */
export const interleaved = <Name extends string, A, E, R>(
  rounds: number,
  measurements: Readonly<Record<Name, Effect.Effect<A, E, R>>>
): Effect.Effect<Record<Name, ReadonlyArray<A>>, E, R> =>
  Effect.gen(function*() {
    const names = Object.keys(measurements) as Array<Name>
    const found = Object.fromEntries(names.map((name) => [name, [] as Array<A>])) as Record<Name, Array<A>>
    for (let round = 0; round < rounds; round++) {
      for (const name of names) found[name].push(yield* measurements[name])
    }
    return found
  })

/** The median of the ratios of each round: both sides of a ratio were measured within seconds of each other. */
export const ratio = (over: ReadonlyArray<number>, under: ReadonlyArray<number>): number =>
  median(over.map((value, at) => value / (under[at] ?? Number.NaN)))

/** Runs `once` repeatedly, one at a time, for the given time; returns the milliseconds of each run, ascending. */
export const timed = <E, R>(
  once: Effect.Effect<unknown, E, R>,
  { millis, least = 50 }: { readonly millis: number; readonly least?: number }
) =>
  Effect.gen(function*() {
    const took: Array<number> = []
    const until = performance.now() + millis
    while (took.length < least || performance.now() < until) {
      const began = performance.now()
      yield* once
      took.push(performance.now() - began)
    }
    return sorted(took)
  })

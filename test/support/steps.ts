/** Random sequences of plain steps: generated from a seed, replayed, and shrunk while they still fail. */
import { Effect } from "effect"

export const random = (seed: number) => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number) => Math.floor(next() * count)
  return {
    next,
    below,
    chance: (share: number) => next() < share,
    one: <A>(values: ReadonlyArray<A>): A => values[below(values.length)]!
  }
}

/** Chooses one of these by weight. */
export const weighted = <A>(
  { below }: ReturnType<typeof random>,
  makers: ReadonlyArray<readonly [weight: number, make: () => A]>
): A => {
  const total = makers.reduce((sum, [weight]) => sum + weight, 0)
  let left = (below(1_000_000) / 1_000_000) * total
  for (const [weight, make] of makers) if ((left -= weight) < 0) return make()
  return makers[0]![1]()
}

/** The shortest failing sequence found. */
export const shrunk = Effect.fnUntraced(function*<Step, R>(
  steps: ReadonlyArray<Step>,
  fails: (steps: ReadonlyArray<Step>) => Effect.Effect<boolean, never, R>,
  trials = 200
) {
  let best = steps
  for (let size = Math.ceil(best.length / 2); size >= 1 && trials > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.length && trials > 0;) {
      const shorter = [...best.slice(0, at), ...best.slice(at + size)]
      trials--
      if (yield* fails(shorter)) best = shorter
      else at += size
    }
    if (size === 1) break
  }
  return best
})

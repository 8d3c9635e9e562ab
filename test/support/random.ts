/** Seeded random numbers, so that a failure can be repeated from its seed. */

export interface Chance {
  /** In [0, 1). */
  readonly next: () => number
  /** In [0, below). */
  readonly int: (below: number) => number
  readonly one: <A>(of: ReadonlyArray<A>) => A
}

/** mulberry32 */
export const chanceOf = (seed: number): Chance => {
  let state = seed >>> 0
  const next = () => {
    state = state + 0x6d2b79f5 >>> 0
    let mixed = Math.imul(state ^ state >>> 15, state | 1)
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61) ^ mixed
    return ((mixed ^ mixed >>> 14) >>> 0) / 4_294_967_296
  }
  const int = (below: number) => Math.floor(next() * below)
  return { next, int, one: (of) => of[int(of.length)]! }
}

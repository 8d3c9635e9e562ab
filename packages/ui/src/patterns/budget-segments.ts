/** The segments of a budget bar, as shares of its width. Design brief 20. */

export interface BudgetFigures {
  readonly spent_cents: number
  readonly held_cents: number
  /** The requested amount; 0 for none. */
  readonly this_cents: number
  readonly cap_cents: number
}

export interface BudgetSegments {
  /** Widths in percent of the bar, in the order drawn; their sum is at most 100. */
  readonly spent: number
  readonly held: number
  readonly current: number
  /** The position of the cap's tick; 100 unless the amounts exceed it. */
  readonly cap: number
  /** The excess, right of the tick. */
  readonly over: number
  /** Negative by the missing amount. */
  readonly left_cents: number
}

/** A negative figure counts as 0; with a cap of 0, the tick is at the left edge once there is any amount. */
export const budgetSegments = ({ spent_cents, held_cents, this_cents, cap_cents }: BudgetFigures): BudgetSegments => {
  const [spent, held, current, cap] = [spent_cents, held_cents, this_cents, cap_cents].map((cents) =>
    Math.max(0, cents)
  ) as [number, number, number, number]
  const used = spent + held + current
  // 4 % beyond the used amount, so that the excess is visible and the tick is never at the very edge
  const whole = used > cap ? used * 1.04 : cap
  const share = (cents: number) => whole === 0 ? 0 : cents / whole * 100
  return {
    spent: share(spent),
    held: share(held),
    current: share(current),
    cap: used > cap ? share(cap) : 100,
    over: share(Math.max(0, used - cap)),
    left_cents: cap - used
  }
}

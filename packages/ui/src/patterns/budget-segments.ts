/** What a budget bar draws, as shares of its width. Design brief 20. */

export interface BudgetFigures {
  readonly spent_cents: number
  readonly held_cents: number
  /** What is asked for now; 0 where nothing is. */
  readonly this_cents: number
  readonly cap_cents: number
}

export interface BudgetSegments {
  /** Widths in percent of the bar, in the order drawn; together at most 100. */
  readonly spent: number
  readonly held: number
  readonly current: number
  /** Where the cap's tick stands; 100 unless something reaches beyond it. */
  readonly cap: number
  /** Of it, right of the tick. */
  readonly over: number
  /** Below 0: so much is missing. */
  readonly left_cents: number
}

/** A figure below zero counts as none; a cap of 0 has its tick at the left edge as soon as anything is asked. */
export const budgetSegments = ({ spent_cents, held_cents, this_cents, cap_cents }: BudgetFigures): BudgetSegments => {
  const [spent, held, current, cap] = [spent_cents, held_cents, this_cents, cap_cents].map((cents) =>
    Math.max(0, cents)
  ) as [number, number, number, number]
  const used = spent + held + current
  // 4 % beyond the furthest, so that the overflow is seen as such and the tick is never at the very edge
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

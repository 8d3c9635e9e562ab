/** Which requests a standing approval covers before it is used up. Pure. Spec: reference/approvals.md "Standing approvals". */
import { applyToPendingMax } from "@countersign/domain/approvals"

interface Bounds {
  readonly max_cost_cents: number
  readonly max_total_cents?: number | undefined
  readonly max_uses?: number | undefined
}

/**
 * Whether the next request fits the remainder of a standing approval; a request that fits reduces the remainder.
 * Requests are given in the order in which they would use it.
 */
export const withinBounds = (
  bounds: Bounds
): (costCents: number) => boolean => {
  let uses = 0, cents = 0
  return (costCents) => {
    if (costCents > bounds.max_cost_cents || uses >= (bounds.max_uses ?? Infinity)) return false
    if (cents + costCents > (bounds.max_total_cents ?? Infinity)) return false
    uses += 1
    cents += costCents
    return true
  }
}

/** Those that a standing approval would decide: oldest first, until it is used up. */
export const withinStanding = <A extends { readonly cost_cents: number }>(
  standing: Bounds,
  matching: ReadonlyArray<A>
): ReadonlyArray<A> => {
  const fits = withinBounds(standing)
  return matching.filter(({ cost_cents }) => fits(cost_cents)).slice(0, applyToPendingMax)
}

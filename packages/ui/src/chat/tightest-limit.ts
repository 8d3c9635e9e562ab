/** The limit that would block an agent's calls first. Pure. */
import type { Output } from "@countersign/hub-client/contract"

export type Tightest =
  | { readonly limit: "agent" | "wallet"; readonly left_cents: number }
  | { readonly limit: "operation"; readonly operation: string; readonly left_cents: number }

export const tightestLimit = (
  { operations, remaining_cents }: Pick<Output<"budgets.get">, "operations" | "remaining_cents">,
  available_cents: number
): Tightest => {
  const limits: ReadonlyArray<Tightest> = [
    { limit: "wallet", left_cents: available_cents },
    ...remaining_cents === null ? [] : [{ limit: "agent", left_cents: remaining_cents } as const],
    ...operations.flatMap((
      { held_cents, monthly_cap_cents, operation, service, spent_cents }
    ): ReadonlyArray<Tightest> =>
      monthly_cap_cents === undefined ? [] : [{
        limit: "operation",
        operation: `${service}.${operation}`,
        left_cents: monthly_cap_cents - spent_cents - held_cents
      }]
    )
  ]
  return limits.reduce((one, other) => other.left_cents < one.left_cents ? other : one)
}

/** Raises of caps that a budget request asks for, of an agent and of an operation. */
import type { BudgetPeriod } from "@countersign/domain/budget-requests"
import { type ApiError, conflict } from "@countersign/domain/errors"
import { amountCentsMax } from "@countersign/domain/money"
import { Effect } from "effect"

export interface CapRaise {
  readonly cents: number
  readonly period: BudgetPeriod
  /** The budget request that was approved. */
  readonly request: string
  /** The time of the workspace's lock. */
  readonly at: Date
}

/** 409 when a cap would leave the range of caps. */
export const withinCaps = (capCents: number | null, raiseCents: number): Effect.Effect<void, ApiError> =>
  (capCents ?? 0) + raiseCents <= amountCentsMax
    ? Effect.void
    : Effect.fail(conflict("conflict", `The cap would exceed ${amountCentsMax} cents. Approve a smaller amount.`))

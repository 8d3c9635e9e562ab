/** Budgets of agents: the cap of a UTC month, what is spent and held against it. Spec: contract 4 "/agents/:id/budget". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnyAccess, Requires, UserAccess } from "./auth.ts"
import { AgentId } from "./ids.ts"
import { Cents, SignedCents } from "./money.ts"

const OperationBudget = Schema.Struct({
  service: Schema.String,
  operation: Schema.String,
  monthly_cap_cents: Schema.optionalKey(Cents),
  spent_cents: Schema.Int,
  held_cents: Schema.Int,
  daily_request_limit: Schema.optionalKey(Schema.Int),
  /** What is under way counts. */
  used_today: Schema.Int
}).annotate({ identifier: "OperationBudget" })

export const AgentBudget = Schema.Struct({
  /** null: no cap. */
  monthly_budget_cents: Schema.NullOr(Cents),
  spent_cents: Schema.Int,
  held_cents: Schema.Int,
  /** What living children may spend; the month does not reset it. */
  committed_cents: Schema.Int,
  /** Below 0 once the cap was lowered under what is spent; null without a cap. */
  remaining_cents: Schema.NullOr(SignedCents),
  /** null: the workspace's stands. */
  approval_threshold_cents: Schema.NullOr(Cents),
  /** When the next month begins. */
  resets_at: Schema.String,
  /** Every operation used so far. */
  operations: Schema.Array(OperationBudget)
}).annotate({ identifier: "AgentBudget" })
export type AgentBudget = typeof AgentBudget.Type

export const BudgetInput = Schema.Struct({
  monthly_budget_cents: Schema.NullOr(Cents),
  approval_threshold_cents: Schema.optionalKey(Schema.NullOr(Cents))
}).annotate({ identifier: "BudgetInput" })
export type BudgetInput = typeof BudgetInput.Type

const params = { id: AgentId }

export class BudgetsGroup extends HttpApiGroup.make("budgets").add(
  HttpApiEndpoint.get("get", "/agents/:id/budget", { params, success: AgentBudget })
    .middleware(AnyAccess).annotate(Requires, "budgets:read").annotate(OpenApi.Description,
      "An agent sees its own, in the counters of its key's mode; a person sees live ones."),
  HttpApiEndpoint.patch("set", "/agents/:id/budget", { params, payload: BudgetInput, success: AgentBudget })
    .middleware(UserAccess).annotate(Requires, "budgets:write").annotate(
      OpenApi.Description,
      "Sets the cap of live and of test requests. Below what is spent it is allowed and blocks the rest; " +
      "below what children hold it is 409 budget_committed."
    )
) {}

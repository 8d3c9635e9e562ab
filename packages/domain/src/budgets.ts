/**
 * Budgets of agents: the cap of a UTC month, what is spent and held against it, and the alerts at a workspace's levels of use. Spec:
 * contract 4 "/agents/:id/budget", 5 "alert levels", 8 "budget.alert".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnyAccess, Requires, UserAccess } from "./auth.ts"
import { AgentId, AuditId } from "./ids.ts"
import { Cents, SignedCents } from "./money.ts"
import { Page, PageQuery } from "./pagination.ts"
import { expectedVersion, Version } from "./versions.ts"

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
  /** The agent's. */
  version: Version,
  /** Every operation used so far. */
  operations: Schema.Array(OperationBudget)
}).annotate({ identifier: "AgentBudget" })
export type AgentBudget = typeof AgentBudget.Type

export const BudgetInput = Schema.Struct({
  monthly_budget_cents: Schema.NullOr(Cents),
  approval_threshold_cents: Schema.optionalKey(Schema.NullOr(Cents)),
  ...expectedVersion
}).annotate({ identifier: "BudgetInput" })
export type BudgetInput = typeof BudgetInput.Type

/** Limits that alerts are raised of. A wallet is none: it has no period, and its use of all that was ever funded says nothing. */
export const AlertedLimit = Schema.Literals(["agent_month", "operation_month", "operation_day_count"])
export type AlertedLimit = typeof AlertedLimit.Type

/** What passed which level; the facts of a `budget.alert` in the log too. */
const passedLevel = {
  limit: AlertedLimit,
  /** Of an operation's limit. */
  service: Schema.optionalKey(Schema.String),
  operation: Schema.optionalKey(Schema.String),
  /** Percent of the cap; the highest of the workspace's `alert_levels` that is reached. */
  level: Schema.Int,
  /** Of a limit in money: what was debited; what is held does not count. */
  used_cents: Schema.optionalKey(Schema.Int),
  cap_cents: Schema.optionalKey(Cents),
  /** Of a limit in requests: those that were executed. */
  used_count: Schema.optionalKey(Schema.Int),
  cap_count: Schema.optionalKey(Schema.Int),
  /** The UTC month (`2026-11`) or day (`2026-11-21`). */
  period: Schema.String
}
const PassedLevel = Schema.Struct(passedLevel)
export type PassedLevel = typeof PassedLevel.Type

export const BudgetAlert = Schema.Struct({
  /** Of the entry of the log that told it: another level, period or raised cap has another. */
  id: AuditId,
  agent: Schema.Struct({ id: AgentId, name: Schema.String }),
  ...passedLevel,
  resets_at: Schema.String,
  raised_at: Schema.String
}).annotate({ identifier: "BudgetAlert" })
export type BudgetAlert = typeof BudgetAlert.Type

const params = { id: AgentId }

export class BudgetsGroup extends HttpApiGroup.make("budgets").add(
  HttpApiEndpoint.get("get", "/agents/:id/budget", { params, success: AgentBudget })
    .middleware(AnyAccess).annotate(Requires, "budgets:read").annotate(
      OpenApi.Description,
      "An agent sees its own, in the counters of its key's mode; a person sees live ones."
    ),
  HttpApiEndpoint.patch("set", "/agents/:id/budget", { params, payload: BudgetInput, success: AgentBudget })
    .middleware(UserAccess).annotate(Requires, "budgets:write").annotate(
      OpenApi.Description,
      "Sets the cap of live and of test requests. Below what is spent it is allowed and blocks the rest; " +
        "below what children hold it is 409 budget_committed. With `expected_version`, a change based on another version of the agent " +
        "is 409 `version_conflict`, with the current budget in `data`."
    ),
  HttpApiEndpoint.get("alerts", "/budget-alerts", { query: PageQuery, success: Page(BudgetAlert) })
    .middleware(UserAccess).annotate(Requires, "budgets:read").annotate(
      OpenApi.Description,
      "Limits of agents and operations whose use in the running UTC month or day has reached one of the workspace's `alert_levels`, with " +
        "the figures of now, newest alert first. A member sees those of their own agents. Each is told once for limit, period and level, as " +
        "audit entry and event `budget.alert`: of several levels reached at once the highest; after a raised cap, and in a new period, anew. " +
        "An alert disappears when usage is below its level again, after a higher cap or other levels. Test requests raise none, and wallets have none."
    )
) {}

/**
 * Budgets of agents: the cap of a UTC month, its spent and held amounts, and the alerts at a workspace's usage levels.
 * Spec: reference/budgets-and-ledger.md "Agent budgets", "Budget alerts".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AllowsTeamRole, AnyAccess, Requires, UserAccess } from "./auth.ts"
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
  /** Includes requests in progress. */
  used_today: Schema.Int
}).annotate({ identifier: "OperationBudget" })

export const AgentBudget = Schema.Struct({
  /** null: no cap. */
  monthly_budget_cents: Schema.NullOr(Cents),
  /** The part of the cap that an approved budget request added for this month only. */
  increase_this_month_cents: Schema.optionalKey(Cents),
  spent_cents: Schema.Int,
  held_cents: Schema.Int,
  /** The amount that active children may spend; it does not reset with the month. */
  committed_cents: Schema.Int,
  /** Below 0 when the cap was lowered below the spent amount; null without a cap. */
  remaining_cents: Schema.NullOr(SignedCents),
  /** null: the workspace's threshold applies. */
  approval_threshold_cents: Schema.NullOr(Cents),
  /** The start of the next month. */
  resets_at: Schema.String,
  /** The agent's version. */
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

/**
 * Limits with alerts. The wallet has none: it has no period, and its use in percent of all funds ever added has no
 * meaning.
 */
export const AlertedLimit = Schema.Literals(["agent_month", "operation_month", "operation_day_count"])
export type AlertedLimit = typeof AlertedLimit.Type

/** The limit and the level that it passed; also the data of a `budget.alert` in the audit log. */
const passedLevel = {
  limit: AlertedLimit,
  /** For an operation's limit. */
  service: Schema.optionalKey(Schema.String),
  operation: Schema.optionalKey(Schema.String),
  /** Percent of the cap; the highest of the workspace's `alert_levels` that is reached. */
  level: Schema.Int,
  /** For a limit in money: the debited amount, without held amounts. */
  used_cents: Schema.optionalKey(Schema.Int),
  cap_cents: Schema.optionalKey(Cents),
  /** For a limit in requests: the executed ones. */
  used_count: Schema.optionalKey(Schema.Int),
  cap_count: Schema.optionalKey(Schema.Int),
  /** The UTC month (`2026-11`) or day (`2026-11-21`). */
  period: Schema.String
}
const PassedLevel = Schema.Struct(passedLevel)
export type PassedLevel = typeof PassedLevel.Type

export const BudgetAlert = Schema.Struct({
  /** The id of its audit entry: another level, period, or raised cap has another entry. */
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
      "An agent sees its own budget, in the counters of its key's mode; a person sees the live counters."
    ),
  HttpApiEndpoint.patch("set", "/agents/:id/budget", { params, payload: BudgetInput, success: AgentBudget })
    .middleware(UserAccess).annotate(Requires, "budgets:write").annotate(AllowsTeamRole, true).annotate(
      OpenApi.Description,
      "Sets the cap of live and of test requests. A cap below the spent amount is allowed and blocks further " +
        "requests; a cap below the amount that child agents hold is 409 budget_committed. With `expected_version`, " +
        "a change based on another version of the agent is 409 `version_conflict`, with the current budget in " +
        "`data`."
    ),
  HttpApiEndpoint.get("alerts", "/budget-alerts", { query: PageQuery, success: Page(BudgetAlert) })
    .middleware(UserAccess).annotate(Requires, "budgets:read").annotate(
      OpenApi.Description,
      "Limits of agents and operations whose use in the current UTC month or day has reached one of the " +
        "workspace's `alert_levels`, with current figures, newest alert first. A member sees the alerts of their " +
        "agents only. Each alert is recorded once per limit, period, and level, as audit entry and event " +
        "`budget.alert`. If several levels are reached at once, only the highest is recorded. A raised cap and a " +
        "new period reset this. An alert disappears when usage is below its level again, after a higher cap or " +
        "other levels. Test requests and wallets raise none."
    )
) {}

/**
 * Budget requests: an agent, or a person for it, asks for a higher monthly cap of the agent or of one operation. Spec:
 * reference/budgets-and-ledger.md "Budget requests".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnyAccess, Decides, Requires } from "./auth.ts"
import { Created } from "./created.ts"
import { AgentId, BudgetRequestId } from "./ids.ts"
import { AmountCents } from "./money.ts"
import { Page, PageQuery } from "./pagination.ts"
import { matching } from "./pattern.ts"
import { Prose } from "./text.ts"

export const budgetReasonMax = 1_000
export const budgetCommentMax = 1_000

export const BudgetRequestStatus = Schema.Literals(["pending", "approved", "rejected", "withdrawn"])
export type BudgetRequestStatus = typeof BudgetRequestStatus.Type

/** `month`: the cap of this and of every later month; `once`: of the month of the approval only. */
export const BudgetPeriod = Schema.Literals(["month", "once"]).annotate({
  description: "`month` raises the cap permanently, `once` for the UTC month of the approval only."
})
export type BudgetPeriod = typeof BudgetPeriod.Type

/** `service.operation`. */
const QualifiedOperation = Schema.String.check(
  Schema.isMaxLength(129),
  matching(/^[a-z][a-z0-9_-]{0,63}(?:\.[a-z][a-z0-9_-]{0,63})+$/u, "an operation as service.operation")
).annotate({
  description: "The operation whose monthly cap should be raised, as `service.operation`. Left out: the agent's cap."
})

const Requester = Schema.Struct({ type: Schema.Literals(["agent", "user"]), id: Schema.String, name: Schema.String })
const Decider = Schema.Struct({ id: Schema.String, name: Schema.String })

export const BudgetRequest = Schema.Struct({
  id: BudgetRequestId,
  agent_id: AgentId,
  /** Of an approved request: the granted amount. */
  amount_cents: AmountCents,
  /** If another amount was granted. */
  requested_amount_cents: Schema.optionalKey(AmountCents),
  period: BudgetPeriod,
  operation: Schema.optionalKey(Schema.String),
  reason: Schema.String,
  status: BudgetRequestStatus,
  requested_by: Requester,
  /** Absent when the requester withdrew it. */
  decided_by: Schema.optionalKey(Decider),
  comment: Schema.optionalKey(Schema.String),
  created_at: Schema.String,
  decided_at: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "BudgetRequest" })
export type BudgetRequest = typeof BudgetRequest.Type

export const CreateBudgetRequestInput = Schema.Struct({
  agent_id: Schema.optionalKey(AgentId.annotate({
    description: "Required from a person; an agent asks for itself only."
  })),
  amount_cents: AmountCents,
  period: BudgetPeriod,
  operation: Schema.optionalKey(QualifiedOperation),
  reason: Prose(budgetReasonMax).check(Schema.isNonEmpty())
}).annotate({ identifier: "CreateBudgetRequestInput" })
export type CreateBudgetRequestInput = typeof CreateBudgetRequestInput.Type

export const DecideBudgetRequestInput = Schema.Struct({
  status: Schema.Literals(["approved", "rejected", "withdrawn"]),
  amount_cents: Schema.optionalKey(AmountCents.annotate({
    description: "With `approved`: the amount to grant instead of the requested one."
  })),
  comment: Schema.optionalKey(Prose(budgetCommentMax))
}).annotate({ identifier: "DecideBudgetRequestInput" })
export type DecideBudgetRequestInput = typeof DecideBudgetRequestInput.Type

const params = { id: BudgetRequestId }

export class BudgetRequestsGroup extends HttpApiGroup.make("budget_requests").add(
  HttpApiEndpoint.get("list", "/budget-requests", {
    query: {
      ...PageQuery,
      status: Schema.optionalKey(BudgetRequestStatus),
      agent_id: Schema.optionalKey(AgentId)
    },
    success: Page(BudgetRequest)
  }).middleware(AnyAccess).annotate(Requires, "budgets:read").annotate(
    OpenApi.Description,
    "Newest first. An agent sees its own requests, a member those of agents that they own and of teams that they " +
      "lead."
  ),
  HttpApiEndpoint.post("create", "/budget-requests", {
    payload: CreateBudgetRequestInput,
    success: Created(BudgetRequest)
  }).middleware(AnyAccess).annotate(
    OpenApi.Description,
    "Asks for a higher monthly cap of an agent, or of one of its operations. An agent asks for itself; a person " +
      "names the agent and needs requests:write or budgets:write. Each agent and operation has one pending request " +
      "at most (409 `budget_request_pending`). Poll the request for the decision."
  ),
  HttpApiEndpoint.get("get", "/budget-requests/:id", { params, success: BudgetRequest })
    .middleware(AnyAccess).annotate(Requires, "budgets:read"),
  HttpApiEndpoint.patch("decide", "/budget-requests/:id", {
    params,
    payload: DecideBudgetRequestInput,
    success: BudgetRequest
  }).middleware(AnyAccess).annotate(Decides, true).annotate(
    OpenApi.Description,
    "`approved` raises the cap in the same transaction; `once` ends with the current UTC month. `approved` and " +
      "`rejected` need budgets:write, which a lead has in the team. `withdrawn` is set by the requester only. A decision " +
      "about a request that is " +
      "not pending is 409 `conflict`, with its status in `data`."
  )
) {}

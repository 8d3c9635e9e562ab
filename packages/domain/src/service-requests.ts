/** Dispatch: one governed action. Spec: "Service request", contract 2. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AgentAccess, AnyAccess, Mode, Requires, UserAccess } from "./auth.ts"
import { AgentId, ApprovalId, ServiceRequestId } from "./ids.ts"
import { Cents } from "./money.ts"
import { Page, PageQuery } from "./pagination.ts"
import { Moment } from "./time.ts"

/** How long `?wait=` may hold an answer back, in seconds. */
export const waitSecondsMax = 30

export const RequestStatus = Schema.Literals(["executed", "blocked", "approval_required", "failed", "running"])
export type RequestStatus = typeof RequestStatus.Type

export const name = Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9_-]{0,63}$/u))
export const commentLengthMax = 2000
export const Comment = Schema.String.check(Schema.isMaxLength(commentLengthMax))

export const DispatchInput = Schema.Struct({
  service: Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(64)),
  operation: Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(64)),
  payload: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ identifier: "DispatchInput" })
export type DispatchInput = typeof DispatchInput.Type

/** Why a request was blocked, with the figures of that moment. */
export const Block = Schema.Struct({
  limit: Schema.String,
  scope: Schema.Struct({ type: Schema.String, id: Schema.String }),
  limit_cents: Schema.optionalKey(Schema.Int),
  spent_cents: Schema.optionalKey(Schema.Int),
  held_cents: Schema.optionalKey(Schema.Int),
  limit_count: Schema.optionalKey(Schema.Int),
  used_count: Schema.optionalKey(Schema.Int),
  resets_at: Schema.optionalKey(Schema.String),
  policy_id: Schema.optionalKey(Schema.String),
  next_action: Schema.Struct({ kind: Schema.String, href: Schema.optionalKey(Schema.String) })
}).annotate({ identifier: "Block" })
export type Block = typeof Block.Type

export const ServiceRequest = Schema.Struct({
  id: ServiceRequestId,
  status: RequestStatus,
  mode: Mode,
  service: Schema.String,
  operation: Schema.String,
  /** What was debited so far: 0 while it waits or runs, and for test keys. */
  cost_cents: Cents,
  /** The price that was checked and held. */
  ceiling_cents: Cents,
  reason_code: Schema.optionalKey(Schema.String),
  approval_id: Schema.optionalKey(ApprovalId),
  /** On `executed` the provider's JSON; on `failed` `{ code, detail }`. */
  result: Schema.optionalKey(Schema.Unknown),
  block: Schema.optionalKey(Block),
  /** A true answer that came after the verdict; it changed neither status nor money. */
  late_result: Schema.optionalKey(Schema.Unknown),
  /** Who filed it by editing another. */
  origin: Schema.optionalKey(Schema.Struct({ user_id: Schema.String, replaces: Schema.String })),
  agent_id: AgentId,
  created_at: Schema.String,
  completed_at: Schema.optionalKey(Schema.String),
  links: Schema.Struct({ self: Schema.String })
}).annotate({ identifier: "ServiceRequest" })
export type ServiceRequest = typeof ServiceRequest.Type

/** What is left of each limit at this moment; a limit that is not set is absent. */
export const Remaining = Schema.Struct({
  operation_month_cents: Schema.optionalKey(Schema.Int),
  operation_day_count: Schema.optionalKey(Schema.Int),
  agent_month_cents: Schema.optionalKey(Schema.Int),
  wallet_cents: Schema.Int
}).annotate({ identifier: "Remaining" })
export type Remaining = typeof Remaining.Type

const MoneyLimit = Schema.Struct({
  cap_cents: Cents,
  spent_cents: Schema.Int,
  held_cents: Schema.Int,
  /** What an agent's living children may spend of its month. */
  committed_cents: Schema.optionalKey(Schema.Int),
  resets_at: Schema.String
}).annotate({ identifier: "MoneyLimit" })

/**
 * The figures behind `Remaining`, in the mode of the request; a limit that is not set is absent. A wallet is live in every mode.
 */
export const LimitFigures = Schema.Struct({
  operation_month: Schema.optionalKey(MoneyLimit),
  /** `used_count` holds what is under way too. */
  operation_day: Schema.optionalKey(Schema.Struct({ limit_count: Schema.Int, used_count: Schema.Int, resets_at: Schema.String })),
  agent_month: Schema.optionalKey(MoneyLimit),
  wallet: Schema.Struct({ balance_cents: Schema.Int, held_cents: Schema.Int })
}).annotate({ identifier: "LimitFigures" })
export type LimitFigures = typeof LimitFigures.Type

export const Estimate = Schema.Struct({
  status: RequestStatus,
  mode: Mode,
  service: Schema.String,
  operation: Schema.String,
  reason_code: Schema.optionalKey(Schema.String),
  /** What it is expected to cost; at most the ceiling. */
  cost_cents: Cents,
  ceiling_cents: Cents,
  block: Schema.optionalKey(Block),
  result: Schema.optionalKey(Schema.Unknown),
  remaining: Schema.optionalKey(Remaining)
}).annotate({ identifier: "Estimate" })
export type Estimate = typeof Estimate.Type

export const EstimateInput = Schema.Struct({ ...DispatchInput.fields, agent_id: Schema.optionalKey(AgentId) })

export const SettleInput = Schema.Struct({
  status: Schema.Literals(["executed", "failed"]),
  cost_cents: Schema.optionalKey(Cents),
  result: Schema.optionalKey(Schema.Unknown),
  detail: Schema.optionalKey(Comment),
  comment: Comment.check(Schema.isMinLength(1))
})

/** One or several values of a query parameter that may repeat. */
export const many = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.Union([schema, Schema.Array(schema)]))

const id = { id: ServiceRequestId }

export class ServiceRequestsGroup extends HttpApiGroup.make("service_requests").add(
  HttpApiEndpoint.post("dispatch", "/service-requests", {
    payload: DispatchInput,
    success: [ServiceRequest, ServiceRequest.pipe(HttpApiSchema.status(202))]
  }).middleware(AgentAccess).annotate(
    OpenApi.Description,
    "Dispatch one governed action. Header `idempotency-key` (1 to 255 printable ASCII) makes it safe to repeat; " +
    "`x-test-outcome` scripts a test key's outcome."
  ),
  HttpApiEndpoint.get("list", "/service-requests", {
    query: {
      ...PageQuery,
      status: many(RequestStatus),
      agent_id: Schema.optionalKey(AgentId),
      service: Schema.optionalKey(Schema.String),
      operation: Schema.optionalKey(Schema.String),
      mode: Schema.optionalKey(Mode),
      from: Schema.optionalKey(Moment),
      to: Schema.optionalKey(Moment),
      q: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200)))
    },
    success: Page(ServiceRequest)
  }).middleware(AnyAccess).annotate(Requires, "requests:read"),
  HttpApiEndpoint.post("estimate", "/service-requests/estimate", { payload: EstimateInput, success: Estimate })
    .middleware(AnyAccess).annotate(Requires, "requests:write"),
  HttpApiEndpoint.get("get", "/service-requests/:id", {
    params: id,
    query: { wait: Schema.optionalKey(Schema.FiniteFromString.check(Schema.isBetween({ minimum: 0, maximum: waitSecondsMax }))) },
    success: ServiceRequest
  }).middleware(AnyAccess).annotate(Requires, "requests:read"),
  HttpApiEndpoint.post("settle", "/service-requests/:id/settle", { params: id, payload: SettleInput, success: ServiceRequest })
    .middleware(UserAccess).annotate(Requires, "budgets:write"),
  HttpApiEndpoint.post("cancel", "/service-requests/:id/cancel", { params: id, success: ServiceRequest })
    .middleware(AnyAccess).annotate(Requires, "requests:write")
) {}

/** Dispatch: one governed action. Spec: reference/requests.md "Service requests". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AgentAccess, AnyAccess, Mode, Requires, StaysOpen, UserAccess, WorkspaceInQuery } from "./auth.ts"
import { AgentId, ApprovalId, OrgId, ServiceRequestId, StandingApprovalId } from "./ids.ts"
import { Cents } from "./money.ts"
import { Origin } from "./origin.ts"
import { AmountQuery, IntegerInQuery, Page, PageQuery, sortBy } from "./pagination.ts"
import { matching, namePattern } from "./pattern.ts"
import { SummaryField } from "./summary.ts"
import { Moment } from "./time.ts"

/** The longest time that `?wait=` may delay an answer, in seconds. */
export const waitSecondsMax = 30

export const RequestStatus = Schema.Literals(["executed", "blocked", "approval_required", "failed", "running"])
export type RequestStatus = typeof RequestStatus.Type

export const name = Schema.String.check(
  matching(
    namePattern,
    "lower-case letters, digits, _ and -, beginning with a letter, at most 64 characters"
  )
)
export const commentLengthMax = 2000
export const Comment = Schema.String.check(Schema.isMaxLength(commentLengthMax))

export const DispatchInput = Schema.Struct({
  service: Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(64)),
  operation: Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(64)),
  payload: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ identifier: "DispatchInput" })
export type DispatchInput = typeof DispatchInput.Type

/** Outcomes that a test-mode request may simulate instead of calling the mock provider. */
export const testOutcomes = ["approval", "failure", "running", "blocked"] as const
export type TestOutcome = typeof testOutcomes[number]

export const TestRequestInput = Schema.Struct({
  ...DispatchInput.fields,
  /** Simulates this outcome; without it, a mock provider answers by the operation's result schema. */
  outcome: Schema.optionalKey(Schema.Literals(testOutcomes))
}).annotate({ identifier: "TestRequestInput" })
export type TestRequestInput = typeof TestRequestInput.Type

/** Why a request was blocked, with the figures at that moment. */
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
  /** The reason for the block, in one sentence. */
  message: Schema.optionalKey(Schema.String),
  /** The reason of the policy rule that blocks it. */
  reason: Schema.optionalKey(Schema.String),
  /** The comment of the person who rejected it. */
  comment: Schema.optionalKey(Schema.String),
  /** No service of the workspace has this operation: one of the names is misspelt. */
  unknown_operation: Schema.optionalKey(Schema.Boolean),
  /** Similar operations that the agent may use, as `service.operation`. */
  did_you_mean: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The provider's message, where it refused by its own rules (`limit: provider`). */
  detail: Schema.optionalKey(Schema.String),
  next_action: Schema.Struct({ kind: Schema.String, href: Schema.optionalKey(Schema.String) })
}).annotate({ identifier: "Block" })
export type Block = typeof Block.Type

/** The event that ends a running request, and its deadline. */
export const WaitingFor = Schema.Struct({
  /** `settlement`: the outcome is unknown, and a person or a callback settles the request. */
  kind: Schema.Literals(["provider", "callback", "poll", "settlement", "device"]),
  /** Its deadline: without an answer by then the outcome is unknown. */
  until: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "WaitingFor" })
export type WaitingFor = typeof WaitingFor.Type

export const ServiceRequest = Schema.Struct({
  id: ServiceRequestId,
  status: RequestStatus,
  mode: Mode,
  service: Schema.String,
  operation: Schema.String,
  /** The amount debited so far: 0 while the request is pending or running, and for test keys. */
  cost_cents: Cents,
  /** The checked and held price. */
  ceiling_cents: Cents,
  /** For `executed`: the provider's amount, where it is above the ceiling. The ceiling was charged. */
  reported_cost_cents: Schema.optionalKey(Schema.Int),
  reason_code: Schema.optionalKey(Schema.String),
  approval_id: Schema.optionalKey(ApprovalId),
  /**
   * For `executed`, the provider's JSON; for `failed`, `{ code, detail, fate? }`. `fate: "unknown"`: the provider may
   * have acted, so a new idempotency-key may pay twice.
   */
  result: Schema.optionalKey(Schema.Unknown),
  block: Schema.optionalKey(Block),
  /** For `running`. */
  waiting_for: Schema.optionalKey(WaitingFor),
  /** A valid result that arrived after the settlement; it changed no status and no debit. */
  late_result: Schema.optionalKey(Schema.Unknown),
  origin: Schema.optionalKey(Origin),
  agent_id: AgentId,
  /**
   * In lists for people: the fields that a row shows of the payload, by the operation's `summary`. Never a masked
   * field.
   */
  summary: Schema.optionalKey(Schema.Array(SummaryField)),
  created_at: Schema.String,
  completed_at: Schema.optionalKey(Schema.String),
  links: Schema.Struct({ self: Schema.String })
}).annotate({ identifier: "ServiceRequest" })
export type ServiceRequest = typeof ServiceRequest.Type

/** The current rest of each limit; a limit that is not set is absent. */
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
  /** The amount that an agent's active children may spend of its month. */
  committed_cents: Schema.optionalKey(Schema.Int),
  resets_at: Schema.String
}).annotate({ identifier: "MoneyLimit" })

/**
 * The figures behind `Remaining`, in the mode of the request; a limit that is not set is absent. A wallet is live in
 * every mode.
 */
export const LimitFigures = Schema.Struct({
  operation_month: Schema.optionalKey(MoneyLimit),
  /** `used_count` includes requests in progress. */
  operation_day: Schema.optionalKey(
    Schema.Struct({ limit_count: Schema.Int, used_count: Schema.Int, resets_at: Schema.String })
  ),
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
  /** The expected cost; at most the ceiling. */
  cost_cents: Cents,
  ceiling_cents: Cents,
  block: Schema.optionalKey(Block),
  result: Schema.optionalKey(Schema.Unknown),
  remaining: Schema.optionalKey(Remaining)
}).annotate({ identifier: "Estimate" })
export type Estimate = typeof Estimate.Type

export const EstimateInput = Schema.Struct({ ...DispatchInput.fields, agent_id: Schema.optionalKey(AgentId) })

export const SettleInput = Schema.Struct({
  /** `blocked`: the provider refused it by its own rules. */
  status: Schema.Literals(["executed", "failed", "blocked"]),
  /** For `executed` only: at most the ceiling, which is also the default. */
  cost_cents: Schema.optionalKey(Cents),
  result: Schema.optionalKey(Schema.Unknown),
  detail: Schema.optionalKey(Comment),
  comment: Comment.check(Schema.isMinLength(1))
})

/** One or several values of a repeatable query parameter. */
export const many = <S extends Schema.Top>(schema: S) =>
  Schema.optionalKey(Schema.Union([schema, Schema.Array(schema)]))

/** Filters that the list and its export share. `from` is inclusive, `to` exclusive. */
export const RequestFilter = {
  status: many(RequestStatus),
  agent_id: Schema.optionalKey(AgentId),
  service: Schema.optionalKey(Schema.String),
  operation: Schema.optionalKey(Schema.String),
  /** Only requests that this standing approval approved. */
  standing_approval_id: Schema.optionalKey(StandingApprovalId),
  mode: Schema.optionalKey(Mode),
  reason_code: Schema.optionalKey(
    Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(64)).annotate({
      description: "The reason code of a request, or the code of its failure"
    })
  ),
  ...AmountQuery,
  from: Schema.optionalKey(Moment),
  to: Schema.optionalKey(Moment),
  q: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200)))
}

export interface RequestQuery {
  readonly status?: RequestStatus | ReadonlyArray<RequestStatus>
  readonly agent_id?: AgentId
  readonly service?: string
  readonly operation?: string
  readonly standing_approval_id?: string
  readonly mode?: Mode
  readonly reason_code?: string
  readonly min_cents?: number
  readonly max_cents?: number
  readonly from?: string
  readonly to?: string
  readonly q?: string
}

export const requestSorts = ["created_at", "cost_cents"] as const
export type RequestSort = (typeof requestSorts)[number] | `-${(typeof requestSorts)[number]}`

const id = { id: ServiceRequestId }

export class ServiceRequestsGroup extends HttpApiGroup.make("service_requests").add(
  HttpApiEndpoint.post("dispatch", "/service-requests", {
    payload: DispatchInput,
    success: [ServiceRequest, ServiceRequest.pipe(HttpApiSchema.status(202))]
  }).middleware(AgentAccess).annotate(
    OpenApi.Description,
    "Requests a paid action. With header `idempotency-key` (1 to 255 printable ASCII characters) it can be " +
      "repeated safely; `x-test-outcome` sets the outcome for a test key; `x-delegated-task` names the delegated task " +
      "whose budget it spends."
  ),
  HttpApiEndpoint.post("test", "/agents/:id/test-requests", {
    params: { id: AgentId },
    payload: TestRequestInput,
    success: [ServiceRequest, ServiceRequest.pipe(HttpApiSchema.status(202))]
  }).middleware(UserAccess).annotate(Requires, "agents:write").annotate(
    OpenApi.Description,
    "Sends a test-mode request as the agent, without an agent key. Every check of dispatch applies, with the " +
      "test-mode counters; the provider is not called and nothing is debited. The audit log names the person. " +
      "`outcome` sets the outcome as header `x-test-outcome` does. Header `idempotency-key` works as for dispatch. " +
      "Members can test only their own agents."
  ),
  HttpApiEndpoint.get("list", "/service-requests", {
    query: { ...PageQuery, ...RequestFilter, sort: sortBy(requestSorts) },
    success: Page(ServiceRequest)
  }).middleware(AnyAccess).annotate(Requires, "requests:read").annotate(
    OpenApi.Description,
    "Newest first unless `sort` sets another order. `min_cents` and `max_cents` apply to the cost of executed " +
      "requests and to the ceiling of all others. With `sort`, an amount, or `reason_code`, a page can have fewer " +
      "requests than `limit`, or none, and still have a `next_cursor`: each call reads a bounded number of " +
      "requests. `q` searches the id, the operation, and the values of the payload, not the names of its fields; " +
      "case and accents do not matter."
  ),
  HttpApiEndpoint.get("export", "/service-requests/export", {
    query: {
      format: Schema.optionalKey(Schema.Literals(["csv", "jsonl"])),
      workspace: Schema.optionalKey(OrgId),
      ...RequestFilter
    },
    success: [
      Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })),
      Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))
    ]
  }).middleware(UserAccess).annotate(Requires, "requests:read").annotate(WorkspaceInQuery, true).annotate(
    StaysOpen,
    true
  ).annotate(
    OpenApi.Description,
    "Downloads the list, newest first, as `csv` (default) or `jsonl`, streamed at any size. The filters are " +
      "those of the list, and members receive the requests of their agents only. `jsonl` has one service request " +
      "per line. `workspace` selects the workspace for links, as header svc-workspace does. In CSV, a cell that a " +
      "spreadsheet would read as a formula begins with an apostrophe."
  ),
  HttpApiEndpoint.post("estimate", "/service-requests/estimate", { payload: EstimateInput, success: Estimate })
    .middleware(AnyAccess).annotate(Requires, "requests:write"),
  HttpApiEndpoint.get("get", "/service-requests/:id", {
    params: id,
    query: { wait: Schema.optionalKey(IntegerInQuery(0, waitSecondsMax)) },
    success: ServiceRequest
  }).middleware(AnyAccess).annotate(Requires, "requests:read"),
  HttpApiEndpoint.post("settle", "/service-requests/:id/settle", {
    params: id,
    payload: SettleInput,
    success: ServiceRequest
  })
    .middleware(UserAccess).annotate(Requires, "budgets:write"),
  HttpApiEndpoint.post("cancel", "/service-requests/:id/cancel", { params: id, success: ServiceRequest })
    .middleware(AnyAccess).annotate(Requires, "requests:write")
) {}

/**
 * Approvals: a person's verdict on a request above its approval threshold, or one for which a rule requires approval.
 * Spec: reference/approvals.md "Approvals".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AllowsTeamRole, AnyAccess, Decides, Mode, Requires, StaysOpen, UserAccess } from "./auth.ts"
import { Command } from "./devices.ts"
import { expressionLengthMax } from "./expression.ts"
import { AgentId, ApprovalId, OrgId, ServiceRequestId, StandingApprovalId } from "./ids.ts"
import { AmountCents, Cents } from "./money.ts"
import { AmountQuery, IntegerInQuery, Page, PageQuery, sortBy } from "./pagination.ts"
import { matching } from "./pattern.ts"
import { searchTextMax } from "./search.ts"
import {
  Block,
  Comment,
  LimitFigures,
  many,
  name,
  Remaining,
  RequestStatus,
  ServiceRequest
} from "./service-requests.ts"
import { OperationName } from "./services.ts"
import { SummaryField } from "./summary.ts"
import { Expiry } from "./time.ts"

/** Approvals that one batch may decide. */
export const batchDecisionsMax = 100
/** Decisions on the same agent and operation that an approval lists. */
export const recentDecisionsMax = 5
/** How long approve waits for the outcome, in milliseconds; after that it answers `running`. */
export const approveWaitMillisMax = 25_000
/** The most pending approvals that a new standing approval decides: the oldest ones. */
export const applyToPendingMax = 100
/** Standing approvals of one agent that are in force. Each may be evaluated for every request of the agent. */
export const standingMax = 100
/** A standing approval lives at most a year. */
export const standingLifeSecondsMax = 31_536_000

export const ApprovalStatus = Schema.Literals(["pending", "approved", "rejected", "expired", "cancelled"])
export type ApprovalStatus = typeof ApprovalStatus.Type
export const ApprovalKind = Schema.Literals([
  "service_request",
  "workflow_step",
  "chat_tool_call",
  "agent_request",
  "device_command"
])

const Digest = Schema.String.check(matching(/^[0-9a-f]{64}$/u, "64 lower-case hexadecimal digits"))
export const Person = Schema.Struct({ id: Schema.String, name: Schema.String, email: Schema.String })
/** An approver. An agent key gets no `email`. */
const Decider = Schema.Struct({ ...Person.fields, email: Schema.optionalKey(Schema.String) })
const Named = Schema.Struct({ id: Schema.String, name: Schema.String })
const Subject = Schema.Struct({ type: Schema.String, id: Schema.String })

export const Decision = Schema.Struct({
  user: Decider,
  decision: Schema.Literals(["approve", "reject"]),
  /** On a vote to approve, while the approval is pending. False: the voter may no longer approve it. */
  counts: Schema.optionalKey(Schema.Boolean),
  comment: Schema.optionalKey(Schema.String),
  at: Schema.String
})

export const Approval = Schema.Struct({
  id: ApprovalId,
  status: ApprovalStatus,
  kind: ApprovalKind,
  subject: Subject,
  /** The requester. For a device command that a person queued it is that person: see `requested_by`. */
  agent: Named,
  /** For a device command: the requester, the reason, and the device that would run it. */
  requested_by: Schema.optionalKey(Schema.Struct({ type: Schema.String, ...Named.fields })),
  request_reason: Schema.optionalKey(Schema.String),
  device: Schema.optionalKey(Named),
  service: Schema.optionalKey(Schema.String),
  operation: Schema.optionalKey(Schema.String),
  /** Fields whose schema says `writeOnly` are shown as `{ "$masked": true }`. For a device command: its plan. */
  payload: Schema.optionalKey(Schema.Unknown),
  /** The fields that a row shows of the payload, by the operation's `summary`. Never a masked field. */
  summary: Schema.optionalKey(Schema.Array(SummaryField)),
  /** The request's ceiling. */
  cost_cents: Cents,
  threshold_cents: Cents,
  /** The remaining amounts at this moment; a pending approval holds no money. */
  remaining: Remaining,
  /** The figures behind `remaining`, read at the same moment. */
  limits: LimitFigures,
  reason: Schema.String,
  policy_id: Schema.optionalKey(Schema.String),
  requested_at: Schema.String,
  expires_at: Schema.String,
  /**
   * SHA-256 of RFC 8785 of `{ agent_id, ceiling_cents, mode, operation, payload, service }`, unmasked; for a device
   * command, of its plan.
   */
  payload_digest: Schema.String,
  allowed_decisions: Schema.Array(
    Schema.Struct({
      decision: Schema.String,
      allowed: Schema.Boolean,
      denied_because: Schema.optionalKey(Schema.String)
    })
  ),
  deciders: Schema.Array(Schema.Struct({ user: Decider, can: Schema.Boolean })),
  previous: Schema.optionalKey(
    Schema.Struct({ approval_id: Schema.String, payload: Schema.Unknown, decided_at: Schema.String })
  ),
  /** Approvals of the same agent, operation, and mode. */
  recent: Schema.Struct({
    count_30d: Schema.Int,
    approved: Schema.Int,
    rejected: Schema.Int,
    median_cents: Schema.NullOr(Schema.Int),
    /** How often this same action (by its digest) was approved before. */
    same_action_approved: Schema.Int,
    /** The latest earlier decisions, newest first. */
    decisions: Schema.Array(Schema.Struct({
      approval_id: ApprovalId,
      decision: Schema.Literals(["approved", "rejected"]),
      cost_cents: Cents,
      same_action: Schema.Boolean,
      decided_at: Schema.String,
      decided_by: Schema.optionalKey(Decider)
    }))
  }),
  decided_at: Schema.optionalKey(Schema.String),
  decided_by: Schema.optionalKey(Decider),
  comment: Schema.optionalKey(Schema.String),
  required_approvals: Schema.Int,
  decisions: Schema.Array(Decision),
  mode: Mode,
  org_id: Schema.String,
  service_request_id: Schema.optionalKey(ServiceRequestId),
  /** After an approval: the status of its request, which later checks may still block. */
  outcome: Schema.optionalKey(Schema.Struct({ status: RequestStatus, reason_code: Schema.optionalKey(Schema.String) })),
  replaced_by: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Approval" })
export type Approval = typeof Approval.Type

const StandingCondition = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(expressionLengthMax)).annotate({
  description: "CEL over payload that returns true or false. A payload for which it fails to evaluate is not covered."
})

const Remember = Schema.Struct({
  max_cost_cents: AmountCents,
  expires_at: Expiry,
  max_total_cents: Schema.optionalKey(AmountCents),
  max_uses: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  when: Schema.optionalKey(StandingCondition),
  apply_to_pending: Schema.optionalKey(Schema.Boolean.annotate({
    description:
      "Also approve the pending requests that the standing approval covers, at most 100, oldest first. Each passes " +
      "the same checks as any other decision and counts as a use."
  }))
}).check(
  Schema.makeFilter((remember) =>
    (remember.max_total_cents === undefined) === (remember.max_uses === undefined)
      ? "give either max_total_cents or max_uses"
      : undefined
  )
).annotate({ identifier: "Remember" })

export const ApproveInput = Schema.Struct({
  comment: Schema.optionalKey(Comment),
  payload_digest: Schema.optionalKey(Digest),
  /** Adds a standing approval for this agent and operation. */
  remember: Schema.optionalKey(Remember)
})
export type ApproveInput = typeof ApproveInput.Type

export const StandingApproval = Schema.Struct({
  id: StandingApprovalId,
  agent_id: AgentId,
  service: Schema.String,
  operation: Schema.String,
  mode: Mode,
  max_cost_cents: Cents,
  max_total_cents: Schema.optionalKey(Cents),
  max_uses: Schema.optionalKey(Schema.Int),
  when: Schema.optionalKey(
    Schema.String.annotate({ description: "CEL over payload. Absent: every payload is covered." })
  ),
  /** The amount of the requests that it approved: spent and held. */
  used_cents: Schema.Int,
  uses: Schema.Int,
  created_by: Person,
  created_at: Schema.String,
  last_used_at: Schema.optionalKey(Schema.String),
  expires_at: Schema.String
}).annotate({ identifier: "StandingApproval" })
export type StandingApproval = typeof StandingApproval.Type

const AppliedApproval = Schema.Struct({
  id: ApprovalId,
  service_request_id: ServiceRequestId,
  /** The approval's current status. `pending` without `error`: the hub decides it within a minute. */
  status: ApprovalStatus,
  /** Why the standing approval did not decide it. */
  error: Schema.optionalKey(Schema.Struct({ code: Schema.String, message: Schema.String }))
}).annotate({ identifier: "AppliedApproval" })
export type AppliedApproval = typeof AppliedApproval.Type

export const ApproveResult = Schema.Struct({
  approval: Approval,
  service_request: Schema.optionalKey(ServiceRequest),
  /** The command after its device continued, or after some seconds without that. */
  device_command: Schema.optionalKey(Command),
  standing_approval: Schema.optionalKey(StandingApproval),
  /**
   * With `remember.apply_to_pending`: the outcome of each pending approval that the standing approval covers, oldest
   * first.
   */
  applied: Schema.optionalKey(Schema.Array(AppliedApproval))
}).annotate({ identifier: "ApproveResult" })

export const RejectInput = Schema.Struct({
  comment: Schema.optionalKey(Comment),
  payload_digest: Schema.optionalKey(Digest)
})

export const DecideInput = Schema.Struct({
  items: Schema.optionalKey(
    Schema.Array(Schema.Struct({ id: ApprovalId, payload_digest: Digest })).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(batchDecisionsMax)
    )
  ),
  ids: Schema.optionalKey(Schema.Array(ApprovalId).check(Schema.isMinLength(1), Schema.isMaxLength(batchDecisionsMax))),
  decision: Schema.Literals(["approve", "reject"]),
  comment: Schema.optionalKey(Comment)
}).check(
  Schema.makeFilter((input) =>
    (input.items === undefined) === (input.ids === undefined) ? "give either items or ids" : undefined
  )
)

/** The outcome of an approved request, as far as it is available when the batch answers. */
const DecidedRequest = Schema.Struct({
  id: ServiceRequestId,
  status: RequestStatus,
  /** The amount debited so far. */
  cost_cents: Cents,
  reason_code: Schema.optionalKey(Schema.String),
  block: Schema.optionalKey(Block),
  /** The reason for the failure. */
  failure: Schema.optionalKey(Schema.Struct({ code: Schema.String, detail: Schema.optionalKey(Schema.String) }))
}).annotate({ identifier: "DecidedRequest" })

export const DecideResult = Schema.Struct({
  results: Schema.Array(Schema.Struct({
    id: ApprovalId,
    /**
     * The approval's current status, absent when it does not exist; `error` explains why this decision did not count.
     */
    status: Schema.optionalKey(ApprovalStatus),
    /** The request that this decision approved: `approved` alone does not mean executed. */
    service_request: Schema.optionalKey(DecidedRequest),
    error: Schema.optionalKey(
      Schema.Struct({
        code: Schema.String,
        message: Schema.String,
        data: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
      })
    )
  }))
})

export const EditInput = Schema.Struct({
  payload: Schema.Record(Schema.String, Schema.Unknown),
  payload_digest: Digest,
  comment: Schema.optionalKey(Comment)
})
export const EditResult = Schema.Struct({ approval: Approval, service_request: ServiceRequest })

export const StandingPreviewInput = Schema.Struct({
  agent_id: AgentId,
  service: Schema.String,
  operation: Schema.String,
  mode: Schema.optionalKey(Mode),
  max_cost_cents: AmountCents,
  max_total_cents: Schema.optionalKey(AmountCents),
  max_uses: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  when: Schema.optionalKey(StandingCondition),
  /** The approval that would create it; excluded from the pending ones. */
  approval_id: Schema.optionalKey(ApprovalId)
})
export const StandingPreview = Schema.Struct({
  checked: Schema.Int,
  covered: Schema.Int,
  covered_cents: Schema.Int,
  /** Requests on whose payload the evaluation of `when` failed; they are not covered. */
  errors: Schema.Int,
  /** Pending approvals that `apply_to_pending` would decide. */
  pending: Schema.Struct({ count: Schema.Int, cost_cents: Cents }),
  /** Only some were checked, because the condition is slow or many approvals are pending: there may be more. */
  partial: Schema.Boolean,
  requests: Schema.Array(
    Schema.Struct({
      id: ServiceRequestId,
      ceiling_cents: Cents,
      status: Schema.String,
      created_at: Schema.String,
      covered: Schema.Boolean
    })
  )
}).annotate({ identifier: "StandingPreview" })

/** The pending approvals, open agent requests, and pending budget requests of one workspace. */
const WaitingCount = Schema.Struct({
  workspace: OrgId,
  pending: Schema.Int,
  agent_requests: Schema.Int,
  budget_requests: Schema.Int,
  /** The earliest expiry among them. */
  next_expires_at: Schema.optionalKey(Schema.String)
})
export const WaitingCounts = Schema.Struct({
  /** The sum of all workspaces. */
  pending: Schema.Int,
  /** The open agent requests and the pending budget requests of all workspaces; `pending` does not include them. */
  agent_requests: Schema.Int,
  budget_requests: Schema.Int,
  data: Schema.Array(WaitingCount),
  as_of: Schema.String
}).annotate({ identifier: "WaitingCounts" })
export type WaitingCounts = typeof WaitingCounts.Type

const workspace = Schema.optionalKey(Schema.String.check(Schema.isMaxLength(64)))

/** A hundred years. */
const ageSecondsMax = 3_155_760_000
const age = (description: string) => Schema.optionalKey(IntegerInQuery(0, ageSecondsMax).annotate({ description }))
export const approvalSorts = ["requested_at", "cost_cents", "expires_at"] as const
export type ApprovalSort = (typeof approvalSorts)[number] | `-${(typeof approvalSorts)[number]}`

/** Filters of the list of approvals. */
export const ApprovalFilter = {
  status: many(ApprovalStatus),
  agent_id: Schema.optionalKey(AgentId),
  kind: Schema.optionalKey(ApprovalKind),
  service: Schema.optionalKey(name),
  operation: Schema.optionalKey(OperationName),
  ...AmountQuery,
  min_age_seconds: age("Only approvals that were requested at least this long ago"),
  max_age_seconds: age("Only approvals that were requested at most this long ago"),
  q: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(searchTextMax)).annotate({
      description:
        "Only approvals that contain every word in the agent, the device, the operation, the reason, or the " +
        "values of the payload, or that have this id or seal. Case and accents do not matter. Fields that the " +
        "operation's schema marks `writeOnly` are not searched. A page can be short or empty and still have a " +
        "`next_cursor`."
    })
  )
}
export interface ApprovalQuery {
  readonly status?: ApprovalStatus | ReadonlyArray<ApprovalStatus>
  readonly agent_id?: AgentId
  readonly kind?: typeof ApprovalKind.Type
  readonly service?: string
  readonly operation?: string
  readonly min_cents?: number
  readonly max_cents?: number
  readonly min_age_seconds?: number
  readonly max_age_seconds?: number
  readonly q?: string
  readonly sort?: ApprovalSort
}

const id = { id: ApprovalId }

export class ApprovalsGroup extends HttpApiGroup.make("approvals").add(
  HttpApiEndpoint.get("list", "/approvals", {
    query: {
      ...PageQuery,
      ...ApprovalFilter,
      sort: sortBy(approvalSorts),
      workspace
    },
    success: Page(Approval)
  }).middleware(UserAccess).annotate(Requires, "approvals:read").annotate(
    OpenApi.Description,
    "`status` is pending by default, oldest first. Other statuses, of which several can be given, are listed " +
      "newest first. `sort` sets another order. `workspace=all` includes every workspace of the person."
  ),
  HttpApiEndpoint.get("export", "/approvals/export", {
    query: { ...ApprovalFilter, sort: sortBy(approvalSorts), workspace },
    success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))
  }).middleware(UserAccess).annotate(Requires, "approvals:read").annotate(StaysOpen, true).annotate(
    OpenApi.Description,
    "Downloads the list as CSV, streamed at any size, with the filters, the order, and `workspace` of the list. " +
      "Members receive the approvals of their agents and devices only. A cell that a spreadsheet would read as a " +
      "formula begins with an apostrophe."
  ),
  HttpApiEndpoint.get("counts", "/approvals/counts", { query: { workspace }, success: WaitingCounts })
    .middleware(UserAccess).annotate(Requires, "approvals:read").annotate(
      OpenApi.Description,
      "Counts pending approvals, and separately open agent requests and pending budget requests, without listing " +
        "them. `workspace=all` includes every workspace of the person."
    ),
  HttpApiEndpoint.get("get", "/approvals/:id", { params: id, success: Approval })
    .middleware(AnyAccess).annotate(Requires, "approvals:read"),
  HttpApiEndpoint.post("approve", "/approvals/:id/approve", {
    params: id,
    payload: [ApproveInput, Schema.Null],
    success: ApproveResult
  }).middleware(UserAccess).annotate(Requires, "approvals:decide").annotate(AllowsTeamRole, true)
    .annotate(Decides, true),
  HttpApiEndpoint.post("reject", "/approvals/:id/reject", {
    params: id,
    payload: [RejectInput, Schema.Null],
    success: Approval
  })
    .middleware(UserAccess).annotate(Requires, "approvals:decide").annotate(AllowsTeamRole, true)
    .annotate(Decides, true),
  HttpApiEndpoint.post("decide", "/approvals/decide", { payload: DecideInput, success: DecideResult })
    .middleware(UserAccess).annotate(Requires, "approvals:decide").annotate(AllowsTeamRole, true)
    .annotate(Decides, true).annotate(
      OpenApi.Description,
      "Decides up to 100 approvals in the given order; one failure does not stop the others. Requests are " +
        "admitted against the limits in that order, so an earlier one can use the budget of a later one. " +
        "`service_request` is the outcome of each approved request."
    ),
  HttpApiEndpoint.post("edit", "/approvals/:id/edit", { params: id, payload: EditInput, success: EditResult })
    .middleware(UserAccess).annotate(Requires, "approvals:decide").annotate(AllowsTeamRole, true)
    .annotate(Decides, true).annotate(
      OpenApi.Description,
      "Rejects a pending approval and files a new request with the changed payload, in one transaction. The new request names " +
        "the person who edited it and the request that it replaces in `origin`, and runs through all checks."
    )
) {}

export class StandingApprovalsGroup extends HttpApiGroup.make("standing_approvals").add(
  HttpApiEndpoint.get("list", "/standing-approvals", {
    query: { ...PageQuery, agent_id: Schema.optionalKey(AgentId) },
    success: Page(StandingApproval)
  })
    .middleware(UserAccess).annotate(Requires, "approvals:read"),
  HttpApiEndpoint.get("get", "/standing-approvals/:id", {
    params: { id: StandingApprovalId },
    success: StandingApproval
  })
    .middleware(UserAccess).annotate(Requires, "approvals:read"),
  HttpApiEndpoint.delete("withdraw", "/standing-approvals/:id", { params: { id: StandingApprovalId } })
    .middleware(UserAccess).annotate(Requires, "approvals:decide"),
  HttpApiEndpoint.post("preview", "/standing-approvals/preview", {
    payload: StandingPreviewInput,
    success: StandingPreview
  })
    .middleware(UserAccess).annotate(Requires, "approvals:decide").annotate(
      OpenApi.Description,
      "Counts the requests, among the last 100 and the pending ones, that a standing approval would cover. Here " +
        "`when` sees masked fields as { \"$masked\": true }; in decisions it sees their values. Changes nothing."
    )
) {}

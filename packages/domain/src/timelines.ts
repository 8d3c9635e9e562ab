/**
 * The timeline of one request through the pipeline, for people: the payload, each step with its result, the approval,
 * the postings, and the audit entries. Spec: reference/requests.md "Pipeline", "Trace".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Approval, Person } from "./approvals.ts"
import { AuditEntry } from "./audit.ts"
import { Requires, UserAccess } from "./auth.ts"
import { ServiceRequestId, StandingApprovalId } from "./ids.ts"
import { LedgerEntry } from "./ledger.ts"
import { Cents } from "./money.ts"
import { LimitFigures, ServiceRequest } from "./service-requests.ts"

/** In order of execution. The first that stops a request decides. */
export const timelineSteps = [
  "credential",
  "idempotency",
  "agent",
  "payload",
  "binding",
  "freeze",
  "policy",
  "daily_count",
  "operation_month",
  "agent_month",
  "wallet",
  "approval",
  "execution",
  "settlement"
] as const
export const TimelineStep = Schema.Literals(timelineSteps)
export type TimelineStep = typeof TimelineStep.Type

/**
 * `passed`: the request continued; `decided`: this step ended it; `open`: the current step; `skipped`: does not apply
 * to this request; `unreached`: the request ended before.
 */
export const StepState = Schema.Literals(["passed", "decided", "open", "skipped", "unreached"])
export type StepState = typeof StepState.Type

export const RequestTimeline = Schema.Struct({
  request: ServiceRequest,
  agent: Schema.Struct({ id: Schema.String, name: Schema.String }),
  /** Fields whose schema says `writeOnly` are shown as `{ "$masked": true }`. */
  payload: Schema.Unknown,
  steps: Schema.Array(Schema.Struct({
    step: TimelineStep,
    state: StepState,
    /** The end of the step; for an open one, its start. */
    at: Schema.optionalKey(Schema.String)
  })),
  approval: Schema.optionalKey(Approval),
  /**
   * The standing approval that approved it, until 90 days after its end; absent without `approvals:read`. `ended`:
   * expired or revoked.
   */
  standing_approval: Schema.optionalKey(
    Schema.Struct({ id: StandingApprovalId, created_by: Person, ended: Schema.Boolean })
  ),
  /**
   * Current values, not those at the time of the request; for a blocked request, `block` has the figures at that
   * moment.
   */
  limits: LimitFigures,
  /** The current approval threshold. */
  threshold_cents: Cents,
  /** Both sides of the debit; empty without a debit, or without `usage:read`. */
  postings: Schema.Array(LedgerEntry),
  /** Entries of the request and its approval, oldest first; empty without `audit:read`. */
  entries: Schema.Array(AuditEntry)
}).annotate({ identifier: "RequestTrace" })
export type RequestTimeline = typeof RequestTimeline.Type

export class TimelinesGroup extends HttpApiGroup.make("traces").add(
  HttpApiEndpoint.get("get", "/service-requests/:id/trace", {
    params: { id: ServiceRequestId },
    success: RequestTimeline
  })
    .middleware(UserAccess).annotate(Requires, "requests:read").annotate(
      OpenApi.Description,
      "The timeline of a request, with its ledger entries and audit entries."
    )
) {}

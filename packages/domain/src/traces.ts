/**
 * The way of one request through the pipeline, for a person who asks why: what was sent, each step with what came of it, the
 * approval, the postings and the log's entries. Spec: contract 2 "The pipeline".
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

/** In the order in which they are taken. The first that stops a request decides. */
export const traceSteps = [
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
export const TraceStep = Schema.Literals(traceSteps)
export type TraceStep = typeof TraceStep.Type

/**
 * `passed`: it went on; `decided`: this step ended it; `open`: it is here now; `skipped`: not asked of this request; `unreached`:
 * it ended before.
 */
export const TraceState = Schema.Literals(["passed", "decided", "open", "skipped", "unreached"])
export type TraceState = typeof TraceState.Type

export const RequestTrace = Schema.Struct({
  request: ServiceRequest,
  agent: Schema.Struct({ id: Schema.String, name: Schema.String }),
  /** Fields whose schema says `writeOnly` are shown as `{ "$masked": true }`. */
  payload: Schema.Unknown,
  steps: Schema.Array(Schema.Struct({
    step: TraceStep,
    state: TraceState,
    /** When it was left; of an open one when it was reached. */
    at: Schema.optionalKey(Schema.String)
  })),
  approval: Schema.optionalKey(Approval),
  /** The one that let it pass, until 90 days after it ended; absent without `approvals:read`. `ended`: expired or revoked. */
  standing_approval: Schema.optionalKey(
    Schema.Struct({ id: StandingApprovalId, created_by: Person, ended: Schema.Boolean })
  ),
  /** As they stand now, not as they stood then; what stopped a request is in its `block`, with the figures of that moment. */
  limits: LimitFigures,
  /** What would wait for a person now. */
  threshold_cents: Cents,
  /** Both sides of what was debited; empty when nothing was, or without `usage:read`. */
  postings: Schema.Array(LedgerEntry),
  /** Of the request and its approval, oldest first; empty without `audit:read`. */
  entries: Schema.Array(AuditEntry)
}).annotate({ identifier: "RequestTrace" })
export type RequestTrace = typeof RequestTrace.Type

export class TracesGroup extends HttpApiGroup.make("traces").add(
  HttpApiEndpoint.get("get", "/service-requests/:id/trace", { params: { id: ServiceRequestId }, success: RequestTrace })
    .middleware(UserAccess).annotate(Requires, "requests:read").annotate(
      OpenApi.Description,
      "How a request went through the pipeline, with what it left in ledger and log."
    )
) {}

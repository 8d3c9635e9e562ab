/**
 * Runs of workflows: their state, and the calls that start, follow, cancel, and repeat them. Spec: reference/workflows.md
 * "Runs".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AnyAccess, Mode, PublicAccess, RefusesTokens, Requires, SessionAccess, StaysOpen } from "./auth.ts"
import {
  AgentId,
  AgentRequestId,
  ApprovalId,
  DelegatedTaskId,
  RunStepId,
  ServiceRequestId,
  WorkflowId,
  WorkflowRunId,
  WorkflowVersionId
} from "./ids.ts"
import { Cents } from "./money.ts"
import { IntegerInQuery, Page, PageQuery } from "./pagination.ts"
import { Block } from "./service-requests.ts"
import { RunStatus, StepLabel, StepStatus, StepType } from "./workflow-definition.ts"

/** The longest time that starting a run may wait for its end, in seconds. */
export const runWaitSecondsMax = 60

export const StepError = Schema.Struct({
  /** `adapter_error`, `step_timeout`, `invalid_input`, a reason code, and others. An open set. */
  code: Schema.String,
  message: Schema.String,
  /** Of a blocked request. */
  block: Schema.optionalKey(Block),
  /** The provider may have acted: a retry may pay twice. */
  fate: Schema.optionalKey(Schema.Literal("unknown"))
}).annotate({ identifier: "StepError" })
export type StepError = typeof StepError.Type

/** An earlier attempt of a step. */
export const StepAttempt = Schema.Struct({
  attempt: Schema.Int,
  status: Schema.Literals(["succeeded", "failed", "cancelled"]),
  request_id: Schema.optionalKey(ServiceRequestId),
  error: Schema.optionalKey(StepError),
  started_at: Schema.optionalKey(Schema.String),
  ended_at: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "StepAttempt" })
export type StepAttempt = typeof StepAttempt.Type

export const RunStep = Schema.Struct({
  id: RunStepId,
  label: StepLabel,
  type: StepType,
  status: StepStatus,
  /** 0 before the first. */
  attempt: Schema.Int,
  request_id: Schema.optionalKey(ServiceRequestId),
  approval_id: Schema.optionalKey(ApprovalId),
  agent_request_id: Schema.optionalKey(AgentRequestId),
  delegated_task_id: Schema.optionalKey(DelegatedTaskId),
  /** The run that a `run_workflow` step started. */
  child_run_id: Schema.optionalKey(WorkflowRunId),
  /** When a delay ends, the next attempt starts, or a callback is no longer awaited. */
  due_at: Schema.optionalKey(Schema.String),
  started_at: Schema.optionalKey(Schema.String),
  ended_at: Schema.optionalKey(Schema.String),
  /** Of all attempts; of a child run, with its steps. */
  cost_cents: Cents,
  /** The rendered configuration; for `service_call`, the payload. Masked fields are hidden. */
  input: Schema.optionalKey(Schema.Json),
  output: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(StepError),
  /** Earlier attempts, oldest first. */
  attempts: Schema.optionalKey(Schema.Array(StepAttempt))
}).annotate({ identifier: "RunStep" })
export type RunStep = typeof RunStep.Type

export const RunError = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  /** The step that failed. */
  label: Schema.optionalKey(StepLabel),
  block: Schema.optionalKey(Block)
}).annotate({ identifier: "RunError" })
export type RunError = typeof RunError.Type

const summary = {
  id: WorkflowRunId,
  workflow_id: WorkflowId,
  version_id: WorkflowVersionId,
  /** The agent whose bindings and wallet the run uses. */
  agent_id: AgentId,
  mode: Mode,
  status: RunStatus,
  /** The amount debited so far, child runs included. */
  cost_cents: Cents,
  max_cost_cents: Schema.optionalKey(Cents),
  /** What started it. */
  source: Schema.Struct({ type: Schema.String, id: Schema.String, name: Schema.String }),
  /** The run whose `run_workflow` step started it. */
  parent_run_id: Schema.optionalKey(WorkflowRunId),
  error: Schema.optionalKey(RunError),
  created_at: Schema.String,
  ended_at: Schema.optionalKey(Schema.String)
}

/** A run in a list, without its steps and values. */
export const RunSummary = Schema.Struct(summary).annotate({ identifier: "WorkflowRunSummary" })
export type RunSummary = typeof RunSummary.Type

export const Run = Schema.Struct({
  ...summary,
  input: Schema.Json,
  output: Schema.optionalKey(Schema.Json),
  steps: Schema.Array(RunStep),
  /** When a run that has not ended fails. */
  deadline_at: Schema.String,
  /** Counts the saved changes; the position of the run's events. */
  revision: Schema.Int
}).annotate({ identifier: "WorkflowRun" })
export type Run = typeof Run.Type

export const StartRunInput = Schema.Struct({
  input: Schema.optionalKey(Schema.Json),
  /** Default: the live version. */
  version_id: Schema.optionalKey(WorkflowVersionId),
  agent_id: Schema.optionalKey(AgentId),
  mode: Schema.optionalKey(Mode),
  max_cost_cents: Schema.optionalKey(Cents),
  wait_seconds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: runWaitSecondsMax })))
}).annotate({ identifier: "StartRunInput" })
export type StartRunInput = typeof StartRunInput.Type

export const StartedRun = Schema.Struct({ run: Run }).annotate({ identifier: "StartedRun" })
export type StartedRun = typeof StartedRun.Type

export const EstimateRunInput = Schema.Struct({
  input: Schema.optionalKey(Schema.Json),
  version_id: Schema.optionalKey(WorkflowVersionId),
  agent_id: Schema.optionalKey(AgentId),
  mode: Schema.optionalKey(Mode)
}).annotate({ identifier: "EstimateRunInput" })
export type EstimateRunInput = typeof EstimateRunInput.Type

export const RunEstimate = Schema.Struct({
  /** The sum of the steps whose cost is known, each executed once. */
  cost_cents: Cents,
  /** Steps whose cost depends on outputs of other steps. */
  unknown: Schema.Array(StepLabel),
  steps: Schema.Array(Schema.Struct({
    label: StepLabel,
    /** As a request's: `executed`, `running`, `approval_required`, `blocked`, `failed`; or `unknown`. */
    status: Schema.String,
    cost_cents: Cents,
    reason_code: Schema.optionalKey(Schema.String),
    block: Schema.optionalKey(Block)
  }))
}).annotate({ identifier: "RunEstimate" })
export type RunEstimate = typeof RunEstimate.Type

export const RepeatInput = Schema.Struct({
  /** Steps with an unknown outcome may run again: their provider may have acted, and may be paid twice. */
  accept_unknown_fate: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "RepeatRunInput" })
export type RepeatInput = typeof RepeatInput.Type

export const isRunEnded = (status: RunStatus): boolean =>
  status === "succeeded" || status === "failed" || status === "cancelled"

const ofWorkflow = { id: WorkflowId }
const ofRun = { runId: WorkflowRunId }

const RunFilter = {
  ...PageQuery,
  status: Schema.optionalKey(RunStatus),
  agent_id: Schema.optionalKey(AgentId),
  mode: Schema.optionalKey(Mode)
}

export class WorkflowRunsGroup extends HttpApiGroup.make("workflow_runs").add(
  HttpApiEndpoint.post("start", "/workflows/:id/runs", {
    params: ofWorkflow,
    payload: [StartRunInput, Schema.Null],
    success: StartedRun.pipe(HttpApiSchema.status(202))
  }).middleware(AnyAccess).annotate(Requires, "workflows:run").annotate(RefusesTokens, true).annotate(StaysOpen, true)
    .annotate(
      OpenApi.Description,
      "Starts a run as an agent that the workflow is granted to; a person names the agent unless exactly one has the " +
        "grant. With an agent key the call is a dispatch of `workflow.run_workflow`: an outcome other than running or " +
        "executed is 409 `run_refused`. People may run a version that is not live in test mode, or with workflows:write. " +
        "Send `idempotency-key`: a repeated call answers with the run's present state. `wait_seconds` delays the answer " +
        "until the run has ended, or the time is up."
    ),
  HttpApiEndpoint.post("estimate", "/workflows/:id/runs/estimate", {
    params: ofWorkflow,
    payload: [EstimateRunInput, Schema.Null],
    success: RunEstimate
  }).middleware(AnyAccess).annotate(Requires, "workflows:run").annotate(RefusesTokens, true).annotate(
    OpenApi.Description,
    "The cost of a run with each step executed once, and what would block it; nothing is started. Steps whose input " +
      "depends on other steps cost their fixed price, or are listed in `unknown`."
  ),
  HttpApiEndpoint.get("listOfWorkflow", "/workflows/:id/runs", {
    params: ofWorkflow,
    query: RunFilter,
    success: Page(RunSummary)
  }).middleware(AnyAccess).annotate(Requires, "workflows:read").annotate(RefusesTokens, true).annotate(
    OpenApi.Description,
    "Newest first. An agent sees its own runs."
  ),
  HttpApiEndpoint.get("list", "/workflow-runs", {
    query: {
      ...RunFilter,
      workflow_id: Schema.optionalKey(WorkflowId),
      parent_run_id: Schema.optionalKey(WorkflowRunId)
    },
    success: Page(RunSummary)
  }).middleware(AnyAccess).annotate(Requires, "workflows:read").annotate(RefusesTokens, true).annotate(
    OpenApi.Description,
    "Runs of all workflows that the caller sees, newest first. An agent sees its own runs."
  ),
  HttpApiEndpoint.get("get", "/workflow-runs/:runId", { params: ofRun, success: Run })
    .middleware(AnyAccess).annotate(Requires, "workflows:read").annotate(RefusesTokens, true),
  HttpApiEndpoint.get("events", "/workflow-runs/:runId/events", {
    params: ofRun,
    query: { last_event_id: Schema.optionalKey(IntegerInQuery(0, 1_000_000_000)) },
    success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
  }).middleware(AnyAccess).annotate(Requires, "workflows:read").annotate(RefusesTokens, true).annotate(StaysOpen, true)
    .annotate(
      OpenApi.Description,
      "Server-sent events of the run. Each has `id:` (the revision), `event: run.updated`, and `data:`: the run with " +
        "the steps that changed since the event before, or since `last-event-id` (header, or query `last_event_id`). The " +
        "stream ends after the event that ends the run."
    ),
  HttpApiEndpoint.post("cancel", "/workflow-runs/:runId/cancel", { params: ofRun, success: Run })
    .middleware(SessionAccess).annotate(Requires, "workflows:run").annotate(
      OpenApi.Description,
      "Waiting steps are canceled, and calls in flight end; then the run is `cancelled`. A run that has ended stays as " +
        "it is."
    ),
  HttpApiEndpoint.post("rerunFailed", "/workflow-runs/:runId/rerun-failed", {
    params: ofRun,
    payload: [RepeatInput, Schema.Null],
    success: Run
  }).middleware(SessionAccess).annotate(Requires, "workflows:run").annotate(
    OpenApi.Description,
    "Starts failed and canceled steps of an ended run again, and all steps behind them; successful steps stay. 409 " +
      "`run_active`, `conflict` when nothing failed, and `fate_unknown` unless `accept_unknown_fate` is true. 410 once " +
      "the retention has removed the run's values."
  ),
  HttpApiEndpoint.post("retryStep", "/workflow-runs/:runId/steps/:label/retry", {
    params: { ...ofRun, label: StepLabel },
    payload: [RepeatInput, Schema.Null],
    success: Run
  }).middleware(SessionAccess).annotate(Requires, "workflows:run").annotate(
    OpenApi.Description,
    "The same for one failed or canceled step."
  ),
  HttpApiEndpoint.get("callbackPage", "/workflow-callbacks/:step_id/:token", {
    params: { step_id: Schema.String, token: Schema.String },
    success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))
  }).middleware(PublicAccess).annotate(OpenApi.Description, "A page that explains the address. It changes nothing."),
  HttpApiEndpoint.post("callback", "/workflow-callbacks/:step_id/:token", {
    params: { step_id: Schema.String, token: Schema.String },
    success: Schema.Struct({ received: Schema.Literal(true) })
  }).middleware(PublicAccess).annotate(
    OpenApi.Description,
    "Continues a `webhook` step with the JSON body as its output. The same body again is 200, another one 409. A wrong " +
      "token is 404."
  )
) {}

/**
 * Scheduled tasks: a service request, or a workflow, at the times of a cron expression. Spec: reference/schedules.md
 * "Scheduled task".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Requires, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { AgentId, ScheduleId, ScheduleRunId, ServiceRequestId, WorkflowId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"
import { RequestStatus } from "./service-requests.ts"
import { OperationName, ServiceName } from "./services.ts"
import { Label } from "./text.ts"
import { expectedVersion, Version } from "./versions.ts"

export const scheduleNameMax = 100
export const jitterSecondsMax = 3_600
/** The schedules of one workspace. */
export const schedulesMax = 1_000
/** The due times that a schedule shows. */
export const nextRunsShown = 5
/** How long runs are kept. */
export const scheduleRunDays = 90

const Payload = Schema.Record(Schema.String, Schema.Unknown)

/** The request that a firing makes. */
export const FiringAction = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("service_request"),
    service: ServiceName,
    operation: OperationName,
    payload: Schema.optionalKey(Payload.annotate({ description: "Default: {}" }))
  }).annotate({ identifier: "ServiceRequestAction" }),
  Schema.Struct({
    type: Schema.Literal("workflow"),
    workflow_id: WorkflowId,
    input: Schema.optionalKey(Payload.annotate({ description: "Default: {}" }))
  }).annotate({ identifier: "WorkflowAction" })
]).annotate({ identifier: "FiringAction" })
export type FiringAction = typeof FiringAction.Type

/** The texts are checked by cron.ts and time-zone.ts, which name the problem. */
export const CronText = Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(400)).annotate({
  description:
    "Five fields: minute, hour, day of month, month, day of week. Names, ranges, steps, L, W and # as in croner; " +
    "@daily and similar"
})
export const ZoneText = Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(64)).annotate({
  description: "An IANA name, such as Europe/Berlin. Default: UTC"
})

export const CatchUp = Schema.Literals(["skip", "once"])
export type CatchUp = typeof CatchUp.Type
export const Overlap = Schema.Literals(["skip", "allow", "queue"])
export type Overlap = typeof Overlap.Type
export const ScheduleStatus = Schema.Literals(["active", "paused"])
export type ScheduleStatus = typeof ScheduleStatus.Type
export const ScheduleRunStatus = Schema.Literals(["fired", "queued", "skipped", "missed"])
export type ScheduleRunStatus = typeof ScheduleRunStatus.Type
/** Who or what paused it. */
export const PauseReason = Schema.Literals(["person", "failures", "member_removed"])
export type PauseReason = typeof PauseReason.Type

const JitterSeconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: jitterSecondsMax })).annotate({
  description:
    "A firing is up to this much later than its due time, and before the next one. The delay depends on the schedule " +
    "and the due time only. Default: 0"
})
const CatchUpField = CatchUp.annotate({
  description:
    "What happens to due times that passed more than 5 minutes ago: `once` (default) fires the last of them, `skip` none"
})
const OverlapField = Overlap.annotate({
  description:
    "What a firing does while an earlier one is open: `skip` (default) leaves it out, `queue` keeps one until then, " +
    "`allow` fires"
})

export const ScheduleRun = Schema.Struct({
  id: ScheduleRunId,
  /** The time that it was due; of `/run`, the time of the call. */
  due_at: Schema.String,
  status: ScheduleRunStatus,
  /** For `fired`. */
  service_request_id: Schema.optionalKey(ServiceRequestId),
  /** The status of that request. */
  request_status: Schema.optionalKey(RequestStatus),
  /** Why the request was refused before it was recorded: the hub's error for the same request of an agent. */
  error: Schema.optionalKey(Schema.Struct({ code: Schema.String, message: Schema.String })),
  /** For `missed`: how many due times were missed, from `due_at` on; at most 1440 are counted. */
  count: Schema.optionalKey(Schema.Int),
  created_at: Schema.String
}).annotate({ identifier: "ScheduleRun" })
export type ScheduleRun = typeof ScheduleRun.Type

export const ScheduledTask = Schema.Struct({
  id: ScheduleId,
  name: Schema.String,
  agent_id: AgentId,
  action: FiringAction,
  cron: Schema.String,
  timezone: Schema.String,
  catch_up: CatchUp,
  overlap: Overlap,
  jitter_seconds: Schema.Int,
  status: ScheduleStatus,
  /** For `paused`: by a person, after 20 failures in a row, or because the agent's owner was removed. */
  paused_by: Schema.optionalKey(PauseReason),
  /** Firings in a row whose request was blocked or failed. */
  failures: Schema.Int,
  /** The next due times, without jitter; empty while it is paused. */
  next_runs: Schema.Array(Schema.String),
  last_run: Schema.optionalKey(ScheduleRun),
  version: Version,
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "ScheduledTask" })
export type ScheduledTask = typeof ScheduledTask.Type

export const CreateScheduledTaskInput = Schema.Struct({
  name: Label(scheduleNameMax),
  agent_id: AgentId,
  cron: CronText,
  timezone: Schema.optionalKey(ZoneText),
  action: FiringAction,
  catch_up: Schema.optionalKey(CatchUpField),
  overlap: Schema.optionalKey(OverlapField),
  jitter_seconds: Schema.optionalKey(JitterSeconds),
  enabled: Schema.optionalKey(Schema.Boolean.annotate({ description: "`false` creates it paused. Default: true" }))
}).annotate({ identifier: "CreateScheduledTaskInput" })
export type CreateScheduledTaskInput = typeof CreateScheduledTaskInput.Type

export const UpdateScheduledTaskInput = Schema.Struct({
  name: Schema.optionalKey(Label(scheduleNameMax)),
  agent_id: Schema.optionalKey(AgentId),
  cron: Schema.optionalKey(CronText),
  timezone: Schema.optionalKey(ZoneText),
  action: Schema.optionalKey(FiringAction),
  catch_up: Schema.optionalKey(CatchUpField),
  overlap: Schema.optionalKey(OverlapField),
  jitter_seconds: Schema.optionalKey(JitterSeconds),
  ...expectedVersion
}).annotate({ identifier: "UpdateScheduledTaskInput" })
export type UpdateScheduledTaskInput = typeof UpdateScheduledTaskInput.Type

export const ScheduleStatusInput = Schema.Struct({ status: ScheduleStatus }).annotate({
  identifier: "ScheduleStatusInput"
})

const params = { id: ScheduleId }

export class ScheduledTasksGroup extends HttpApiGroup.make("scheduled_tasks").add(
  HttpApiEndpoint.get("list", "/scheduled-tasks", {
    query: {
      ...PageQuery,
      agent_id: Schema.optionalKey(AgentId),
      status: Schema.optionalKey(ScheduleStatus)
    },
    success: Page(ScheduledTask)
  }).middleware(UserAccess).annotate(Requires, "schedules:read").annotate(
    OpenApi.Description,
    "Newest first. A member sees the scheduled tasks of agents that they own. The schedules of cron triggers are in `/triggers`."
  ),
  HttpApiEndpoint.post("create", "/scheduled-tasks", {
    payload: CreateScheduledTaskInput,
    success: Created(ScheduledTask)
  }).middleware(UserAccess).annotate(Requires, "schedules:write").annotate(
    OpenApi.Description,
    "Each due time makes one service request of the agent, through the whole pipeline, with `origin: { schedule_id }`. A " +
      "workflow runs as `workflow.run_workflow`. Without `*` in minute and hour, a time that a clock change skips is due " +
      "at the end of the gap, and a repeated time the first time; with `*`, the clock's own times count. The operation " +
      "and its payload are checked: 400 with each path."
  ),
  HttpApiEndpoint.get("get", "/scheduled-tasks/:id", { params, success: ScheduledTask })
    .middleware(UserAccess).annotate(Requires, "schedules:read"),
  HttpApiEndpoint.patch("update", "/scheduled-tasks/:id", {
    params,
    payload: UpdateScheduledTaskInput,
    success: ScheduledTask
  }).middleware(UserAccess).annotate(Requires, "schedules:write").annotate(
    OpenApi.Description,
    "The next due time is computed again, from now. With `expected_version`, a change based on another version is 409 " +
      "`version_conflict`, with the current task in `data`."
  ),
  HttpApiEndpoint.delete("remove", "/scheduled-tasks/:id", { params, success: HttpApiSchema.NoContent })
    .middleware(UserAccess).annotate(Requires, "schedules:write").annotate(
      OpenApi.Description,
      "Requests that it has made continue."
    ),
  HttpApiEndpoint.get("listRuns", "/scheduled-tasks/:id/runs", {
    params,
    query: { ...PageQuery, status: Schema.optionalKey(ScheduleRunStatus) },
    success: Page(ScheduleRun)
  }).middleware(UserAccess).annotate(Requires, "schedules:read").annotate(
    OpenApi.Description,
    `Newest first, of the last ${scheduleRunDays} days.`
  ),
  HttpApiEndpoint.post("run", "/scheduled-tasks/:id/run", {
    params,
    success: ScheduleRun.pipe(HttpApiSchema.status(202))
  }).middleware(UserAccess).annotate(Requires, "schedules:write").annotate(
    OpenApi.Description,
    "Fires now, also while it is paused, and obeys `overlap`: the run may be `queued` or `skipped`. The due times do not " +
      "change. `idempotency-key` is accepted."
  ),
  HttpApiEndpoint.patch("setStatus", "/scheduled-tasks/:id/status", {
    params,
    payload: ScheduleStatusInput,
    success: ScheduledTask
  }).middleware(UserAccess).annotate(Requires, "schedules:write").annotate(
    OpenApi.Description,
    "A pause collects nothing: due times that pass meanwhile do not fire later, and a queued run is skipped. `active` " +
      "sets `failures` to 0."
  )
) {}

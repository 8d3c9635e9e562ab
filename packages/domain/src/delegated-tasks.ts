/**
 * Delegated tasks: an agent hands a goal with a budget and a list of services to a child or to a shared agent, which
 * spends the budget by header `x-delegated-task`. Spec: reference/agents.md "Delegated tasks".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AgentAccess, AnyAccess, Requires, StaysOpen } from "./auth.ts"
import { Created } from "./created.ts"
import { AgentId, DelegatedTaskId, EventId } from "./ids.ts"
import { Cents } from "./money.ts"
import { Page, PageQuery } from "./pagination.ts"
import { ServiceName } from "./services.ts"
import { Prose } from "./text.ts"
import { Expiry } from "./time.ts"

export const goalMax = 8_192
export const taskServicesMax = 200
export const taskErrorCodeMax = 100
export const taskErrorMessageMax = 2_000

export const taskStatuses = ["accepted", "in_progress", "completed", "failed", "cancelled"] as const
export const TaskStatus = Schema.Literals(taskStatuses)
export type TaskStatus = typeof TaskStatus.Type

/** Whether a task in this status has ended. */
export const isEnded = (status: TaskStatus): boolean =>
  status === "completed" || status === "failed" || status === "cancelled"

export const TaskError = Schema.Struct({
  code: Prose(taskErrorCodeMax),
  message: Prose(taskErrorMessageMax)
}).annotate({ identifier: "TaskError" })

export const DelegatedTask = Schema.Struct({
  id: DelegatedTaskId,
  from_agent_id: AgentId,
  to_agent_id: AgentId,
  /** Names of the two agents, also of one that was deleted. */
  from_agent_name: Schema.String,
  to_agent_name: Schema.String,
  goal: Schema.String,
  input: Schema.optionalKey(Schema.Json),
  /** Services that its requests may use. */
  services: Schema.Array(Schema.String),
  budget_cents: Cents,
  spent_cents: Schema.Int,
  held_cents: Schema.Int,
  status: TaskStatus,
  /** Of a completed task, if the agent sent one. */
  result: Schema.optionalKey(Schema.Json),
  /** Of a failed task. `deadline_passed` and `agent_ended` are the hub's codes. */
  error: Schema.optionalKey(Schema.Struct({ code: Schema.String, message: Schema.String })),
  deadline_at: Schema.optionalKey(Schema.String),
  created_at: Schema.String,
  started_at: Schema.optionalKey(Schema.String),
  ended_at: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "DelegatedTask" })
export type DelegatedTask = typeof DelegatedTask.Type

export const DelegateInput = Schema.Struct({
  to_agent_id: AgentId,
  goal: Prose(goalMax).check(Schema.isMinLength(1)),
  input: Schema.optionalKey(Schema.Json),
  budget_cents: Cents,
  services: Schema.Array(ServiceName).check(
    Schema.isMaxLength(taskServicesMax),
    Schema.makeFilter((services: ReadonlyArray<string>) =>
      new Set(services).size === services.length ? undefined : "expected each service once"
    )
  ),
  deadline_at: Schema.optionalKey(Expiry)
}).annotate({ identifier: "DelegateInput" })
export type DelegateInput = typeof DelegateInput.Type

export const UpdateTaskInput = Schema.Struct({
  status: TaskStatus,
  /** With `completed`. */
  result: Schema.optionalKey(Schema.Json),
  /** With `failed`. */
  error: Schema.optionalKey(TaskError)
}).annotate({ identifier: "UpdateTaskInput" })
export type UpdateTaskInput = typeof UpdateTaskInput.Type

export const TaskEvent = Schema.Struct({
  /** `evt_…`: the position of a stream or of `after`. */
  id: Schema.String,
  type: Schema.Literal("delegated_task.updated"),
  task_id: DelegatedTaskId,
  status: TaskStatus,
  created_at: Schema.String
}).annotate({ identifier: "TaskEvent" })
export type TaskEvent = typeof TaskEvent.Type

export const ReattachInput = Schema.Struct({
  /** The id of the last event that the caller has; left out: all events. */
  after: Schema.optionalKey(EventId)
}).annotate({ identifier: "ReattachInput" })
export type ReattachInput = typeof ReattachInput.Type

export const Reattached = Schema.Struct({ task: DelegatedTask, events: Schema.Array(TaskEvent) }).annotate({
  identifier: "Reattached"
})
export type Reattached = typeof Reattached.Type

const ofAgent = { id: AgentId }
const ofTask = { taskId: DelegatedTaskId }

export class DelegatedTasksGroup extends HttpApiGroup.make("delegated_tasks").add(
  HttpApiEndpoint.get("list", "/agents/:id/delegated-tasks", {
    params: ofAgent,
    query: { ...PageQuery, status: Schema.optionalKey(TaskStatus) },
    success: Page(DelegatedTask)
  }).middleware(AnyAccess).annotate(Requires, "agents:read").annotate(
    OpenApi.Description,
    "Tasks that the agent delegated and tasks that were delegated to it, newest first. An agent sees its own only."
  ),
  HttpApiEndpoint.post("create", "/agents/:id/delegated-tasks", {
    params: ofAgent,
    payload: DelegateInput,
    success: Created(DelegatedTask)
  }).middleware(AnyAccess).annotate(Requires, "agents:write").annotate(
    OpenApi.Description,
    "Delegates a task to a child of the agent, or to an agent that is published to the workspace or to the agent's team. The budget is committed on the agent's month like a child's cap: 409 " +
      "`insufficient_budget` beyond what the agent has left. When the task ends, what it spent this month counts as " +
      "the agent's, and the rest is free again. A person also requires budgets:write. Send `idempotency-key`, so " +
      "that a repeated call delegates nothing twice."
  ),
  HttpApiEndpoint.patch("update", "/agents/:id/delegated-tasks/:taskId", {
    params: { ...ofAgent, ...ofTask },
    payload: UpdateTaskInput,
    success: DelegatedTask
  }).middleware(AgentAccess).annotate(
    OpenApi.Description,
    "The agent that works on the task sets `in_progress`, `completed` with `result`, or `failed` with `error`; the " +
      "agent that delegated it sets `cancelled`. A status of the other side is 403, any other transition 409 " +
      "`invalid_transition`. `:id` is the calling agent."
  ),
  HttpApiEndpoint.post("reattach", "/agents/:id/delegated-tasks/:taskId/reattach", {
    params: { ...ofAgent, ...ofTask },
    payload: [ReattachInput, Schema.Null],
    success: Reattached
  }).middleware(AgentAccess).annotate(
    OpenApi.Description,
    "For the agent that delegated the task, after a restart: the task, and the events since `after`. Continue with " +
      "the stream of its events."
  ),
  HttpApiEndpoint.get("listAll", "/delegated-tasks", {
    query: { ...PageQuery, status: Schema.optionalKey(TaskStatus), agent_id: Schema.optionalKey(AgentId) },
    success: Page(DelegatedTask)
  }).middleware(AnyAccess).annotate(Requires, "agents:read").annotate(
    OpenApi.Description,
    "Tasks of the workspace, newest first. `agent_id` selects those that an agent delegated or works on. An agent " +
      "sees its own tasks, a member those of agents that they own."
  ),
  HttpApiEndpoint.get("get", "/delegated-tasks/:taskId", { params: ofTask, success: DelegatedTask })
    .middleware(AnyAccess).annotate(Requires, "agents:read").annotate(
      OpenApi.Description,
      "Both agents of the task see it."
    ),
  HttpApiEndpoint.get("events", "/delegated-tasks/:taskId/events", {
    params: ofTask,
    query: { last_event_id: Schema.optionalKey(EventId) },
    success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
  }).middleware(AnyAccess).annotate(Requires, "agents:read").annotate(StaysOpen, true).annotate(
    OpenApi.Description,
    "Server-sent events of the task: all of them, or those after the one in `last-event-id` (header, or query " +
      "`last_event_id`). Each has `id:`, `event: delegated_task.updated`, and `data:` (TaskEvent). The stream ends " +
      "after the event that ends the task."
  )
) {}

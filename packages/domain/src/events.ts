/**
 * Events for consoles and customers, derived from the audit log by one pure table. An event reports a new version of an
 * object, not its content: the reader fetches that with its own permissions. Spec: reference/audit-and-events.md "Event
 * stream".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { type Permission, StaysOpen, UserAccess } from "./auth.ts"
import { OrgId, withPrefix } from "./ids.ts"

/** Time between two comment lines that keep a stream open, in seconds. */
export const pingSeconds = 15

export const eventTypes = [
  "approval.created",
  "approval.updated",
  "approval.decided",
  "approval.expired",
  "service_request.updated",
  "agent.updated",
  "balance.changed",
  "standing_approval.updated",
  "device.updated",
  "device_command.updated",
  "run.updated",
  "workflow.updated",
  "budget.alert",
  "budget_request.updated",
  "delegated_task.updated",
  "payment.updated",
  "agent_request.created",
  "agent_request.updated",
  "publish_request.updated",
  "workspace.updated",
  "catalog.updated",
  "app.updated",
  "knowledge.updated",
  "schedule.updated",
  "trigger.updated",
  "chat.updated"
] as const
export const EventType = Schema.Literals(eventTypes)
export type EventType = typeof EventType.Type

export const HubEvent = Schema.Struct({
  /** `evt_…`: the same event has the same id on every stream and after every reconnect. */
  id: Schema.String,
  type: EventType,
  subject: Schema.Struct({ type: Schema.String, id: Schema.String }),
  /** The `seq` of its audit entry: of two events about one subject the larger is the newer. */
  version: Schema.Int,
  /** With `workspace=all`: the workspace of the event. */
  workspace: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "HubEvent" })
export type HubEvent = typeof HubEvent.Type

/** The permission that a reader needs for each type of event. */
export const eventPermission: Readonly<Record<EventType, Permission>> = {
  "approval.created": "approvals:read",
  "approval.updated": "approvals:read",
  "approval.decided": "approvals:read",
  "approval.expired": "approvals:read",
  "service_request.updated": "requests:read",
  "agent.updated": "agents:read",
  "balance.changed": "budgets:read",
  "standing_approval.updated": "approvals:read",
  "device.updated": "devices:read",
  "device_command.updated": "devices:read",
  "run.updated": "workflows:read",
  "workflow.updated": "workflows:read",
  "budget.alert": "budgets:read",
  "budget_request.updated": "budgets:read",
  "payment.updated": "billing:write",
  "agent_request.created": "approvals:read",
  "agent_request.updated": "approvals:read",
  "publish_request.updated": "catalog:read",
  "delegated_task.updated": "agents:read",
  // Every member of a workspace may read its settings.
  "workspace.updated": "agents:read",
  "catalog.updated": "catalog:read",
  "app.updated": "apps:read",
  "knowledge.updated": "knowledge:read",
  "schedule.updated": "schedules:read",
  "trigger.updated": "triggers:read",
  "chat.updated": "chat:read"
}

/** The fields of an audit entry from which events are derived. */
export interface EventSource {
  readonly id: string
  readonly seq: number
  readonly action: string
  readonly subject_type: string | null
  readonly subject_id: string | null
  readonly agent_id: string | null
  readonly cost_cents: number | null
  /** From the data of `service_request.approval_required`. */
  readonly approval_id: string | null
  /** From the data of `approval.approved`. */
  readonly service_request_id: string | null
}

export interface SourcedEvent extends HubEvent {
  /** The agent of the event: a member gets only events of agents that they own. */
  readonly agent_id: string | null
}

type Subject = HubEvent["subject"]

const exact: Readonly<Record<string, EventType>> = {
  "approval.created": "approval.created",
  // One of several approvers approved: the approval remains pending.
  "approval.voice_added": "approval.updated",
  "approval.approved": "approval.decided",
  "approval.rejected": "approval.decided",
  "approval.cancelled": "approval.decided",
  "approval.expired": "approval.expired",
  "agent_request.created": "agent_request.created",
  "budget.alert": "budget.alert"
}

/** By the noun of an action that is not in the exact table. */
const byNoun: Readonly<Record<string, EventType>> = {
  service_request: "service_request.updated",
  agent: "agent.updated",
  agent_request: "agent_request.updated",
  child: "agent.updated",
  binding: "agent.updated",
  skill: "agent.updated",
  publish_request: "publish_request.updated",
  publication: "publish_request.updated",
  key: "agent.updated",
  agent_key: "agent.updated",
  delegated_task: "delegated_task.updated",
  balance: "balance.changed",
  budget_request: "budget_request.updated",
  payment: "payment.updated",
  standing_approval: "standing_approval.updated",
  device: "device.updated",
  device_command: "device_command.updated",
  run: "run.updated",
  workflow_run: "run.updated",
  workflow: "workflow.updated",
  // Settings, people, rules, and webhook endpoints: the subjects identify them.
  workspace: "workspace.updated",
  member: "workspace.updated",
  team: "workspace.updated",
  invite: "workspace.updated",
  team_budget: "balance.changed",
  worker_budget: "balance.changed",
  policy: "workspace.updated",
  webhook_endpoint: "workspace.updated",
  service: "catalog.updated",
  secret: "catalog.updated",
  app: "app.updated",
  app_provider: "app.updated",
  knowledge_collection: "knowledge.updated",
  knowledge_document: "knowledge.updated",
  schedule: "schedule.updated",
  trigger: "trigger.updated",
  chat_session: "chat.updated",
  chat_turn: "chat.updated"
}

/** Actions on a payment that also change the wallet. */
const movesFunds: ReadonlySet<string> = new Set(["payment.paid", "payment.reversed", "payment.restored"])

const base32 = "0123456789abcdefghjkmnpqrstvwxyz"

/** One entry may have several events: their ids differ in the last bits of the entry's id. */
const eventId = (auditId: string, index: number): string => {
  const id = withPrefix("evt", auditId)
  return id.slice(0, -1) + (base32[base32.indexOf(id.slice(-1)) ^ index] ?? "")
}

/** The events of one audit entry of workspace `org`, in order; empty for an action without events. */
export const eventsOf = (org: string, entry: EventSource): ReadonlyArray<SourcedEvent> => {
  const type = exact[entry.action] ?? byNoun[entry.action.slice(0, entry.action.indexOf("."))]
  if (type === undefined) return []
  const events: Array<readonly [EventType, Subject]> = []
  const wallet: Subject = { type: "workspace", id: org }
  const own = entry.subject_type === null || entry.subject_id === null
    ? undefined
    : { type: entry.subject_type === "org" ? wallet.type : entry.subject_type, id: entry.subject_id }
  const agent = entry.agent_id === null ? undefined : { type: "agent", id: entry.agent_id }
  const subject = type === "agent.updated" ? agent ?? own : type === "balance.changed" ? wallet : own ?? agent
  if (subject !== undefined) events.push([type, subject])
  if (entry.action === "service_request.approval_required") {
    const approval = entry.approval_id
    if (approval !== null) events.push(["approval.created", { type: "approval", id: approval }])
  }
  // A request that an approval starts has no entry until it ends.
  if (entry.action === "approval.approved") {
    const request = entry.service_request_id
    if (request !== null) events.push(["service_request.updated", { type: "service_request", id: request }])
  }
  if (
    (entry.action === "service_request.executed" && (entry.cost_cents ?? 0) > 0) || movesFunds.has(entry.action)
  ) {
    events.push(["balance.changed", wallet])
  }
  return events.map(([type, subject], index) => ({
    id: eventId(entry.id, index),
    type,
    subject,
    version: entry.seq,
    agent_id: type === "balance.changed" ? null : entry.agent_id
  }))
}

const Cursor = Schema.optionalKey(Schema.String.check(Schema.isMaxLength(32_768)))

export class EventsGroup extends HttpApiGroup.make("events").add(
  HttpApiEndpoint.get("stream", "/events", {
    query: {
      workspace: Schema.optionalKey(Schema.Union([Schema.Literal("all"), OrgId])),
      last_event_id: Cursor,
      cursor: Cursor
    },
    success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
  }).middleware(UserAccess).annotate(StaysOpen, true).annotate(
    OpenApi.Description,
    `Server-sent events from now on, or after the event in \`last-event-id\` (header, or query ` +
      `\`last_event_id\`), or after a list's \`as_of\` (query \`cursor\`). Each has \`id:\` (the position after ` +
      `it), \`event:\` (its type), and \`data:\` (HubEvent). No event is lost over a reconnect; an event that is ` +
      `delivered twice has the same \`data.id\`. \`event: reset\` with \`{ "as_of" }\` means that the position is ` +
      `no longer stored: refetch lists and continue from \`as_of\`. A comment line is sent every ${pingSeconds} s. ` +
      `\`workspace=all\` follows every workspace of a signed-in person. The stream ends with its credential or ` +
      `membership. A stopping hub ends it with a \`retry:\` field: reconnect.`
  )
) {}

/**
 * The activity of an agent: its part of the audit log, readable with the permission to read the agent. Spec:
 * reference/agents.md "Activity".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnyAccess, Requires } from "./auth.ts"
import { AgentId, AuditId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"

/** Object types of an agent's activity. */
export const ActivityType = Schema.Literals([
  "agent",
  "binding",
  "service_request",
  "approval",
  "standing_approval",
  "delegated_task",
  "budget_request",
  "memory",
  "skill",
  "child",
  "run",
  "device_command"
])
export type ActivityType = typeof ActivityType.Type

export const Activity = Schema.Struct({
  /** The id of the audit entry. */
  id: AuditId,
  type: Schema.String,
  /** Dotted, with its type first: `service_request.executed`, `binding.put`. An open set. */
  action: Schema.String,
  actor: Schema.Struct({ type: Schema.String, id: Schema.String, name: Schema.String }),
  subject: Schema.optionalKey(Schema.Struct({ type: Schema.String, id: Schema.String })),
  outcome: Schema.optionalKey(Schema.String),
  reason_code: Schema.optionalKey(Schema.String),
  cost_cents: Schema.optionalKey(Schema.Int),
  created_at: Schema.String
}).annotate({ identifier: "Activity" })
export type Activity = typeof Activity.Type

export class ActivityGroup extends HttpApiGroup.make("activity").add(
  HttpApiEndpoint.get("list", "/agents/:id/activity", {
    params: { id: AgentId },
    query: { ...PageQuery, type: Schema.optionalKey(ActivityType) },
    success: Page(Activity)
  }).middleware(AnyAccess).annotate(Requires, "agents:read").annotate(
    OpenApi.Description,
    "Newest first. An agent sees its own activity only. With `type` a page can have fewer entries than `limit`, " +
      "or none, and still have a `next_cursor`."
  )
) {}

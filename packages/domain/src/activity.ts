/** What an agent did and what was done to it: its part of the log, as whoever may see the agent may read it. Spec: contract 4. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnyAccess, Requires } from "./auth.ts"
import { AgentId, AuditId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"

/** The nouns of what is told of an agent. */
export const ActivityType = Schema.Literals(["service_request", "approval", "standing_approval", "agent", "binding"])
export type ActivityType = typeof ActivityType.Type

export const Activity = Schema.Struct({
  /** Of the log's entry behind it. */
  id: AuditId,
  type: Schema.String,
  /** Dotted, its type first: `service_request.executed`, `binding.put`. An open set. */
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
    "Newest first. An agent sees its own. With `type` a page may hold fewer than `limit`, " +
      "or none, and still have a `next_cursor`."
  )
) {}

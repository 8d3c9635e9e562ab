/** What filed a request, and through which entry point. Spec: reference/requests.md "Origin". */
import { Schema } from "effect"

/** The entry points that a policy rule can tell apart as `context.door`. */
export const Door = Schema.Literals(["api", "mcp", "chat", "workflow", "schedule", "trigger", "model"])
export type Door = typeof Door.Type

/**
 * The person who sent a request as a test of the agent, or who edited the request that it `replaces`; the delegated task
 * that it is for; the turn of a chat, the step of a workflow's run, the schedule, or the trigger that sent it.
 */
export const Origin = Schema.Struct({
  user_id: Schema.optionalKey(Schema.String),
  replaces: Schema.optionalKey(Schema.String),
  task_id: Schema.optionalKey(Schema.String),
  session_id: Schema.optionalKey(Schema.String),
  turn_id: Schema.optionalKey(Schema.String),
  call_id: Schema.optionalKey(Schema.String),
  run_id: Schema.optionalKey(Schema.String),
  label: Schema.optionalKey(Schema.String),
  schedule_id: Schema.optionalKey(Schema.String),
  trigger_id: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "RequestOrigin" })
export type Origin = typeof Origin.Type

/**
 * What the desktop app and the agent inside it say to each other over a message port. The key goes to the agent once, at its
 * start, and comes back in nothing.
 */
import { DevicePlan } from "@countersign/domain/device-plan"
import { Schema } from "effect"

const Id = Schema.String.check(Schema.isMaxLength(128))
const Named = Schema.Struct({ id: Schema.String, name: Schema.String })

export const ToAgent = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("start"),
    folder: Schema.String,
    key: Schema.optionalKey(Schema.String),
    /** Takes nothing and says so, until it is started anew. */
    paused: Schema.Boolean,
    take_over: Schema.Boolean
  }),
  Schema.Struct({ type: Schema.Literal("answer"), question: Id, digest: Schema.String, answer: Schema.Literals(["approved", "denied"]) }),
  Schema.Struct({ type: Schema.Literal("pause") }),
  Schema.Struct({ type: Schema.Literal("panic") }),
  Schema.Struct({ type: Schema.Literal("wake") }),
  /** Ends when nothing runs any more, at the latest after 30 s; a second ends at once. */
  Schema.Struct({ type: Schema.Literal("stop") })
])
export type ToAgent = typeof ToAgent.Type

export const AgentQuestion = Schema.Struct({
  question: Id,
  /** Of the plan: the answer names it. */
  digest: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)),
  plan: DevicePlan,
  command_id: Id,
  requested_by: Schema.Struct({ type: Schema.String, ...Named.fields }),
  agent: Schema.optionalKey(Named),
  reason: Schema.optionalKey(Schema.String)
})
export type AgentQuestion = typeof AgentQuestion.Type

export const FromAgent = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("state"),
    connected: Schema.Boolean,
    status: Schema.Literals(["online", "draining", "paused"]),
    running: Schema.Array(Id)
  }),
  Schema.Struct({ type: Schema.Literal("ask"), ...AgentQuestion.fields }),
  /** Nobody needs to answer any more. */
  Schema.Struct({ type: Schema.Literal("withdrawn"), question: Id }),
  /** Nothing runs any more. */
  Schema.Struct({ type: Schema.Literal("panicked") }),
  /** A line of its log, masked. */
  Schema.Struct({ type: Schema.Literal("log"), line: Schema.String }),
  Schema.Struct({ type: Schema.Literal("ended"), code: Schema.Int, reason: Schema.optionalKey(Schema.String) })
])
export type FromAgent = typeof FromAgent.Type

/**
 * What the desktop app and the agent inside it say to each other over a message port. The key comes from the agent once, when it was
 * paired, goes to it at each start, and is in nothing else.
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
  /** In place of `start`: pairs the folder with this hub, says `paired`, and ends once the key is `kept`. */
  Schema.Struct({
    type: Schema.Literal("pair"),
    folder: Schema.String,
    hub: Schema.String,
    name: Schema.String,
    /** PEM of the authority that vouches for the hub, if the computer's own do not. */
    ca: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({ type: Schema.Literal("kept") }),
  Schema.Struct({
    type: Schema.Literal("answer"),
    question: Id,
    digest: Schema.String,
    answer: Schema.Literals(["approved", "denied"])
  }),
  Schema.Struct({ type: Schema.Literal("pause") }),
  Schema.Struct({ type: Schema.Literal("panic") }),
  Schema.Struct({ type: Schema.Literal("wake") }),
  /** Ends when nothing runs any more, at the latest after 30 s. */
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
  /** An operator compares both with what the console shows. `expires_at` by the hub's clock. */
  Schema.Struct({
    type: Schema.Literal("pairing"),
    code: Schema.String,
    fingerprint: Schema.String,
    expires_at: Schema.String
  }),
  /** Told once. */
  Schema.Struct({ type: Schema.Literal("paired"), device_id: Schema.String, key: Schema.String }),
  /** Nothing runs any more. */
  Schema.Struct({ type: Schema.Literal("panicked") }),
  Schema.Struct({ type: Schema.Literal("ended"), code: Schema.Int, reason: Schema.optionalKey(Schema.String) })
])
export type FromAgent = typeof FromAgent.Type

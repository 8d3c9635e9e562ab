/**
 * Messages between the desktop app and its device agent over a message port. The agent sends its key once, after
 * pairing; the app sends it back at each start. No other message contains the key.
 */
import { DevicePlan } from "@countersign/domain/device-plan"
import { Tool } from "@countersign/domain/device-tools"
import { timeoutSecondsMax } from "@countersign/domain/devices"
import { Schema } from "effect"
import { Ending } from "./command-ending.ts"

const Id = Schema.String.check(Schema.isMaxLength(128))
const Named = Schema.Struct({ id: Schema.String, name: Schema.String })

/** A local tool of a chat, forwarded by the app. */
export const LocalCall = Schema.Struct({
  /** `local_` and a digest of the turn and its call: a repeat gets the first result. */
  call: Schema.String.check(Schema.isPattern(/^local_[0-9a-f]{32}$/u)),
  tool: Tool,
  input: Schema.Record(Schema.String, Schema.Json),
  requested_by: Schema.Struct({ type: Schema.String, ...Named.fields }),
  agent: Schema.optionalKey(Named),
  timeout_seconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: timeoutSecondsMax }))
})
export type LocalCall = typeof LocalCall.Type

export const ToAgent = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("start"),
    folder: Schema.String,
    key: Schema.optionalKey(Schema.String),
    /** The agent accepts no commands and reports this until it is restarted. */
    paused: Schema.Boolean,
    take_over: Schema.Boolean
  }),
  /** Instead of `start`: pairs the folder with this hub, sends `paired`, and exits when it receives `kept`. */
  Schema.Struct({
    type: Schema.Literal("pair"),
    folder: Schema.String,
    hub: Schema.String,
    name: Schema.String,
    /** PEM of the hub's certificate authority, if the computer does not trust it. */
    ca: Schema.optionalKey(Schema.String)
  }),
  Schema.Struct({ type: Schema.Literal("kept") }),
  Schema.Struct({
    type: Schema.Literal("answer"),
    question: Id,
    digest: Schema.String,
    answer: Schema.Literals(["approved", "denied"])
  }),
  Schema.Struct({ type: Schema.Literal("local"), ...LocalCall.fields }),
  Schema.Struct({ type: Schema.Literal("pause") }),
  Schema.Struct({ type: Schema.Literal("panic") }),
  Schema.Struct({ type: Schema.Literal("wake") }),
  /** The agent exits when nothing runs, after at most 30 s. */
  Schema.Struct({ type: Schema.Literal("stop") })
])
export type ToAgent = typeof ToAgent.Type

export const AgentQuestion = Schema.Struct({
  question: Id,
  /** Digest of the plan; the answer repeats it. */
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
  /** The result of `local`. */
  Schema.Struct({ type: Schema.Literal("local_done"), call: Id, ending: Ending }),
  /** The question needs no answer any more. */
  Schema.Struct({ type: Schema.Literal("question_ended"), question: Id }),
  /** An operator compares both values with the console. `expires_at` is hub time. */
  Schema.Struct({
    type: Schema.Literal("pairing"),
    code: Schema.String,
    fingerprint: Schema.String,
    expires_at: Schema.String
  }),
  /** Sent once. */
  Schema.Struct({ type: Schema.Literal("paired"), device_id: Schema.String, key: Schema.String }),
  /** All processes have ended. */
  Schema.Struct({ type: Schema.Literal("panicked") }),
  Schema.Struct({ type: Schema.Literal("ended"), code: Schema.Int, reason: Schema.optionalKey(Schema.String) })
])
export type FromAgent = typeof FromAgent.Type

/** The events of a turn's stream, each with `turn_id` and `seq`. Spec: reference/chat.md "Events". */
import { Schema } from "effect"
import { ApprovalId, ArtifactId, ChatTurnId, MessageId, ServiceRequestId } from "./ids.ts"
import { Cents } from "./money.ts"
import { Block } from "./service-requests.ts"

/** The outcome of a tool call. `timed_out` and `cancelled` are of calls that were never sent, or not answered. */
export const ToolStatus = Schema.Literals([
  "executed",
  "blocked",
  "failed",
  "running",
  "timed_out",
  "cancelled"
])
export type ToolStatus = typeof ToolStatus.Type

/** A call in a message, with its outcome once it has one. */
export const ToolCallPart = Schema.Struct({
  type: Schema.tag("tool_call"),
  call_id: Schema.String,
  /** Absent of a local tool. */
  service: Schema.optionalKey(Schema.String),
  operation: Schema.optionalKey(Schema.String),
  /** Of a local tool: the caller's name. */
  name: Schema.optionalKey(Schema.String),
  /** The arguments; fields that the operation's schema marks `writeOnly` are masked. */
  payload: Schema.optionalKey(Schema.Unknown),
  service_request_id: Schema.optionalKey(ServiceRequestId),
  approval_id: Schema.optionalKey(ApprovalId),
  status: Schema.optionalKey(ToolStatus),
  cost_cents: Cents,
  reason_code: Schema.optionalKey(Schema.String),
  /** As the request's. A long result is an artifact with its beginning and its end here. */
  result: Schema.optionalKey(Schema.Unknown),
  artifact_id: Schema.optionalKey(ArtifactId)
})
export type ToolCallPart = typeof ToolCallPart.Type

export const MessagePart = Schema.Union([
  Schema.Struct({ type: Schema.tag("text"), text: Schema.String, artifact_id: Schema.optionalKey(ArtifactId) }),
  Schema.Struct({ type: Schema.tag("thinking"), text: Schema.String }),
  ToolCallPart,
  /** A file that the person attached. */
  Schema.Struct({
    type: Schema.tag("attachment"),
    object_id: Schema.String,
    key: Schema.String,
    content_type: Schema.String,
    size_bytes: Schema.Int
  })
])
export type MessagePart = typeof MessagePart.Type

export const ChatMessage = Schema.Struct({
  id: MessageId,
  role: Schema.Literals(["user", "assistant"]),
  parts: Schema.Array(MessagePart),
  /** The message before it. Several messages with the same parent are branches. */
  parent_id: Schema.optionalKey(MessageId),
  /** The turn that wrote it, or that it began. */
  turn_id: Schema.optionalKey(ChatTurnId),
  created_at: Schema.String
}).annotate({ identifier: "ChatMessage" })
export type ChatMessage = typeof ChatMessage.Type

/** Tokens and cost of a turn so far. */
export const TurnUsage = Schema.Struct({
  input_tokens: Schema.Int,
  output_tokens: Schema.Int,
  cached_tokens: Schema.Int,
  /** Debited for the turn so far. */
  cost_cents: Cents,
  /** The whole cost of the turn, in 10^-6 cents. */
  accrued_micro_cents: Schema.Int
}).annotate({ identifier: "ChatTurnUsage" })
export type TurnUsage = typeof TurnUsage.Type

export const TurnError = Schema.Struct({
  /** A reason code, `adapter_error`, `context_length_exceeded`, `turn_limit`, and others. An open set. */
  code: Schema.String,
  message: Schema.String,
  /** The turn is paused, or the same message may be sent again. */
  retryable: Schema.Boolean,
  block: Schema.optionalKey(Block)
}).annotate({ identifier: "ChatTurnError" })
export type TurnError = typeof TurnError.Type

export const EndReason = Schema.Literals(["end", "pending_approval", "pending_local_tools", "paused", "cancelled"])
export type EndReason = typeof EndReason.Type

const inTurn = { turn_id: ChatTurnId, seq: Schema.Int }
/** `part` rises in a turn; the delta replaces the part's text from `offset` on, in UTF-16 units. */
const delta = { ...inTurn, part: Schema.Int, offset: Schema.Int, delta: Schema.String }

/** The data of each event, by its name. */
export const chatEvents = {
  model: Schema.Struct({ ...inTurn, model: Schema.String }),
  status: Schema.Struct({ ...inTurn, phase: Schema.String, text: Schema.String }),
  thinking: Schema.Struct(delta),
  message_delta: Schema.Struct(delta),
  tool_planned: Schema.Struct({
    ...inTurn,
    call_id: Schema.String,
    service: Schema.String,
    operation: Schema.String,
    payload: Schema.Unknown,
    /** The ceiling. */
    cost_cents: Cents
  }),
  tool_executing: Schema.Struct({ ...inTurn, call_id: Schema.String, service_request_id: ServiceRequestId }),
  tool_done: Schema.Struct({
    ...inTurn,
    call_id: Schema.String,
    service_request_id: Schema.optionalKey(ServiceRequestId),
    status: ToolStatus,
    cost_cents: Cents,
    reason_code: Schema.optionalKey(Schema.String),
    result: Schema.optionalKey(Schema.Unknown),
    artifact_id: Schema.optionalKey(ArtifactId)
  }),
  tool_pending: Schema.Struct({
    ...inTurn,
    /** `model` for the model's own call. */
    call_id: Schema.String,
    approval_id: ApprovalId,
    cost_cents: Cents,
    expires_at: Schema.String
  }),
  local_tools_pending: Schema.Struct({
    ...inTurn,
    calls: Schema.Array(Schema.Struct({ call_id: Schema.String, name: Schema.String, input: Schema.Unknown }))
  }),
  usage: Schema.Struct({ ...inTurn, ...TurnUsage.fields }),
  message: Schema.Struct({ ...inTurn, message: ChatMessage }),
  done: Schema.Struct({ ...inTurn, reason: EndReason }),
  error: Schema.Struct({ ...inTurn, ...TurnError.fields })
} as const

export type ChatEventName = keyof typeof chatEvents
export type ChatEventData<N extends ChatEventName> = (typeof chatEvents)[N]["Type"]

/** An event without the fields that its place in the turn gives. */
export type NewChatEvent = {
  [N in ChatEventName]: { readonly event: N; readonly data: Omit<ChatEventData<N>, "turn_id" | "seq"> }
}[ChatEventName]

/** An event of a stream, decoded: `id` is what `last-event-id` takes. */
export type ChatEvent = {
  [N in ChatEventName]: { readonly id: string; readonly event: N; readonly data: ChatEventData<N> }
}[ChatEventName]

/** A stream ends with one of these. One in the middle of a turn ended an earlier stream, and a replay omits it. */
export const endsStream = (event: string): boolean => event === "done" || event === "error"

export const eventIdOf = (turn: string, seq: number): string => `${turn}:${seq}`

/** The `seq` in `last-event-id`: the id of an event of this turn, or its `seq` alone. */
export const seqOf = (turn: string, id: string): number | undefined => {
  const digits = id.startsWith(`${turn}:`) ? id.slice(turn.length + 1) : id
  return /^\d{1,9}$/u.test(digits) ? Number(digits) : undefined
}

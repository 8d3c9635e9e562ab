/** A turn as its events tell it. Pure: applying an event again changes nothing. */
import type {
  ChatEventData,
  ChatEventName,
  ChatMessage,
  EndReason,
  MessagePart,
  ToolStatus,
  TurnError,
  TurnUsage
} from "@countersign/domain/chat-events"

export type CallState = ToolStatus | "planned" | "executing" | "pending" | "local"

export interface ShownCall {
  readonly call_id: string
  readonly service?: string | undefined
  readonly operation?: string | undefined
  /** Of a local tool. */
  readonly name?: string | undefined
  readonly payload?: unknown
  readonly state: CallState
  /** The ceiling until the outcome, then the debited amount. */
  readonly cost_cents: number
  readonly service_request_id?: string | undefined
  readonly approval_id?: string | undefined
  readonly reason_code?: string | undefined
  readonly result?: unknown
  readonly artifact_id?: string | undefined
}

export type ShownItem =
  | { readonly kind: "text" | "thinking"; readonly part: number; readonly text: string; readonly artifact_id?: string }
  | { readonly kind: "call"; readonly call: ShownCall }
  | { readonly kind: "attachment"; readonly key: string; readonly size_bytes: number; readonly object_id: string }

export interface LiveTurn {
  readonly model?: string
  readonly status?: string
  readonly items: ReadonlyArray<ShownItem>
  /** The call of the model requires approval. */
  readonly modelApproval?: string
  readonly usage?: TurnUsage
  readonly message?: ChatMessage
  /** Why the stream ended; absent while it is open. */
  readonly end?: EndReason | "error"
  readonly error?: TurnError
}

export const noTurn: LiveTurn = { items: [] }

export type TurnEvent = { [N in ChatEventName]: { readonly event: N; readonly data: ChatEventData<N> } }[ChatEventName]

/** A stream ends with one of these. */
export const endsStream = ({ event }: TurnEvent): boolean => event === "done" || event === "error"

const withDelta = (
  items: LiveTurn["items"],
  kind: "text" | "thinking",
  { delta, offset, part }: ChatEventData<"message_delta">
): LiveTurn["items"] => {
  const at = items.findIndex((item) => item.kind === kind && item.part === part)
  const item = items[at]
  return item === undefined || item.kind !== kind
    ? [...items, { kind, part, text: delta }]
    : items.with(at, { ...item, text: item.text.slice(0, offset) + delta })
}

const withCall = (
  items: LiveTurn["items"],
  id: string,
  change: Partial<ShownCall> & Pick<ShownCall, "state">
): LiveTurn["items"] => {
  const at = items.findIndex((item) => item.kind === "call" && item.call.call_id === id)
  const item = items[at]
  return item?.kind === "call"
    ? items.with(at, { kind: "call", call: { ...item.call, ...change } })
    : [...items, { kind: "call", call: { call_id: id, cost_cents: 0, ...change } }]
}

/** The turn without the end of an earlier stream: it went on. */
const moving = ({ end: _end, error: _error, ...turn }: LiveTurn): LiveTurn => turn
const answered = ({ modelApproval: _approval, ...turn }: LiveTurn): LiveTurn => turn
/** The model writes: its status described an earlier step. */
const writing = ({ status: _status, ...turn }: LiveTurn): LiveTurn => answered(turn)

export const applyEvent = (before: LiveTurn, { data, event }: TurnEvent): LiveTurn => {
  const turn = event === "usage" || event === "message" ? before : moving(before)
  const { items } = turn
  switch (event) {
    case "model":
      return { ...answered(turn), model: data.model }
    case "status":
      return { ...turn, status: data.text }
    case "thinking":
      return { ...writing(turn), items: withDelta(items, "thinking", data) }
    case "message_delta":
      return { ...writing(turn), items: withDelta(items, "text", data) }
    case "tool_planned": {
      const { call_id, cost_cents, operation, payload, service } = data
      return {
        ...answered(turn),
        items: withCall(items, call_id, { service, operation, payload, cost_cents, state: "planned" })
      }
    }
    case "tool_executing":
      return {
        ...turn,
        items: withCall(items, data.call_id, { state: "executing", service_request_id: data.service_request_id })
      }
    case "tool_done": {
      const { artifact_id, call_id, cost_cents, reason_code, result, service_request_id, status } = data
      return {
        ...turn,
        items: withCall(items, call_id, {
          state: status,
          cost_cents,
          ...service_request_id === undefined ? {} : { service_request_id },
          ...reason_code === undefined ? {} : { reason_code },
          ...result === undefined ? {} : { result },
          ...artifact_id === undefined ? {} : { artifact_id }
        })
      }
    }
    case "tool_pending": {
      const { approval_id, call_id, cost_cents } = data
      return call_id === "model"
        ? { ...turn, modelApproval: approval_id }
        : { ...turn, items: withCall(items, call_id, { state: "pending", approval_id, cost_cents }) }
    }
    case "local_tools_pending":
      return {
        ...turn,
        items: data.calls.reduce(
          (all, { call_id, input, name }) => withCall(all, call_id, { name, payload: input, state: "local" }),
          items
        )
      }
    case "usage": {
      const { accrued_micro_cents, cached_tokens, cost_cents, input_tokens, output_tokens } = data
      return { ...turn, usage: { accrued_micro_cents, cached_tokens, cost_cents, input_tokens, output_tokens } }
    }
    case "message":
      return { ...turn, message: data.message }
    case "done":
      return { ...turn, end: data.reason }
    case "error": {
      const { block, code, message, retryable } = data
      return { ...turn, end: "error", error: { code, message, retryable, ...block === undefined ? {} : { block } } }
    }
  }
}

const itemOf = (part: MessagePart, at: number): ShownItem => {
  switch (part.type) {
    case "text":
      return {
        kind: "text",
        part: at,
        text: part.text,
        ...part.artifact_id === undefined ? {} : { artifact_id: part.artifact_id }
      }
    case "thinking":
      return { kind: "thinking", part: at, text: part.text }
    case "attachment":
      return { kind: "attachment", key: part.key, size_bytes: part.size_bytes, object_id: part.object_id }
    case "tool_call": {
      const { status, type: _type, ...call } = part
      return { kind: "call", call: { ...call, state: status ?? "cancelled" } }
    }
  }
}

/** A stored message in the form of a live one. */
export const itemsOf = ({ parts }: Pick<ChatMessage, "parts">): ReadonlyArray<ShownItem> => parts.map(itemOf)

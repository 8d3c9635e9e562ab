/** Rows of sessions, messages, turns, and steps, and the values that they stand for. */
import type { Mode } from "@countersign/domain/auth"
import {
  type ChatSession,
  type ChatTurn,
  isTurnEnded,
  type LocalTool,
  type PauseReason,
  type TurnState,
  type TurnStep
} from "@countersign/domain/chat"
import type { ChatMessage, MessagePart, NewChatEvent, TurnError, TurnUsage } from "@countersign/domain/chat-events"
import type { CallStep, ChatStep, ModelStep } from "@countersign/domain/chat-state"
import { answerOf, isModelStep, shownResult } from "@countersign/domain/chat-state"
import type {
  AgentId,
  ApprovalId,
  ChatSessionId,
  ChatTurnId,
  MessageId,
  OrgId,
  ServiceRequestId
} from "@countersign/domain/ids"

export interface SessionRow {
  readonly org_id: OrgId
  readonly id: ChatSessionId
  readonly agent_id: AgentId
  readonly user_id: string | null
  readonly title: string
  readonly model: string
  readonly mode: Mode
  readonly status: "active" | "closed"
  readonly cost_cents: number
  readonly head_id: string | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly turn_id: ChatTurnId | null
  readonly turn_state: TurnState | null
  /** Of the agent. */
  readonly owner_user_id: string | null
  readonly team_id: string | null
  readonly agent_name: string
  readonly personality: string | null
}

export interface MessageRow {
  readonly id: MessageId
  readonly role: "user" | "assistant"
  /** JSON. */
  readonly parts: string
  readonly parent_id: MessageId | null
  readonly turn_id: ChatTurnId | null
  readonly created_at: Date
}

export interface TurnRow {
  readonly org_id: OrgId
  readonly id: ChatTurnId
  readonly session_id: ChatSessionId
  readonly agent_id: AgentId
  readonly agent_name: string
  readonly personality: string | null
  readonly user_id: string | null
  readonly mode: Mode
  readonly model: string
  readonly user_message_id: MessageId
  readonly message_id: MessageId
  readonly state: TurnState
  readonly pause_reason: PauseReason | null
  readonly background: boolean
  readonly force_approval: boolean
  readonly local_tools: string
  readonly owner: number
  readonly attempt: number
  readonly cancel_requested: boolean
  readonly resumed_at: Date
  readonly local_until: Date | null
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cached_tokens: number
  readonly cost_cents: number
  readonly accrued_micro_cents: number
  readonly error: string | null
  readonly key_hash: Uint8Array | null
  readonly created_at: Date
  readonly ended_at: Date | null
  readonly last_seq: number
}

/** What the hub that drives a turn needs of its row. */
export type DrivenTurn = Pick<
  TurnRow,
  | "org_id"
  | "id"
  | "session_id"
  | "agent_id"
  | "agent_name"
  | "personality"
  | "user_id"
  | "mode"
  | "model"
  | "user_message_id"
  | "message_id"
  | "background"
  | "force_approval"
  | "local_tools"
  | "cancel_requested"
  | "last_seq"
>

export interface StepRow {
  readonly turn_id: string
  readonly step: number
  readonly kind: ChatStep["kind"]
  readonly state: ChatStep["state"]
  readonly call: string
  readonly request_id: ServiceRequestId | null
  readonly approval_id: ApprovalId | null
  readonly output: string | null
  readonly cost_cents: number
}

export interface EventRow {
  readonly turn_id: string
  readonly seq: number
  readonly event: string
  readonly data: string
}

export const eventRow = (turn: string, seq: number, { data, event }: NewChatEvent): EventRow => ({
  turn_id: turn,
  seq,
  event,
  data: JSON.stringify({ turn_id: turn, seq, ...data })
})

export const toStep = (row: StepRow): ChatStep => ({
  ...JSON.parse(row.call) as Omit<ModelStep, "step"> | Omit<CallStep, "step">,
  step: row.step,
  kind: row.kind,
  state: row.state,
  cost_cents: row.cost_cents,
  ...row.request_id === null ? {} : { request_id: row.request_id },
  ...row.approval_id === null ? {} : { approval_id: row.approval_id },
  ...row.output === null ? {} : { outcome: JSON.parse(row.output) as NonNullable<ChatStep["outcome"]> }
} as ChatStep)

export const toStepRow = (turn: string, chatStep: ChatStep): StepRow => {
  const { approval_id, cost_cents, kind, outcome, request_id, state, step, ...call } = chatStep
  return {
    turn_id: turn,
    step,
    kind,
    state,
    call: JSON.stringify(call),
    request_id: request_id ?? null,
    approval_id: approval_id ?? null,
    output: outcome === undefined ? null : JSON.stringify(outcome),
    cost_cents
  }
}

export const toSession = (row: SessionRow): ChatSession => ({
  id: row.id,
  agent_id: row.agent_id,
  title: row.title,
  model: row.model,
  mode: row.mode,
  status: row.status,
  cost_cents: row.cost_cents,
  ...row.turn_id === null || row.turn_state === null ? {} : { turn: { id: row.turn_id, state: row.turn_state } },
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})

export const toMessage = (row: MessageRow): ChatMessage => ({
  id: row.id,
  role: row.role,
  parts: JSON.parse(row.parts) as ReadonlyArray<MessagePart>,
  ...row.parent_id === null ? {} : { parent_id: row.parent_id },
  ...row.turn_id === null ? {} : { turn_id: row.turn_id },
  created_at: row.created_at.toISOString()
})

const toTurnStep = (step: ChatStep): TurnStep => {
  const known = {
    step: step.step,
    kind: step.kind,
    state: step.state,
    ...step.request_id === undefined ? {} : { service_request_id: step.request_id },
    ...step.approval_id === undefined ? {} : { approval_id: step.approval_id },
    cost_cents: step.cost_cents
  }
  if (isModelStep(step)) {
    return {
      ...known,
      service: "llm",
      operation: "chat",
      ...step.outcome?.kind === "answered"
        ? { status: "executed" }
        : step.outcome === undefined
        ? {}
        : { status: "failed", reason_code: step.outcome.code }
    } as TurnStep
  }
  return {
    ...known,
    call_id: step.call_id,
    ...step.kind === "tool" ? { service: step.service, operation: step.operation } : { name: step.name },
    ...step.outcome === undefined ? {} : { status: step.outcome.status },
    ...step.outcome?.reason_code === undefined ? {} : { reason_code: step.outcome.reason_code }
  } as TurnStep
}

export const usageOf = (row: TurnRow): TurnUsage => ({
  input_tokens: row.input_tokens,
  output_tokens: row.output_tokens,
  cached_tokens: row.cached_tokens,
  cost_cents: row.cost_cents,
  accrued_micro_cents: row.accrued_micro_cents
})

export const toTurn = (row: TurnRow, steps: ReadonlyArray<ChatStep>): ChatTurn => ({
  id: row.id,
  session_id: row.session_id,
  state: row.state,
  ...row.pause_reason === null ? {} : { pause_reason: row.pause_reason },
  model: row.model,
  background: row.background,
  user_message_id: row.user_message_id,
  message_id: row.message_id,
  steps: steps.map(toTurnStep),
  usage: usageOf(row),
  cost_cents: row.cost_cents,
  last_seq: row.last_seq,
  ...row.error === null || !isTurnEnded(row.state) && row.state !== "paused"
    ? {}
    : { error: JSON.parse(row.error) as TurnError },
  created_at: row.created_at.toISOString(),
  ...row.ended_at === null ? {} : { ended_at: row.ended_at.toISOString() }
})

export const localToolsOf = (row: Pick<TurnRow, "local_tools">): ReadonlyArray<LocalTool> =>
  JSON.parse(row.local_tools) as ReadonlyArray<LocalTool>

/**
 * The parts of an answer so far, in the order in which the model wrote them. `keep` stores a long text, and returns its
 * part.
 */
export const partsOf = (
  steps: ReadonlyArray<ChatStep>,
  keep: (text: string) => MessagePart
): ReadonlyArray<MessagePart> =>
  steps.flatMap((step): ReadonlyArray<MessagePart> => {
    if (isModelStep(step)) {
      if (step.kind === "compact") return []
      const answer = answerOf(step)
      if (answer === undefined) return []
      return [
        ...answer.thinking === "" ? [] : [{ type: "thinking", text: answer.thinking } as const],
        ...answer.text === "" ? [] : [keep(answer.text)]
      ]
    }
    const { call_id, outcome } = step
    return [
      {
        type: "tool_call",
        call_id,
        ...step.kind === "tool"
          ? {
            service: step.service,
            operation: step.operation,
            ...step.payload === undefined ? {} : { payload: step.payload }
          }
          : { name: step.name, payload: step.input },
        ...step.request_id === undefined ? {} : { service_request_id: step.request_id },
        ...step.approval_id === undefined ? {} : { approval_id: step.approval_id },
        cost_cents: step.cost_cents,
        ...outcome === undefined ? {} : {
          status: outcome.status,
          ...outcome.reason_code === undefined ? {} : { reason_code: outcome.reason_code },
          ...outcome.artifact_id === undefined ? {} : { artifact_id: outcome.artifact_id },
          result: shownResult(outcome)
        }
      } as MessagePart
    ]
  })

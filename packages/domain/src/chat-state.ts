/**
 * The steps of a turn and its next action. Pure: the steps that are stored decide the next action, so that any hub
 * continues a turn where its last owner left it. Spec: reference/chat.md "Turns", "Safe points".
 *
 *     queued → running ⇄ waiting_approval | waiting_local | paused → done | failed | cancelled
 */
import type { ToolStatus, TurnError } from "./chat-events.ts"
import { modelCallsMax, type PauseReason } from "./chat.ts"
import type { ApprovalId, ServiceRequestId } from "./ids.ts"

/** A call as the model wrote it. */
export interface WrittenCall {
  readonly id: string
  readonly name: string
  /** JSON text, which may be broken. */
  readonly arguments: string
}

export interface ModelAnswer {
  readonly text: string
  readonly thinking: string
  /** Opaque: it goes back to the same provider and model. */
  readonly reasoning: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly calls: ReadonlyArray<WrittenCall>
  /** It was stopped, or its provider cut it. */
  readonly truncated?: boolean
}

export type ModelOutcome =
  | { readonly kind: "answered"; readonly answer: ModelAnswer }
  /** Another step takes its place: the turn was continued after a refusal, or the call was interrupted. */
  | { readonly kind: "replaced"; readonly code: string }

export interface ToolOutcome {
  readonly status: ToolStatus
  /** What the model reads: JSON text. */
  readonly text: string
  readonly cost_cents: number
  readonly reason_code?: string
  readonly service_request_id?: ServiceRequestId
  readonly artifact_id?: string
  /** SHA-256 of a local tool's whole result: the same result may be sent again. */
  readonly digest?: string
}

interface Stepped {
  readonly step: number
  /** `pending`: a person decides, or the caller's tools run. */
  readonly state: "open" | "pending" | "done"
  readonly request_id?: ServiceRequestId
  readonly approval_id?: ApprovalId
  readonly cost_cents: number
}

/** A model call. `part` is the first part of its answer. */
export interface ModelStep extends Stepped {
  readonly kind: "model" | "compact"
  readonly model: string
  readonly part: number
  readonly max_tokens: number
  /** What was sent, and what the provider counted of it. */
  readonly sent?: { readonly messages: number; readonly digest: string; readonly input_tokens?: number }
  /** Of a summary: how many of the conversation's first messages it covers. */
  readonly covers?: number
  readonly outcome?: ModelOutcome
}

/** A call of a governed operation, or of one of the chat's own tools. */
export interface ToolStep extends Stepped {
  readonly kind: "tool"
  readonly call_id: string
  /** The model's id of the call. */
  readonly model_call_id: string
  readonly name: string
  readonly service: string
  readonly operation: string
  /** Absent when the arguments are no JSON object. */
  readonly payload?: Readonly<Record<string, unknown>>
  readonly outcome?: ToolOutcome
}

/** A call that the caller runs. */
export interface LocalStep extends Stepped {
  readonly kind: "local"
  readonly call_id: string
  readonly model_call_id: string
  readonly name: string
  readonly input: unknown
  readonly outcome?: ToolOutcome
}

export type ChatStep = ModelStep | ToolStep | LocalStep
export type CallStep = ToolStep | LocalStep

export const isModelStep = (step: ChatStep): step is ModelStep => step.kind === "model" || step.kind === "compact"
export const isCallStep = (step: ChatStep): step is CallStep => step.kind === "tool" || step.kind === "local"

export const answerOf = (step: ChatStep | undefined): ModelAnswer | undefined =>
  step !== undefined && isModelStep(step) && step.outcome?.kind === "answered" ? step.outcome.answer : undefined

/**
 * The result of a call as readers see it: of a request its `result`, of a blocked one its `block`, of a long one the
 * beginning and the end. Undefined when there is none.
 */
export const shownResult = ({ text }: ToolOutcome): unknown => {
  const { block, code, detail, error, fate, head, length, message, output, result, tail } = JSON.parse(
    text
  ) as Readonly<
    Record<string, unknown>
  >
  if (head !== undefined) return { message, length, head, tail }
  if (code !== undefined) {
    return { code, detail: detail ?? message, ...fate === undefined ? {} : { fate } }
  }
  if (error !== undefined) return { error }
  return result ?? output ?? (block === undefined ? message === undefined ? undefined : { message } : { block })
}

/** What a turn sees besides its steps. */
export interface TurnView {
  readonly cancelRequested: boolean
  /** Somebody reads it, or it runs in the background. */
  readonly watched: boolean
  readonly draining: boolean
  /** It has run for longer than a turn may. */
  readonly overtime: boolean
  /** The results of local tools are no longer awaited. */
  readonly localOverdue: boolean
}

export type NextAction =
  | { readonly kind: "cancel" }
  | { readonly kind: "pause"; readonly reason: PauseReason }
  | { readonly kind: "fail"; readonly error: TurnError }
  | { readonly kind: "finish" }
  /** A new model call. */
  | { readonly kind: "call_model" }
  /** A model call that was planned, and has no outcome. */
  | { readonly kind: "resume_model"; readonly step: ModelStep }
  /** Calls without an outcome, of which some may have been sent. */
  | { readonly kind: "run_calls"; readonly steps: ReadonlyArray<ToolStep> }
  | { readonly kind: "wait_approval" }
  | { readonly kind: "ask_local"; readonly steps: ReadonlyArray<LocalStep> }
  | { readonly kind: "time_out_local"; readonly steps: ReadonlyArray<LocalStep> }

const limitReached: TurnError = {
  code: "turn_limit",
  message: `The turn ended after ${modelCallsMax} calls of the model. Send another message to go on.`,
  retryable: false
}

const overtime: TurnError = {
  code: "turn_timeout",
  message: "The turn ran for as long as a turn may. Send another message to go on.",
  retryable: false
}

/** The steps from the last model answer on; the answer is the first. */
export const lastRound = (steps: ReadonlyArray<ChatStep>): ReadonlyArray<ChatStep> => {
  const at = steps.findLastIndex((step) => step.kind === "model" && step.outcome?.kind === "answered")
  return at < 0 ? [] : steps.slice(at)
}

/** What a turn does next. Every return before a call is a safe point. */
export const nextAction = (steps: ReadonlyArray<ChatStep>, view: TurnView): NextAction => {
  const last = steps.at(-1)
  if (last !== undefined && isModelStep(last) && last.state === "open") return { kind: "resume_model", step: last }
  if (view.cancelRequested) return { kind: "cancel" }
  if (last !== undefined && isModelStep(last) && last.state === "pending") return { kind: "wait_approval" }

  const [answered, ...rest] = lastRound(steps)
  const calls = rest.filter(isCallStep)
  const open = calls.filter((step): step is ToolStep => step.kind === "tool" && step.state === "open")
  const isBegun = open.some(({ request_id }) => request_id !== undefined)
  // Calls that may have been sent are looked up before anything else.
  if (isBegun) return { kind: "run_calls", steps: open }

  const hasAnswer = answered !== undefined && last?.kind !== "compact" && !isReplaced(last)
  const isOver = hasAnswer && calls.length === 0
  if (isOver) return { kind: "finish" }
  if (calls.some(({ kind, state }) => kind === "tool" && state === "pending") && open.length === 0) {
    return { kind: "wait_approval" }
  }
  const local = calls.filter((step): step is LocalStep => step.kind === "local" && step.state !== "done")
  if (view.overtime) return { kind: "fail", error: overtime }
  if (open.length === 0 && local.length > 0) {
    return view.localOverdue ? { kind: "time_out_local", steps: local } : { kind: "ask_local", steps: local }
  }
  if (steps.length > 0) {
    if (view.draining) return { kind: "pause", reason: "drain" }
    if (!view.watched) return { kind: "pause", reason: "no_reader" }
  }
  if (open.length > 0) return { kind: "run_calls", steps: open }
  return steps.filter((step) => step.kind === "model").length >= modelCallsMax
    ? { kind: "fail", error: limitReached }
    : { kind: "call_model" }
}

const isReplaced = (step: ChatStep | undefined): boolean =>
  step !== undefined && isModelStep(step) && step.outcome?.kind === "replaced"

/** Model calls at the end that were interrupted, one after the other. */
export const interruptions = (steps: ReadonlyArray<ChatStep>): number => {
  let count = 0
  for (const step of steps.toReversed()) {
    if (!isModelStep(step) || step.outcome?.kind !== "replaced" || step.outcome.code !== "interrupted") break
    count++
  }
  return count
}

/** An interrupted model call is repeated this often. */
export const interruptionsMax = 2

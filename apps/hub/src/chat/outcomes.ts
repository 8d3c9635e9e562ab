/** Outcomes of requests as a turn reads them: of a model call, and of a tool call. Pure. Spec: reference/chat.md "Tool calls". */
import { resultBytesMax } from "@countersign/domain/chat"
import type { TurnError } from "@countersign/domain/chat-events"
import type { ModelAnswer, ToolOutcome } from "@countersign/domain/chat-state"
import type { RequestFacts } from "@countersign/domain/dispatch-outcomes"
import type { ApiError } from "@countersign/domain/errors"
import { type ApprovalId, newId, type ServiceRequestId } from "@countersign/domain/ids"
import type { Block } from "@countersign/domain/service-requests"
import { createHash } from "node:crypto"
import { explained } from "../dispatch/decision/blocks.ts"
import { chargeOf, storedAnswer } from "../providers/llm/completion.ts"
import type { ModelAnswer as StreamedAnswer } from "../providers/model-answer.ts"
import type { NewBlob, UsageChange } from "./turns-repository.ts"

interface FailedResult {
  readonly code?: string
  readonly detail?: string
  readonly fate?: "unknown"
}

/** The parts of a request that a turn needs. */
export type Facts = Pick<
  RequestFacts,
  "id" | "status" | "result" | "block" | "reason_code" | "agent_id" | "cost_cents" | "approval_id" | "ceiling_cents"
>

export type ModelResult =
  | {
    readonly kind: "answered"
    readonly answer: ModelAnswer
    readonly usage: UsageChange
    /** The hub estimated the tokens. */
    readonly estimated: boolean
  }
  | { readonly kind: "blocked"; readonly error: TurnError }
  /** The hub was killed, and the provider may have acted: another call takes its place. */
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly error: TurnError }
  | { readonly kind: "pending"; readonly approvalId: ApprovalId }
  | { readonly kind: "running" }

const blockOf = (facts: Facts): Block | undefined =>
  facts.block === null
    ? undefined
    : explained(JSON.parse(facts.block) as Record<string, unknown>, facts.reason_code, facts.agent_id) as Block

const failureOf = (facts: Facts): FailedResult => facts.result === null ? {} : JSON.parse(facts.result) as FailedResult

/** `live`: what this hub streamed, which is whole also where the stored answer is too long. */
export const modelResultOf = (facts: Facts, live: StreamedAnswer | undefined): ModelResult => {
  switch (facts.status) {
    case "running":
      return { kind: "running" }
    case "approval_required":
      return { kind: "pending", approvalId: facts.approval_id! }
    case "executed": {
      const result: unknown = facts.result === null ? {} : JSON.parse(facts.result)
      const { costCents, counts, estimated, truncated } = chargeOf(result)
      const { calls, reasoning, text, thinking } = live ?? storedAnswer(result) ??
        { calls: [], reasoning: [], text: "", thinking: "" }
      return {
        kind: "answered",
        // A cut answer may end within the arguments of a call.
        answer: { text, thinking, reasoning, calls: truncated ? [] : calls, ...truncated ? { truncated: true } : {} },
        estimated,
        usage: {
          inputTokens: counts.input,
          outputTokens: counts.output,
          cachedTokens: counts.cached,
          costCents: facts.cost_cents,
          microCents: Math.round((costCents ?? facts.cost_cents) * 1_000_000)
        }
      }
    }
    case "blocked": {
      const block = blockOf(facts)
      const code = facts.reason_code ?? "blocked"
      return {
        kind: "blocked",
        error: {
          code,
          message: block?.message ?? `The model call was blocked: ${code}.`,
          retryable: true,
          ...block === undefined ? {} : { block }
        }
      }
    }
    case "failed": {
      const { code = "failed", detail = "The model call failed." } = failureOf(facts)
      return code === "interrupted"
        ? { kind: "interrupted" }
        : { kind: "failed", error: { code, message: detail, retryable: code !== "agent_disabled" } }
    }
  }
}

export const modelErrorOf = ({ error: { code, message } }: ApiError): TurnError => ({ code, message, retryable: false })

/** The result of a call for the model: JSON that names its source. */
const modelText = (source: string, content: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ source, ...content })

/** The outcome of a request that has ended; undefined while it has not. */
export const toolOutcomeOf = (facts: Facts, source: string): ToolOutcome | undefined => {
  const known = { service_request_id: facts.id, cost_cents: facts.cost_cents }
  switch (facts.status) {
    case "running":
    case "approval_required":
      return undefined
    case "executed":
      return {
        ...known,
        status: "executed",
        text: modelText(source, {
          status: "executed",
          ...known,
          result: facts.result === null ? null : JSON.parse(facts.result) as unknown
        })
      }
    case "blocked": {
      const block = blockOf(facts)
      const reason_code = facts.reason_code ?? "blocked"
      return {
        ...known,
        status: "blocked",
        reason_code,
        text: modelText(source, {
          status: "blocked",
          service_request_id: facts.id,
          reason_code,
          ...block === undefined ? {} : { block }
        })
      }
    }
    case "failed": {
      const result = failureOf(facts)
      const reason_code = result.code ?? "failed"
      return {
        ...known,
        status: "failed",
        reason_code,
        text: modelText(source, { status: "failed", service_request_id: facts.id, ...result })
      }
    }
  }
}

/** A call that became no request. */
export const refusedOutcome = (source: string, code: string, message: string): ToolOutcome => ({
  status: "failed",
  reason_code: code,
  cost_cents: 0,
  text: modelText(source, { status: "failed", code, message })
})

export const cancelledOutcome = (source: string, request: ServiceRequestId | undefined): ToolOutcome => ({
  status: "cancelled",
  cost_cents: 0,
  ...request === undefined ? {} : { service_request_id: request },
  text: modelText(source, {
    status: "cancelled",
    ...request === undefined ? {} : { service_request_id: request },
    message: "The turn was canceled before the call had an outcome."
  })
})

/** A request that continues after the turn stopped waiting for it. */
export const runningOutcome = (source: string, request: ServiceRequestId): ToolOutcome => ({
  status: "running",
  cost_cents: 0,
  service_request_id: request,
  text: modelText(source, {
    status: "running",
    service_request_id: request,
    message: "The call is still running. Its outcome will be in the list of requests."
  })
})

/** The answer of one of the chat's own tools. */
export const ownOutcome = (source: string, result: unknown): ToolOutcome => ({
  status: "executed",
  cost_cents: 0,
  text: modelText(source, { status: "executed", result })
})

export const localOutcome = (name: string, result: { readonly output?: unknown; readonly error?: unknown }) => {
  const failed = result.error !== undefined
  const text = modelText(`local tool ${name}`, failed ? { error: result.error } : { output: result.output })
  return {
    status: failed ? "failed" as const : "executed" as const,
    cost_cents: 0,
    ...failed ? { reason_code: "local_error" } : {},
    digest: createHash("sha256").update(text).digest("hex"),
    text
  } satisfies ToolOutcome
}

export const localTimeout = (name: string): ToolOutcome => ({
  status: "timed_out",
  cost_cents: 0,
  reason_code: "local_timeout",
  text: modelText(`local tool ${name}`, { error: "The tool was not run in time." })
})

/** The beginning and the end of a long result, in UTF-16 units. */
const headLength = 8 * 1024
const tailLength = 2 * 1024

const isLongResult = ({ text }: ToolOutcome): boolean => Buffer.byteLength(text) > resultBytesMax

/** A long outcome as the model reads it: the artifact has the whole. */
const shortened = (outcome: ToolOutcome, source: string, artifact: string): ToolOutcome => ({
  ...outcome,
  artifact_id: artifact,
  text: modelText(source, {
    status: outcome.status,
    cost_cents: outcome.cost_cents,
    artifact_id: artifact,
    message: "The result is too long. Read the rest with read_artifact.",
    length: outcome.text.length,
    head: outcome.text.slice(0, headLength).toWellFormed(),
    tail: outcome.text.slice(-tailLength).toWellFormed()
  })
})

/** An outcome with its artifact, if it is long. */
export const kept = (
  outcome: ToolOutcome,
  source: string,
  turn: { readonly id: string; readonly session_id: string }
): { readonly outcome: ToolOutcome; readonly blobs: ReadonlyArray<NewBlob> } => {
  if (!isLongResult(outcome)) return { outcome, blobs: [] }
  const id = newId("art")
  return {
    outcome: shortened(outcome, source, id),
    blobs: [{
      id,
      session: turn.session_id,
      turn: turn.id,
      name: `${source.replace(/[^\w.-]+/gu, "-")}.json`,
      contentType: "application/json",
      body: Buffer.from(outcome.text)
    }]
  }
}

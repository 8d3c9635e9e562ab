/** Rows of open agent requests and pending budget requests. Spec: reference/desktop.md "Tray". */
import type { AgentRequest } from "@countersign/domain/agent-requests"
import type { BudgetRequest } from "@countersign/domain/budget-requests"
import { plainLine } from "../platform/plain-text.ts"
import { maskedLine, type RowOptions, type WaitingRow } from "./row.ts"

export type PendingRequest =
  | { readonly kind: "agent_request"; readonly request: AgentRequest }
  | { readonly kind: "budget_request"; readonly request: BudgetRequest }

/** Undefined for the id of an approval. */
export const requestKindOf = (id: string): PendingRequest["kind"] | undefined =>
  id.startsWith("arq_") ? "agent_request" : id.startsWith("brq_") ? "budget_request" : undefined

export const isOpen = ({ request: { status } }: PendingRequest): boolean => status === "open" || status === "pending"

/** The agent's name if the request contains it. */
export const agentNameIn = ({ request }: PendingRequest): string | undefined =>
  "requested_by" in request && request.requested_by.type === "agent" && request.requested_by.id === request.agent_id
    ? request.requested_by.name
    : undefined

const agentWants = {
  question: "has a question",
  approval: "requests approval",
  input: "needs input",
  handoff: "requests a handoff"
} as const satisfies Readonly<Record<AgentRequest["kind"], string>>
/** A newer hub may have further kinds. */
const wantsOf = ({ kind }: AgentRequest): string => Object.hasOwn(agentWants, kind) ? agentWants[kind] : "has a request"

const budgetWants = ({ operation, period }: BudgetRequest): string =>
  operation === undefined
    ? period === "month" ? "a higher monthly budget" : "more budget for this month"
    : `a higher ${period === "month" ? "monthly cap" : "cap this month"} for ${plainLine(operation, 60)}`

const sentenceOf = (of: PendingRequest, agent: string): string => {
  if (of.kind === "agent_request") return `${agent} ${wantsOf(of.request)}`
  const { agent_id, requested_by } = of.request
  const words = `requests ${budgetWants(of.request)}`
  return requested_by.type === "agent" && requested_by.id === agent_id
    ? `${agent} ${words}`
    : `${plainLine(requested_by.name, 40)} ${words}, for ${agent}`
}

/** The text that the requester wrote. */
const textOf = (of: PendingRequest): string =>
  of.kind === "budget_request"
    ? of.request.reason
    : of.request.body === ""
    ? of.request.title
    : `${of.request.title} · ${of.request.body}`

export interface RequestFacts extends RowOptions {
  readonly workspace: string
  /** Undefined: this person cannot read the agent. */
  readonly agentName: string | undefined
  /** Whether this person may decide the request. */
  readonly mine: boolean
}

export const requestRowOf = (
  of: PendingRequest,
  { agentName, aheadMillis = 0, mine, withPayload, workspace }: RequestFacts
): WaitingRow => {
  const agent = plainLine(agentName ?? "An agent", 40)
  const expires = of.kind === "agent_request" ? of.request.expires_at : undefined
  return {
    kind: of.kind,
    id: of.request.id,
    workspace,
    sentence: sentenceOf(of, agent),
    agent,
    ...(of.kind === "budget_request" ? { cents: of.request.amount_cents } : {}),
    requestedAt: Date.parse(of.request.created_at) - aheadMillis,
    ...(expires === undefined ? {} : { expiresAt: Date.parse(expires) - aheadMillis }),
    mine,
    ...(withPayload ? { summary: maskedLine(textOf(of)) } : {})
  }
}

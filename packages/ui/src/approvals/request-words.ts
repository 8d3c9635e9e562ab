/** Facts of agent requests and budget requests as text. */
import type { inboxRequestText } from "../text/inbox-requests.ts"
import type { AgentRequest, BudgetRequest, InboxRequest } from "./request-rows.ts"

export type RequestText = typeof inboxRequestText

const nameIn = (person: { readonly name: string } | undefined, t: RequestText): string =>
  person === undefined || person.name === "" ? t.someone : person.name

export const requestStatusText = (status: string, t: RequestText): string =>
  (t.status as Readonly<Record<string, string>>)[status] ?? t.status.unknown

/** The person who ended it. */
export const deciderOf = (each: InboxRequest, t: RequestText): string =>
  nameIn(each.type === "agent_request" ? each.request.answered_by : each.request.decided_by, t)

/** The subject in a row and a title. */
export const subjectOf = (each: InboxRequest, t: RequestText): string =>
  each.type === "agent_request" ? each.request.title : each.request.operation ?? t.row.agentBudget

export const requestTitle = (each: InboxRequest, agent: string | undefined, t: RequestText): string =>
  (each.type === "agent_request" ? t.agent : t.budget).title(agent ?? t.unknownAgent, subjectOf(each, t))

/** When it ended. */
export const endedAt = ({ request, type }: InboxRequest): string | undefined =>
  type === "agent_request" ? request.answered_at ?? request.expires_at : request.decided_at

const agentEnd = (request: AgentRequest, name: string, t: RequestText): string =>
  request.status === "answered"
    ? t.row.answered(name)
    : request.status === "expired"
    ? t.row.expired
    : request.answered_by === undefined
    ? t.row.dismissedByHub
    : t.row.dismissed(name)

const budgetEnd = ({ status }: BudgetRequest, name: string, t: RequestText): string =>
  status === "approved" ? t.row.approved(name) : status === "rejected" ? t.row.rejected(name) : t.row.withdrawn

/** The second line of a row: what it is about, or how it ended. */
export const aboutRequest = (each: InboxRequest, t: RequestText): string => {
  const { request, type } = each
  if (type === "agent_request") {
    return request.status === "open"
      ? request.body === "" ? t.kind[request.kind] : t.row.about(t.kind[request.kind], request.body)
      : agentEnd(request, deciderOf(each, t), t)
  }
  return request.status === "pending" ? request.reason : budgetEnd(request, deciderOf(each, t), t)
}

/** How it ended, for a screen reader; empty while it is open. */
export const spokenEnd = (each: InboxRequest, sum: string, t: RequestText): string => {
  const name = deciderOf(each, t)
  switch (each.request.status) {
    case "answered":
      return t.agent.spoken.answered(name)
    case "dismissed":
      return t.agent.spoken.dismissed(name)
    case "expired":
      return t.agent.spoken.expired
    case "approved":
      return t.budget.spoken.approved(sum, name)
    case "rejected":
      return t.budget.spoken.rejected(name)
    case "withdrawn":
      return t.budget.spoken.withdrawn
    default:
      return ""
  }
}

/** For a 409 of a decision that came second: who ended the request, by the error or by the request read after it. */
export const lateText = (
  each: InboxRequest,
  error: { readonly code: string; readonly data: Readonly<Record<string, unknown>> },
  t: RequestText
): string | undefined => {
  const status = error.data["status"] ?? each.request.status
  if (error.code !== "conflict" || typeof status !== "string" || status === "open" || status === "pending") {
    return undefined
  }
  const by = error.data["answered_by"]
  const name = typeof by === "object" && by !== null && "name" in by && typeof by.name === "string" && by.name !== ""
    ? by.name
    : deciderOf(each, t)
  if (each.type === "agent_request") {
    const { late } = t.agent
    return status === "answered"
      ? late.answered(name)
      : status === "dismissed"
      ? late.dismissed(name)
      : status === "expired"
      ? late.expired
      : late.other
  }
  const { late } = t.budget
  return status === "approved" ? late.approved(name) : status === "rejected" ? late.rejected(name) : late.withdrawn
}

export interface CapFigures {
  /** null: no cap. */
  readonly cap_cents: number | null
  readonly spent_cents: number
  /** Includes committed amounts. */
  readonly held_cents: number
}

interface BudgetFacts {
  readonly monthly_budget_cents: number | null
  readonly spent_cents: number
  readonly held_cents: number
  readonly committed_cents: number
  readonly operations: ReadonlyArray<{
    readonly service: string
    readonly operation: string
    readonly monthly_cap_cents?: number
    readonly spent_cents: number
    readonly held_cents: number
  }>
}

interface BindingCaps {
  readonly service: string
  readonly monthly_cap_cents?: number
  readonly per_operation?: Readonly<Record<string, { readonly monthly_cap_cents?: number }>>
}

/** The cap that a budget request would raise. An operation that the agent never used has its binding's cap. */
export const capOf = (
  budget: BudgetFacts,
  bindings: ReadonlyArray<BindingCaps>,
  operation: string | undefined
): CapFigures | undefined => {
  if (operation === undefined) {
    return {
      cap_cents: budget.monthly_budget_cents,
      spent_cents: budget.spent_cents,
      held_cents: budget.held_cents + budget.committed_cents
    }
  }
  const used = budget.operations.find((each) => `${each.service}.${each.operation}` === operation)
  if (used !== undefined) {
    return { cap_cents: used.monthly_cap_cents ?? null, spent_cents: used.spent_cents, held_cents: used.held_cents }
  }
  const [service = "", name = ""] = operation.split(".")
  const binding = bindings.find((each) => each.service === service)
  return binding === undefined ? undefined : {
    cap_cents: binding.per_operation?.[name]?.monthly_cap_cents ?? binding.monthly_cap_cents ?? null,
    spent_cents: 0,
    held_cents: 0
  }
}

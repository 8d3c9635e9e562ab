/**
 * Agent requests and budget requests in a stable order: a refetch never moves a row, new rows follow the others, and a
 * decided row keeps its place until the selection leaves it. Pure.
 */
import { inAge } from "../listing/age.ts"
import { inRange as amountInRange } from "../listing/amount.ts"
import type { InboxFilter } from "./inbox-filter.ts"
import {
  type AgentRequest,
  amountOf,
  type BudgetRequest,
  createdMillis,
  type InboxRequest,
  isOpenRequest
} from "./request-rows.ts"

export const ofAgentRequest = (org: string) => (request: AgentRequest): InboxRequest => ({
  type: "agent_request",
  id: request.id,
  org_id: org,
  request
})
export const ofBudgetRequest = (org: string) => (request: BudgetRequest): InboxRequest => ({
  type: "budget_request",
  id: request.id,
  org_id: org,
  request
})

export interface RequestRows {
  readonly rows: ReadonlyArray<InboxRequest>
  /** Agent requests that expire within one hour of the layout. */
  readonly urgent: ReadonlySet<string>
}

export const noRequests: RequestRows = { rows: [], urgent: new Set() }

const hourMillis = 3_600_000

const isUrgent = (each: InboxRequest, now: number): boolean =>
  each.type === "agent_request" && each.request.expires_at !== undefined &&
  Date.parse(each.request.expires_at) - now <= hourMillis

const oldestFirst = (one: InboxRequest, other: InboxRequest): number =>
  createdMillis(one) - createdMillis(other) || (one.id < other.id ? -1 : 1)

/** Computes the order again: open rows, oldest first. */
export const layOutRequests = (read: ReadonlyArray<InboxRequest>, now: number): RequestRows => {
  const rows = read.filter(isOpenRequest).sort(oldestFirst)
  return { rows, urgent: new Set(rows.filter((each) => isUrgent(each, now)).map(({ id }) => id)) }
}

/** The same rows in the same places with new data, and then the new ones. A decided row never opens again. */
export const takeInRequests = (held: RequestRows, read: ReadonlyArray<InboxRequest>): RequestRows => {
  const byId = new Map(read.map((each) => [each.id, each]))
  let isChanged = false
  const rows = held.rows.map((each) => {
    const next = byId.get(each.id)
    if (next === undefined || next.request === each.request || isOpenRequest(next) && !isOpenRequest(each)) return each
    isChanged = true
    return next
  })
  const known = new Set(held.rows.map(({ id }) => id))
  const added = read.filter((each) => isOpenRequest(each) && !known.has(each.id)).sort(oldestFirst)
  return isChanged || added.length > 0 ? { ...held, rows: [...rows, ...added] } : held
}

/** Rows shown as open that are missing from a complete read: each must be fetched by its id. */
export const missingRequests = (
  held: RequestRows,
  read: ReadonlyArray<InboxRequest>
): ReadonlyArray<InboxRequest> => {
  const ids = new Set(read.map(({ id }) => id))
  return held.rows.filter((each) => isOpenRequest(each) && !ids.has(each.id))
}

/** Removes rows that the person has left, if they are decided. */
export const leaveRequests = (held: RequestRows, ids: ReadonlyArray<string>): RequestRows => {
  const rows = held.rows.filter((each) => isOpenRequest(each) || !ids.includes(each.id))
  return rows.length === held.rows.length ? held : { ...held, rows }
}

export const withoutRequest = (held: RequestRows, id: string): RequestRows => ({
  ...held,
  rows: held.rows.filter((each) => each.id !== id)
})

/** Removes decided rows except the open one. */
export const clearDecidedRequests = (held: RequestRows, open: string | undefined): RequestRows => ({
  ...held,
  rows: held.rows.filter((each) => isOpenRequest(each) || each.id === open)
})

/** Whether a request matches, including the words of `q`: the console has all of its text. */
export const isRequestWithin = (
  each: InboxRequest,
  { q = "", ...filter }: InboxFilter,
  now: number,
  agentName: string
): boolean => {
  const { org_id, request, type } = each
  const amount = amountOf(each)
  const hasAmounts = filter.min_cents !== undefined || filter.max_cents !== undefined
  const text = type === "agent_request"
    ? [request.title, request.body, ...request.options ?? []]
    : [request.operation ?? "", request.reason]
  const words = [agentName, request.id, ...text].join("\n").toLowerCase()
  return (filter.kind === undefined || filter.kind === type) &&
    (filter.workspace === undefined || org_id === filter.workspace) &&
    (filter.agent_id === undefined || request.agent_id === filter.agent_id) &&
    (filter.operation === undefined || type === "budget_request" && request.operation === filter.operation) &&
    (!hasAmounts || amount !== undefined && amountInRange(amount, filter)) &&
    inAge(now - createdMillis(each), filter) &&
    q.toLowerCase().split(/\s+/u).every((word) => words.includes(word))
}

/**
 * Agent requests and budget requests in the inbox, in a stable order: a refetch never moves a row, new rows follow the
 * others, and a decided row keeps its place until the selection leaves it. Pure.
 */
import type { Row } from "@countersign/hub-client/contract"

export type AgentRequest = Row<"agent_requests.list">
export type BudgetRequest = Row<"budget_requests.list">

/** What a list needs to open a row. */
export interface InboxPlace {
  readonly id: string
  readonly org_id: string
}

export type InboxRequest =
  & InboxPlace
  & (
    | { readonly type: "agent_request"; readonly request: AgentRequest }
    | { readonly type: "budget_request"; readonly request: BudgetRequest }
  )

export type RequestType = InboxRequest["type"]

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

/** The type of an open row by its id; undefined for an approval. */
export const requestType = (id: string | undefined): RequestType | undefined =>
  id?.startsWith("arq_") === true ? "agent_request" : id?.startsWith("brq_") === true ? "budget_request" : undefined

export const isOpenRequest = ({ request: { status } }: InboxRequest): boolean =>
  status === "open" || status === "pending"

export const createdMillis = ({ request }: InboxRequest): number => Date.parse(request.created_at)

/** Undefined for an agent request, which has no amount. */
export const amountOf = (each: InboxRequest): number | undefined =>
  each.type === "budget_request" ? each.request.amount_cents : undefined

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

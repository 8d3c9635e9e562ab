/** Agent requests and budget requests as rows of the inbox. Pure; part of the inbox's first load. */
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

/** The type of an open row by its id; undefined for an approval. */
export const requestType = (id: string | undefined): RequestType | undefined =>
  id?.startsWith("arq_") === true ? "agent_request" : id?.startsWith("brq_") === true ? "budget_request" : undefined

export const isOpenRequest = ({ request: { status } }: InboxRequest): boolean =>
  status === "open" || status === "pending"

export const createdMillis = ({ request }: InboxRequest): number => Date.parse(request.created_at)

/** Undefined for an agent request, which has no amount. */
export const amountOf = (each: InboxRequest): number | undefined =>
  each.type === "budget_request" ? each.request.amount_cents : undefined

/** The inbox's address with something changed: what is undefined goes out of it. */
import { inRange } from "../listing/amount.ts"
import type { ApprovalRow } from "./inbox-rows.ts"
import type { inboxRoute } from "./routes.tsx"
import { operationOf } from "./words.ts"

export type InboxSearch = (typeof inboxRoute)["types"]["searchSchema"]
export type InboxChange = { readonly [K in keyof InboxSearch]?: InboxSearch[K] | undefined }

export const changed = (change: InboxChange) => (before: InboxSearch): InboxSearch => ({ ...before, ...change }) as InboxSearch

/** Opens a row; its workspace is told where it is not the address's. */
export const opening = (row: { readonly id: string; readonly org_id: string }, home: string): InboxChange =>
  ({ open: row.id, of: row.org_id === home ? undefined : row.org_id })

export const closing: InboxChange = { open: undefined, of: undefined }

const filters = ["workspace", "agent_id", "operation", "min_cents", "max_cents"] as const

/** Whether a filter besides the text is set. */
export const isNarrowed = (search: InboxSearch): boolean => filters.some((name) => search[name] !== undefined)

export const isWithin = (row: ApprovalRow, search: InboxSearch): boolean =>
  (search.workspace === undefined || row.org_id === search.workspace) &&
  (search.agent_id === undefined || row.agent.id === search.agent_id) &&
  (search.operation === undefined || operationOf(row) === search.operation) && inRange(row.cost_cents, search)

export const unfiltered: InboxChange = {
  q: undefined, workspace: undefined, agent_id: undefined, operation: undefined, min_cents: undefined, max_cents: undefined
}

/** Queries of the approvals screens. */
import { hubPages, hubQuery } from "../hub/queries.ts"
import { type InboxFilter, queryOf } from "./inbox-filter.ts"
import type { InboxSearch } from "./inbox-search.ts"
import type { DecidedOrder } from "./routes.tsx"

/** Without a filter: all workspaces of the person, oldest first. */
export const pendingPages = (filter: InboxFilter = {}) => hubPages("approvals.list", null, { query: queryOf(filter) })
export const decidedStatuses = ["approved", "rejected", "expired", "cancelled"] as const
/** Newest first without a sort. */
export const decidedPages = (filter: InboxFilter = {}, sort?: DecidedOrder) =>
  hubPages("approvals.list", null, {
    query: { ...queryOf(filter), status: decidedStatuses, ...sort === undefined ? {} : { sort } }
  })

/** The export's query: the list's filter, and the sort of decided approvals. */
export const exportQuery = (filter: InboxFilter, { show, sort }: InboxSearch) => ({
  ...queryOf(filter),
  ...show === "decided" ? { status: decidedStatuses, sort } : {}
})

/** Rows that provide a filter's choices while a filter hides other rows. */
const choiceRowsMax = 100
export const choicesQuery = hubQuery("approvals.list", null, { query: { workspace: "all", limit: choiceRowsMax } })

export const approvalQuery = (org: string, id: string) => hubQuery("approvals.get", org, { params: { id } })
export const requestQuery = (org: string, id: string) => hubQuery("service_requests.get", org, { params: { id } })
/** A device command that requires approval. */
export const commandQuery = (org: string, id: string) => hubQuery("device_commands.get", org, { params: { id } })
/** The service with the payload's schema. */
export const serviceQuery = (org: string, name: string) => ({
  ...hubQuery("services.get", org, { params: { name } }),
  staleTime: 300_000
})

export const standingPages = (org: string, agent: string | undefined) =>
  hubPages("standing_approvals.list", org, { query: agent === undefined ? {} : { agent_id: agent } })

/** Sums of executed requests on a UTC day. */
export const dayQuery = (org: string, day: string) =>
  hubQuery("usage.report", org, { query: { from: day, to: day, limit: 1 } })

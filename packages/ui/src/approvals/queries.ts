/** What the approvals' screens read. */
import { hubPages, hubQuery } from "../hub/queries.ts"
import { filterOf, type InboxFilter, queryOf } from "./inbox-filter.ts"
import type { InboxSearch } from "./inbox-search.ts"
import type { DecidedOrder } from "./routes.tsx"

/** Without a filter over every workspace of the person, oldest first. */
export const waitingPages = (filter: InboxFilter = {}) => hubPages("approvals.list", null, { query: queryOf(filter) })
export const decidedStatuses = ["approved", "rejected", "expired", "cancelled"] as const
/** Newest first without an order. */
export const decidedPages = (filter: InboxFilter = {}, sort?: DecidedOrder) =>
  hubPages("approvals.list", null, {
    query: { ...queryOf(filter), status: decidedStatuses, ...sort === undefined ? {} : { sort } }
  })

/** What a file of the list holds: the filters of the address, and the order of the decided ones. */
export const exportQuery = ({ show, sort, ...search }: InboxSearch) => ({
  ...queryOf(filterOf(search)),
  ...show === "decided" ? { status: decidedStatuses, sort } : {}
})

/** Rows that filters take their choices from while a filter hides the others. */
const choiceRowsMax = 100
export const choicesQuery = hubQuery("approvals.list", null, { query: { workspace: "all", limit: choiceRowsMax } })

export const approvalQuery = (org: string, id: string) => hubQuery("approvals.get", org, { params: { id } })
export const requestQuery = (org: string, id: string) => hubQuery("service_requests.get", org, { params: { id } })
/** What a device asked about. */
export const commandQuery = (org: string, id: string) => hubQuery("device_commands.get", org, { params: { id } })
/** For the schema of a payload. */
export const serviceQuery = (org: string, name: string) => ({
  ...hubQuery("services.get", org, { params: { name } }),
  staleTime: 300_000
})

export const standingPages = (org: string, agent: string | undefined) =>
  hubPages("standing_approvals.list", org, { query: agent === undefined ? {} : { agent_id: agent } })

/** What was executed on a UTC day, as sums. */
export const dayQuery = (org: string, day: string) =>
  hubQuery("usage.report", org, { query: { from: day, to: day, limit: 1 } })

/** What the approvals' screens read. */
import { hubPages, hubQuery } from "../hub/queries.ts"
import type { DecidedOrder } from "./routes.tsx"

/** Over every workspace of the person, oldest first. */
export const waitingPages = hubPages("approvals.list", null, { query: { workspace: "all" } })
export const decidedStatuses = ["approved", "rejected", "expired", "cancelled"] as const
/** Newest first without an order. */
export const decidedPages = (sort: DecidedOrder | undefined) => hubPages("approvals.list", null, {
  query: { workspace: "all", status: decidedStatuses, ...sort === undefined ? {} : { sort } }
})

export const approvalQuery = (org: string, id: string) => hubQuery("approvals.get", org, { params: { id } })
export const requestQuery = (org: string, id: string) => hubQuery("service_requests.get", org, { params: { id } })
/** What a device asked about. */
export const commandQuery = (org: string, id: string) => hubQuery("device_commands.get", org, { params: { id } })
/** For the schema of a payload. */
export const serviceQuery = (org: string, name: string) =>
  ({ ...hubQuery("services.get", org, { params: { name } }), staleTime: 300_000 })

export const standingPages = (org: string, agent: string | undefined) =>
  hubPages("standing_approvals.list", org, { query: agent === undefined ? {} : { agent_id: agent } })

/** What was executed on a UTC day, as sums. */
export const dayQuery = (org: string, day: string) => hubQuery("usage.report", org, { query: { from: day, to: day, limit: 1 } })

import type { Input } from "@countersign/hub-client/contract"
import { hubPages, hubQuery } from "../hub/queries.ts"

export type AgentFilters = Pick<NonNullable<Input<"agents.list">["query"]>, "q" | "status" | "sort">

/** The hub's maximum page size. The list shows no health for agents beyond it. */
const rowsMax = 200

export const agentPages = (workspace: string, filters: AgentFilters) =>
  hubPages("agents.list", workspace, { query: filters })
export const fleetQuery = (workspace: string) =>
  hubQuery("agents.fleetHealth", workspace, { query: { limit: rowsMax } })
export const agentQuery = (workspace: string, id: string) => hubQuery("agents.get", workspace, { params: { id } })
export const budgetQuery = (workspace: string, id: string) => hubQuery("budgets.get", workspace, { params: { id } })
export const agentRequests = (workspace: string, id: string) =>
  hubPages("service_requests.list", workspace, { query: { agent_id: id } })
export const agentChanges = (workspace: string, id: string) =>
  hubPages("audit.list", workspace, { query: { subject_id: id } })

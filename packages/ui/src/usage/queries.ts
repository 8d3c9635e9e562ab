/** Queries of the usage screen. Periods are whole UTC days, both inclusive, as the hub accepts them. */
import type { UsageReport } from "@countersign/domain/usage"
import type { UndefinedInitialDataOptions } from "@tanstack/react-query"
import type { HubKey } from "../hub/queries.ts"
import { hubPages, hubQuery } from "../hub/queries.ts"
import type { ListOptions } from "../listing/held-rows.ts"

export type ChartBy = "service" | "operation" | "agent"

export interface UsageScope {
  readonly agent_id?: string | undefined
  readonly service?: string | undefined
  readonly operation?: string | undefined
  readonly mode?: "live" | "test" | undefined
  readonly from: string
  readonly to: string
}

export const usageInput = ({ agent_id, ...scope }: UsageScope) => ({ ...scope, agentId: agent_id })

/** The endpoint can also answer CSV; here it answers JSON. */
const report = (workspace: string, query: Readonly<Record<string, unknown>>) =>
  hubQuery("usage.report", workspace, { query } as never) as unknown as UndefinedInitialDataOptions<
    UsageReport,
    Error,
    UsageReport,
    HubKey
  >

export const chartQuery = (workspace: string, scope: UsageScope) =>
  report(workspace, { ...usageInput(scope), includeChart: "true", limit: 1 })
export const partsQuery = (workspace: string, scope: UsageScope, by: ChartBy) =>
  report(workspace, { ...usageInput(scope), chartBy: by, limit: 1 })
export const totalsQuery = (workspace: string, scope: UsageScope) =>
  report(workspace, { ...usageInput(scope), limit: 1 })
export const recordPages = (workspace: string, scope: UsageScope): ListOptions =>
  hubPages("usage.report" as never, workspace, { query: usageInput(scope) } as never)

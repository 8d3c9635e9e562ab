/**
 * Usage: executed requests and their cost; sums come from daily roll-ups. Spec: reference/budgets-and-ledger.md
 * "Usage".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Mode, Requires, StaysOpen, UserAccess, WorkspaceInQuery } from "./auth.ts"
import { AgentId, OrgId, ServiceRequestId, UsageId } from "./ids.ts"
import { Cents, SignedCents } from "./money.ts"
import { PageQuery } from "./pagination.ts"
import { OperationName, ServiceName } from "./services.ts"
import { Moment } from "./time.ts"

/** The most days of one chart. */
export const chartDaysMax = 366
/** The default number of days of a chart. */
export const chartDaysDefault = 30
/** The most separate groups of a chart, the most expensive ones; the rest is one more. */
export const chartGroupsMax = 6
/** The most rows of `by_agent` and of `by_service`, the most expensive first. */
export const breakdownRowsMax = 500

/** One executed request; its id is the request's under another prefix. */
export const UsageRecord = Schema.Struct({
  id: UsageId,
  service_request_id: ServiceRequestId,
  agent_id: AgentId,
  mode: Mode,
  service: Schema.String,
  operation: Schema.String,
  /** The debited amount; 0 for test keys. */
  cost_cents: Cents,
  /** When it was executed. */
  created_at: Schema.String
}).annotate({ identifier: "UsageRecord" })
export type UsageRecord = typeof UsageRecord.Type

const ChartDay = Schema.Struct({
  date: Schema.String,
  cost_cents: SignedCents,
  requests: Schema.Int,
  blocked: Schema.Int
})

const Sums = { cost_cents: SignedCents, requests: Schema.Int }

export const UsageReport = Schema.Struct({
  data: Schema.Array(UsageRecord),
  next_cursor: Schema.NullOr(Schema.String),
  as_of: Schema.String,
  /** Over all matches of the filter, not the page. `requests` counts executed ones, as `data` lists them. */
  totals: Schema.Struct(Sums),
  by_agent: Schema.Array(Schema.Struct({ agent_id: AgentId, agent_name: Schema.String, ...Sums })),
  by_service: Schema.Array(Schema.Struct({ service: Schema.String, ...Sums })),
  /** One item for each UTC day; days without activity are zeros. */
  chart: Schema.optionalKey(Schema.Array(ChartDay)),
  /**
   * With `chartBy`: the chart separated by that key, the most expensive first, over the same days; `key: null` is the
   * rest.
   */
  chart_groups: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({ key: Schema.NullOr(Schema.String), name: Schema.String, ...Sums, chart: Schema.Array(ChartDay) })
    )
  )
}).annotate({ identifier: "UsageReport" })
export type UsageReport = typeof UsageReport.Type

export const ChartBy = Schema.Literals(["service", "operation", "agent"])
export type ChartBy = typeof ChartBy.Type

export const UsageQuery = {
  ...PageQuery,
  agentId: Schema.optionalKey(AgentId),
  mode: Schema.optionalKey(Mode),
  service: Schema.optionalKey(ServiceName),
  operation: Schema.optionalKey(OperationName),
  from: Schema.optionalKey(Moment),
  to: Schema.optionalKey(Moment),
  includeChart: Schema.optionalKey(Schema.Literals(["true", "false", "1", "0"])),
  chartBy: Schema.optionalKey(ChartBy),
  format: Schema.optionalKey(Schema.Literals(["json", "csv"])),
  workspace: Schema.optionalKey(OrgId)
}

export class UsageGroup extends HttpApiGroup.make("usage").add(
  HttpApiEndpoint.get("report", "/usage", {
    query: UsageQuery,
    success: [UsageReport, Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))]
  }).middleware(UserAccess).annotate(Requires, "usage:read").annotate(WorkspaceInQuery, true).annotate(StaysOpen, true)
    .annotate(
      OpenApi.Description,
      `Executed requests, newest first, with sums. A request counts at the time it ended: \`from\` is inclusive, ` +
        `\`to\` exclusive; a UTC day as \`to\` includes that whole day. A chart has one entry for each day of the ` +
        `range, limited to the range itself, at most ${chartDaysMax} days and by default the last ` +
        `${chartDaysDefault}; \`chartBy\` splits it into the ${chartGroupsMax} most expensive groups and the rest. ` +
        `\`format=csv\` streams every record of the range, and \`workspace\` selects the workspace for links, as ` +
        `header svc-workspace does.`
    )
) {}

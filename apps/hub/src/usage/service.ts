/** Usage: records, sums, and a chart. Spec: reference/budgets-and-ledger.md "Usage". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type BadRequest, invalidField } from "@countersign/domain/errors"
import { type AgentId, withPrefix } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { dayMillis, dayOf, isDay, momentMillis } from "@countersign/domain/time"
import {
  breakdownRowsMax,
  type ChartBy,
  chartDaysDefault,
  chartDaysMax,
  chartGroupsMax,
  type UsageRecord,
  type UsageReport
} from "@countersign/domain/usage"
import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { ownerFilter } from "../auth/own.ts"
import { AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageQuery, toPage } from "../platform/cursor.ts"
import { type DaySums, type RecordRow, UsageRepository, type UsageScope } from "./repository.ts"

const exportPageRecords = 1_000

export interface UsageQuery extends PageQuery {
  readonly agentId?: AgentId
  readonly mode?: string
  readonly from?: string
  readonly to?: string
  readonly service?: string
  readonly operation?: string
  readonly includeChart?: "true" | "false" | "1" | "0"
  readonly chartBy?: ChartBy
}

const recordOf = (row: RecordRow): UsageRecord => ({
  id: withPrefix("use", row.request_id) as UsageRecord["id"],
  service_request_id: row.request_id as UsageRecord["service_request_id"],
  agent_id: row.agent_id as UsageRecord["agent_id"],
  mode: row.mode,
  service: row.service,
  operation: row.operation,
  cost_cents: row.cost_cents,
  created_at: row.completed_at.toISOString()
})

/** The database and the wire use years of four digits. */
const endMax = Date.UTC(10_000, 0, 1) - 1

/** In milliseconds, with an exclusive end: a plain day as the end is included completely. */
export const usageRange = (
  { from, to }: Pick<UsageQuery, "from" | "to">
): { readonly from: number | undefined; readonly to: number | undefined } => ({
  from: from === undefined ? undefined : momentMillis(from),
  to: to === undefined ? undefined : isDay(to) ? Math.min(momentMillis(to) + dayMillis, endMax) : momentMillis(to)
})

export class Usage extends Context.Service<Usage, {
  /** A member reads the usage of their agents. */
  readonly report: (user: UserPrincipal, query: UsageQuery) => Effect.Effect<UsageReport, BadRequest>
  /** Every record of the range, newest first, read in short statements as the client consumes them. */
  readonly records: (user: UserPrincipal, query: UsageQuery) => Stream.Stream<UsageRecord>
}>()("@countersign/hub/usage/Usage") {
  static readonly layer = Layer.effect(
    Usage,
    Effect.gen(function*() {
      const repository = yield* UsageRepository
      const audit = yield* AuditLog

      const scopeOf = (user: UserPrincipal, query: UsageQuery): UsageScope => ({
        org: user.org_id,
        agent: query.agentId,
        mode: query.mode,
        service: query.service,
        operation: query.operation,
        ownedBy: ownerFilter(user),
        ...usageRange(query)
      })

      /** The days of a chart of this range. */
      const chartDays = Effect.fnUntraced(function*(scope: UsageScope) {
        const now = yield* Clock.currentTimeMillis
        const last = Date.parse(dayOf(scope.to === undefined ? Math.max(scope.from ?? now, now) : scope.to - 1))
        const first = scope.from === undefined
          ? last - (chartDaysDefault - 1) * dayMillis
          : Date.parse(dayOf(scope.from))
        const length = Math.round((last - first) / dayMillis) + 1
        if (length > chartDaysMax) {
          return yield* Effect.fail(invalidField("from", `a chart spans at most ${chartDaysMax} days`))
        }
        return {
          range: { ...scope, from: scope.from ?? first, to: scope.to ?? last + dayMillis },
          filled: (rows: ReadonlyArray<DaySums>) => {
            const known = new Map(
              rows.map(({ blocked, cost_cents, day, requests }) => [day, { cost_cents, requests, blocked }])
            )
            return Array.from({ length: Math.max(0, length) }, (_, at) => {
              const date = dayOf(first + at * dayMillis)
              return { date, ...known.get(date) ?? { cost_cents: 0, requests: 0, blocked: 0 } }
            })
          }
        }
      })

      const charts = Effect.fnUntraced(function*(scope: UsageScope, by: ChartBy | undefined) {
        const { filled, range } = yield* chartDays(scope)
        const chart = filled(yield* repository.byDay(range))
        if (by === undefined) return { chart }
        const groups = Map.groupBy(yield* repository.byDayAndGroup(range, by, chartGroupsMax), ({ key }) => key)
        const names = by === "agent"
          ? yield* repository.agentNames(range.org, [...groups.keys()].filter((key) => key !== null))
          : undefined
        const reported = Array.from(groups, ([key, rows]) => ({
          key,
          name: key === null ? "" : names === undefined ? key : names.get(key) ?? "",
          cost_cents: rows.reduce((sum, row) => sum + row.cost_cents, 0),
          requests: rows.reduce((sum, row) => sum + row.requests, 0),
          chart: filled(rows)
        }))
        const order = (one: (typeof reported)[number], two: (typeof reported)[number]) =>
          two.cost_cents - one.cost_cents || two.requests - one.requests || one.name.localeCompare(two.name, "en")
        return {
          chart,
          chart_groups: [
            ...reported.filter(({ key }) => key !== null).sort(order),
            ...reported.filter(({ key }) => key === null)
          ]
        }
      })

      const report = Effect.fn("Usage.report")(function*(user: UserPrincipal, query: UsageQuery) {
        const cursor = yield* decodeCursor(query.cursor, [/^\d{1,15}$/, /^req_[0-9a-z]{26}$/])
        const scope = scopeOf(user, query)
        const drawn = query.includeChart === "true" || query.includeChart === "1" || query.chartBy !== undefined
          ? yield* charts(scope, query.chartBy)
          : {}
        const as_of = yield* audit.asOf(user.org_id)
        const after = cursor === undefined ? undefined : { at: new Date(Number(cursor[0])), id: cursor[1]! }
        const rows = yield* repository.records(scope, after, (query.limit ?? pageLimitDefault) + 1)
        const { data, next_cursor } = toPage(rows, query.limit, (row) => [row.completed_at.getTime(), row.request_id])
        return {
          data: data.map(recordOf),
          next_cursor,
          as_of,
          totals: yield* repository.totals(scope),
          by_agent: (yield* repository.byAgent(scope, breakdownRowsMax)) as UsageReport["by_agent"],
          by_service: yield* repository.byService(scope, breakdownRowsMax),
          ...drawn
        } satisfies UsageReport
      })

      const records = (user: UserPrincipal, query: UsageQuery): Stream.Stream<UsageRecord> => {
        const scope = scopeOf(user, query)
        return Stream.paginate(
          undefined as { at: Date; id: string } | undefined,
          (after) =>
            Effect.map(repository.records(scope, after, exportPageRecords), (rows) => {
              const last = rows.at(-1)
              return [
                rows.map(recordOf),
                rows.length < exportPageRecords || last === undefined
                  ? Option.none()
                  : Option.some({ at: last.completed_at, id: last.request_id })
              ] as const
            })
        )
      }

      return Usage.of({ report, records })
    })
  )
}

/** Usage: records, sums and a chart. Spec: contract 3 "usage". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type BadRequest, invalidField } from "@countersign/domain/errors"
import { withPrefix } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { dayMillis, dayOf, isDay, momentMillis } from "@countersign/domain/time"
import { breakdownRowsMax, chartDaysDefault, chartDaysMax, type UsageRecord, type UsageReport } from "@countersign/domain/usage"
import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { AuditLog } from "../audit/service.ts"
import { decodeCursor, toPage } from "../platform/cursor.ts"
import { type RecordRow, UsageRepository, type UsageScope } from "./repository.ts"

const exportPageRecords = 1_000

export interface UsageQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly agentId?: string
  readonly mode?: string
  readonly from?: string
  readonly to?: string
  readonly includeChart?: "true" | "false" | "1" | "0"
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

/** Whole UTC days: a time stands for its day; as an end, midnight stands for the day before, and a plain day for itself. */
export const usageDays = ({ from, to }: Pick<UsageQuery, "from" | "to">): { readonly firstDay: string | undefined; readonly lastDay: string | undefined } => ({
  firstDay: from === undefined ? undefined : dayOf(momentMillis(from)),
  lastDay: to === undefined ? undefined : isDay(to) ? to : dayOf(momentMillis(to) - 1)
})

export class Usage extends Context.Service<Usage, {
  /** A member reads what their own agents did. */
  readonly report: (user: UserPrincipal, query: UsageQuery) => Effect.Effect<UsageReport, BadRequest>
  /** Every record of the range, newest first, read in short statements as the reader takes them. */
  readonly records: (user: UserPrincipal, query: UsageQuery) => Stream.Stream<UsageRecord>
}>()("@countersign/hub/usage/Usage") {
  static readonly layer = Layer.effect(Usage, Effect.gen(function*() {
    const repository = yield* UsageRepository
    const audit = yield* AuditLog

    const scopeOf = (user: UserPrincipal, query: UsageQuery): UsageScope => ({
      org: user.org_id, agent: query.agentId, mode: query.mode, ownedBy: user.role === "member" ? user.user_id : undefined, ...usageDays(query)
    })

    const chart = Effect.fnUntraced(function*(scope: UsageScope) {
      const now = yield* Clock.currentTimeMillis
      const last = Date.parse(scope.lastDay ?? (scope.firstDay !== undefined && scope.firstDay > dayOf(now) ? scope.firstDay : dayOf(now)))
      const first = scope.firstDay === undefined ? last - (chartDaysDefault - 1) * dayMillis : Date.parse(scope.firstDay)
      const length = Math.round((last - first) / dayMillis) + 1
      if (length > chartDaysMax) return yield* Effect.fail(invalidField("from", `a chart spans at most ${chartDaysMax} days`))
      const rows = yield* repository.byDay({ ...scope, firstDay: dayOf(first), lastDay: dayOf(last) })
      const known = new Map(rows.map(({ day, ...sums }) => [day, sums]))
      return Array.from({ length: Math.max(0, length) }, (_, at) => {
        const date = dayOf(first + at * dayMillis)
        return { date, ...known.get(date) ?? { cost_cents: 0, requests: 0, blocked: 0 } }
      })
    })

    const report = Effect.fn("Usage.report")(function*(user: UserPrincipal, query: UsageQuery) {
      const cursor = yield* decodeCursor(query.cursor, [/^\d{1,15}$/, /^req_[0-9a-z]{26}$/])
      const scope = scopeOf(user, query)
      const drawn = query.includeChart === "true" || query.includeChart === "1" ? { chart: yield* chart(scope) } : {}
      const as_of = yield* audit.asOf(user.org_id)
      const after = cursor === undefined ? undefined : { at: new Date(Number(cursor[0])), id: cursor[1]! }
      const rows = yield* repository.records(scope, after, (query.limit ?? pageLimitDefault) + 1)
      const { data, next_cursor } = toPage(rows, query.limit, (row) => [row.completed_at.getTime(), row.request_id])
      return {
        data: data.map(recordOf), next_cursor, as_of,
        totals: yield* repository.totals(scope),
        by_agent: (yield* repository.byAgent(scope, breakdownRowsMax)) as UsageReport["by_agent"],
        by_service: yield* repository.byService(scope, breakdownRowsMax),
        ...drawn
      } satisfies UsageReport
    })

    const records = (user: UserPrincipal, query: UsageQuery): Stream.Stream<UsageRecord> => {
      const scope = scopeOf(user, query)
      return Stream.paginate(undefined as { at: Date; id: string } | undefined, (after) =>
        Effect.map(repository.records(scope, after, exportPageRecords), (rows) => {
          const last = rows.at(-1)
          return [
            rows.map(recordOf),
            rows.length < exportPageRecords || last === undefined ? Option.none() : Option.some({ at: last.completed_at, id: last.request_id })
          ] as const
        }))
    }

    return Usage.of({ report, records })
  }))
}

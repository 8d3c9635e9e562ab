/** Usage records, which are the executed settlements, and the daily roll-ups that the tick writes with them. */
import type { AgentId, OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { dayMillis, dayOf } from "@countersign/domain/time"
import type { ChartBy } from "@countersign/domain/usage"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ofOwnAgents } from "../auth/own-agents-repository.ts"

export interface RecordRow {
  readonly request_id: ServiceRequestId
  readonly agent_id: AgentId
  readonly mode: "live" | "test"
  readonly service: string
  readonly operation: string
  readonly cost_cents: number
  readonly completed_at: Date
}

export interface Sums {
  readonly cost_cents: number
  readonly requests: number
}

export interface DaySums extends Sums {
  readonly day: string
  readonly blocked: number
}

export interface UsageScope {
  readonly org: OrgId
  readonly agent: AgentId | undefined
  readonly mode: string | undefined
  readonly service: string | undefined
  readonly operation: string | undefined
  /** Only agents of this person. */
  readonly ownedBy: string | undefined
  /** Milliseconds since 1970: from inclusive, to exclusive. */
  readonly from: number | undefined
  readonly to: number | undefined
}

interface Parts {
  /** UTC days that are completely within the range, both inclusive. */
  readonly firstDay: string | undefined
  readonly lastDay: string | undefined
  /** The partial days at either end. */
  readonly cuts: ReadonlyArray<{ readonly from: number; readonly to: number }>
}

/** Whole days have roll-ups; a range that begins or ends within a day also has partial days. */
export const partsOf = ({ from, to }: Pick<UsageScope, "from" | "to">): Parts => {
  const begin = from === undefined ? undefined : Math.ceil(from / dayMillis) * dayMillis
  const end = to === undefined ? undefined : Math.floor(to / dayMillis) * dayMillis
  const head = from === undefined ? [] : [{ from, to: Math.min(begin!, to ?? begin!) }]
  const tail = to === undefined || (begin !== undefined && end! < begin) ? [] : [{ from: end!, to }]
  return {
    firstDay: begin === undefined ? undefined : dayOf(begin),
    lastDay: end === undefined ? undefined : dayOf(end - 1),
    cuts: [...head, ...tail].filter((cut) => cut.from < cut.to)
  }
}

export class UsageRepository extends Context.Service<UsageRepository, {
  /** Newest first, after the record that ended at `after.at` with `after.id`. */
  readonly records: (
    scope: UsageScope,
    after: { readonly at: Date; readonly id: string } | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<RecordRow>>
  readonly totals: (scope: UsageScope) => Effect.Effect<Sums>
  readonly byAgent: (
    scope: UsageScope,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Sums & { readonly agent_id: AgentId; readonly agent_name: string }>>
  readonly byService: (
    scope: UsageScope,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Sums & { readonly service: string }>>
  /** Only days with activity, oldest first. */
  readonly byDay: (scope: UsageScope) => Effect.Effect<ReadonlyArray<DaySums>>
  /** The same, divided into the groups with the highest cost and the rest, whose key is null. */
  readonly byDayAndGroup: (
    scope: UsageScope,
    by: ChartBy,
    groups: number
  ) => Effect.Effect<ReadonlyArray<DaySums & { readonly key: string | null }>>
  readonly agentNames: (org: OrgId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, string>>
}>()("@countersign/hub/usage/UsageRepository") {
  static readonly layer = Layer.effect(
    UsageRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const whose = ({ agent, mode, operation, org, ownedBy, service }: UsageScope) => [
        sql`org_id = ${org}`,
        ...agent === undefined ? [] : [sql`agent_id = ${agent}`],
        ...mode === undefined ? [] : [sql`mode = ${mode}`],
        ...service === undefined ? [] : [sql`service = ${service}`],
        ...operation === undefined ? [] : [sql`operation = ${operation}`],
        ...ownedBy === undefined
          ? []
          : [ofOwnAgents(sql, org, sql`agent_id`, ownedBy)]
      ]
      const ended = ({ from, to }: Pick<UsageScope, "from" | "to">) => [
        ...from === undefined ? [] : [sql`completed_at >= ${new Date(from)}`],
        ...to === undefined ? [] : [sql`completed_at < ${new Date(to)}`]
      ]
      const activity = (scope: UsageScope) => {
        const { cuts, firstDay, lastDay } = partsOf(scope)
        const columns = sql.literal("day, agent_id, service, operation, executed, blocked, cost_cents")
        const days = sql.and([
          ...whose(scope),
          ...firstDay === undefined ? [] : [sql`day >= ${firstDay}::text::date`],
          ...lastDay === undefined ? [] : [sql`day <= ${lastDay}::text::date`]
        ])
        return sql`(${
          sql.join(" union all ", false)([
            sql`select ${columns} from usage_days where ${days}`,
            ...cuts.map((cut) =>
              sql`select (completed_at at time zone 'utc')::date, agent_id, service, operation, (status = 'executed')::int,
              (status = 'blocked')::int, cost_cents from settlements where ${sql.and([...whose(scope), ...ended(cut)])}`
            )
          ])
        }) activity`
      }
      // Sums of int8 are numeric in PostgreSQL, which the driver returns as text: they are cast back.
      const sums = sql.literal(
        "coalesce(sum(cost_cents), 0)::int8 cost_cents, coalesce(sum(executed), 0)::int8 requests"
      )

      const groupKeys = {
        service: sql.literal("service"),
        operation: sql.literal("service || '.' || operation"),
        agent: sql.literal("agent_id")
      } as const

      return UsageRepository.of({
        records: (scope, after, limit) =>
          sql<
            RecordRow
          >`select request_id, agent_id, mode, service, operation, cost_cents, completed_at from settlements where ${
            sql.and([
              ...whose(scope),
              sql`status = 'executed'`,
              ...ended(scope),
              ...after === undefined
                ? []
                : [sql`(completed_at, request_id) < (${after.at}::timestamptz, ${after.id}::text)`]
            ])
          } order by completed_at desc, request_id desc limit ${limit}`.pipe(Effect.orDie),
        totals: (scope) =>
          sql<Sums>`select ${sums} from ${activity(scope)}`.pipe(
            Effect.map(([row]) => row ?? { cost_cents: 0, requests: 0 }),
            Effect.orDie
          ),
        byAgent: (scope, limit) =>
          sql<
            Sums & { agent_id: AgentId; agent_name: string }
          >`select d.agent_id, coalesce(a.name, '') agent_name, d.cost_cents,
            d.requests
          from (select agent_id, ${sums} from ${activity(scope)} group by agent_id having sum(executed) > 0
            order by sum(cost_cents) desc, sum(executed) desc, agent_id limit ${limit}) d
          left join agents a on a.org_id = ${scope.org} and a.id = d.agent_id order by d.cost_cents desc, d.requests desc, d.agent_id`
            .pipe(Effect.orDie),
        byService: (scope, limit) =>
          sql<Sums & { service: string }>`select service, ${sums} from ${activity(scope)}
          group by service
          having sum(executed) > 0
          order by sum(cost_cents) desc, sum(executed) desc, service limit ${limit}`.pipe(Effect.orDie),
        byDay: (scope) =>
          sql<DaySums>`select to_char(day, 'YYYY-MM-DD') as day, ${sums}, coalesce(sum(blocked), 0)::int8 blocked
          from ${activity(scope)} group by activity.day order by activity.day`.pipe(Effect.orDie),
        byDayAndGroup: (scope, by, groups) =>
          sql<DaySums & { key: string | null }>`with parted as (select ${
            groupKeys[by]
          } as key, day, cost_cents, executed, blocked
            from ${activity(scope)}),
            dearest as (select key from parted
            group by key
            order by sum(cost_cents) desc, sum(executed) desc, key limit ${groups})
          select d.key, to_char(p.day, 'YYYY-MM-DD') as day, ${sums}, coalesce(sum(blocked), 0)::int8 blocked
          from parted p left join dearest d on d.key = p.key group by d.key, p.day order by p.day`.pipe(Effect.orDie),
        agentNames: (org, ids) =>
          ids.length === 0
            ? Effect.succeed(new Map())
            : sql<{ id: string; name: string }>`select id, name from agents where org_id = ${org} and ${
              sql.in("id", ids)
            }`.pipe(
              Effect.map((rows) => new Map(rows.map(({ id, name }) => [id, name]))),
              Effect.orDie
            )
      })
    })
  )
}

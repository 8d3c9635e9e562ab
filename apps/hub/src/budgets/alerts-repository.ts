/** Levels of use that limits passed, and the alerts about them (`passed_levels`, `budget_alerts`). */
import type { AlertedLimit } from "@countersign/domain/budgets"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { int4Array, int8Array, textArray } from "../platform/db.ts"

export interface PassedRow {
  readonly limit_id: number
  /** As in the table of limits: 2 an agent's month, 3 an operation's month, 4 its day. */
  readonly kind: number
  readonly agent_id: AgentId
  readonly service: string | null
  readonly operation: string | null
  readonly cap: number
  readonly used: number
  /** As in the table of limits. */
  readonly period: number
  readonly level: number
}

export interface AlertRow extends PassedRow {
  readonly agent_name: string
  readonly audit_id: string
  readonly raised_at: Date
}

/** The part of the log since a position, and the limits to check because of it. */
export interface Stretch {
  /** The last entry of the part; the position itself when there is none. */
  readonly last: number
  /** Agents with an executed request or changed caps. */
  readonly agents: ReadonlyArray<AgentId>
  /** The workspace's levels were set: the limits of all agents must be checked. */
  readonly levels: boolean
}

export const limitNames: Readonly<Record<number, AlertedLimit>> = {
  2: "agent_month",
  3: "operation_month",
  4: "operation_day_count"
}

export class AlertsRepository extends Context.Service<AlertsRepository, {
  /** The heads of the logs of workspaces, in order of id. */
  readonly heads: (
    after: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<{ readonly org_id: OrgId; readonly seq: number }>>
  readonly stretch: (org: OrgId, after: number, entries: number) => Effect.Effect<Stretch>
  /** Due alerts, of these agents or of all. */
  readonly due: (
    org: OrgId,
    agents: ReadonlyArray<AgentId> | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<PassedRow>>
  /**
   * Workspaces and agents with due alerts, among `rows` limits in order of id; and the last of these ids, none at the
   * end.
   */
  readonly dueAmong: (after: number, rows: number) => Effect.Effect<{
    readonly last: number | undefined
    readonly due: ReadonlyArray<{ readonly org_id: OrgId; readonly agent_id: AgentId }>
  }>
  /** Call it in the transaction of the alerts' entries, under the workspace's lock. */
  readonly recordAlerts: (
    org: OrgId,
    alerts: ReadonlyArray<{ readonly row: PassedRow; readonly audit: string }>,
    at: Date
  ) => Effect.Effect<void>
  /** Alerts that still apply, newest first; optionally only of one person's agents. */
  readonly active: (org: OrgId, query: {
    readonly owner: string | undefined
    readonly after: { readonly at: Date; readonly limit: number } | undefined
    readonly rows: number
  }) => Effect.Effect<ReadonlyArray<AlertRow>>
}>()("@countersign/hub/budgets/AlertsRepository") {
  static readonly layer = Layer.effect(
    AlertsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return AlertsRepository.of({
        heads: (after, limit) =>
          sql<
            { org_id: OrgId; seq: number }
          >`select org_id, seq from org_heads where org_id > ${after} order by org_id limit ${limit}`
            .pipe(Effect.orDie),
        stretch: (org, after, entries) =>
          sql<{ last: number | null; agents: ReadonlyArray<AgentId> | null; levels: boolean | null }>`
          select max(seq) as last,
            array_agg(distinct agent_id) filter (where action in ('service_request.executed', 'agent.budget_set', 'binding.put', 'budget_request.approved')) as agents,
            bool_or(action = 'workspace.updated') as levels
          from (select seq, action, agent_id from audit where org_id = ${org} and seq > ${
            BigInt(after)
          }::int8 order by seq limit ${entries}) s`
            .pipe(
              Effect.map(([row]) => ({
                last: row?.last ?? after,
                agents: row?.agents ?? [],
                levels: row?.levels ?? false
              })),
              Effect.orDie
            ),
        due: (org, agents, limit) =>
          sql<
            PassedRow
          >`select id as limit_id, kind::int as kind, agent_id, service, operation, cap, used, period, level from passed_levels
          where org_id = ${org} and level > standing ${
            agents === undefined ? sql`` : sql`and agent_id = any(${textArray([...agents])})`
          }
          order by id limit ${limit}`.pipe(Effect.orDie),
        dueAmong: (after, rows) =>
          sql<{ last: number | null; org_id: OrgId | null; agent_id: AgentId | null }>`
          with last as (select max(id) as id from (select id from limits where id > ${
            BigInt(after)
          }::int8 order by id limit ${rows}) s)
          select l.id as last, p.org_id, p.agent_id
          from last l left join lateral (select distinct org_id, agent_id from passed_levels
            where id > ${BigInt(after)}::int8 and id <= l.id and level > standing) p on true`.pipe(
            Effect.map((found) => ({
              last: found[0]?.last ?? undefined,
              due: found.flatMap(({ agent_id, org_id }) =>
                org_id === null || agent_id === null ? [] : [{ org_id, agent_id }]
              )
            })),
            Effect.orDie
          ),
        recordAlerts: (org, alerts, at) =>
          sql`insert into budget_alerts (limit_id, org_id, period, level, cap, used, audit_id, raised_at)
            select u.id, ${org}, u.period, u.level, u.cap, u.used, u.audit, ${at}
            from unnest(${int8Array(alerts.map(({ row }) => row.limit_id))}, ${
            int4Array(alerts.map(({ row }) => row.period))
          },
              ${int4Array(alerts.map(({ row }) => row.level))}, ${int8Array(alerts.map(({ row }) => row.cap))},
              ${int8Array(alerts.map(({ row }) => row.used))}, ${
            textArray(alerts.map(({ audit }) => audit))
          }) u(id, period, level, cap, used, audit)
          on conflict (limit_id) do update set period = excluded.period, level = excluded.level, cap = excluded.cap, used = excluded.used,
            audit_id = excluded.audit_id, raised_at = excluded.raised_at`.pipe(Effect.asVoid, Effect.orDie),
        active: (org, { after, owner, rows }) =>
          sql<
            AlertRow
          >`select p.id as limit_id, p.kind::int as kind, p.agent_id, a.name as agent_name, p.service, p.operation, p.cap, p.used,
            p.period, least(p.level, p.told_level) as level, p.audit_id, p.raised_at
          from budget_alerts t join passed_levels p on p.id = t.limit_id and p.org_id = t.org_id join agents a on a.id = p.agent_id
          where t.org_id = ${org} and p.told_level is not null ${
            owner === undefined ? sql`` : sql`and a.owner_user_id = ${owner}`
          }
            ${
            after === undefined
              ? sql``
              : sql`and (t.raised_at, t.limit_id) < (${after.at}, ${BigInt(after.limit)}::int8)`
          }
          order by t.raised_at desc, t.limit_id desc limit ${rows}`.pipe(Effect.orDie)
      })
    })
  )
}

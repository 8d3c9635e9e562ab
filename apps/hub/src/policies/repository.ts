/** Policy rules in order of position, and the past requests for replays of a rule. */
import {
  type AgentId,
  type ApprovalId,
  idFloor,
  idSlackMillis,
  type OrgId,
  type PolicyId,
  type ServiceRequestId
} from "@countersign/domain/ids"
import type { Deciders, Policy, PolicyAction } from "@countersign/domain/policies"
import { removedText } from "@countersign/domain/retention"
import type { RequestStatus } from "@countersign/domain/service-requests"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

export interface PolicyRow {
  readonly id: PolicyId
  readonly name: string
  readonly position: number
  readonly enabled: boolean
  readonly condition: string
  readonly action: PolicyAction
  readonly required_approvals: number | null
  /** JSON text. */
  readonly deciders: string | null
  readonly expires_in_seconds: number | null
  readonly reason: string
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

export type PolicyColumns = Pick<
  PolicyRow,
  "name" | "enabled" | "condition" | "action" | "required_approvals" | "deciders" | "expires_in_seconds" | "reason"
>

export const toPolicy = (row: PolicyRow): Policy => ({
  id: row.id,
  name: row.name,
  position: row.position,
  enabled: row.enabled,
  when: row.condition,
  then: row.action,
  ...(row.required_approvals === null ? {} : { required_approvals: row.required_approvals }),
  ...(row.deciders === null ? {} : { deciders: JSON.parse(row.deciders) as Deciders }),
  ...(row.expires_in_seconds === null ? {} : { expires_in_seconds: row.expires_in_seconds }),
  reason: row.reason,
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})

export interface PastRequest {
  readonly id: ServiceRequestId
  readonly agent_id: AgentId
  readonly agent_name: string
  readonly team_id: string | null
  readonly service: string
  readonly operation: string
  readonly payload: string
  readonly ceiling_cents: number
  readonly created_at: Date
  readonly approval_id: ApprovalId | null
  readonly status: RequestStatus
  readonly reason_code: string | null
  /** JSON text. */
  readonly block: string | null
  /** As dispatch stored it. */
  readonly origin: string | null
}

export class PoliciesRepository extends Context.Service<PoliciesRepository, {
  /** The rules for dispatch, in order of position. */
  readonly enabled: (org: OrgId) => Effect.Effect<ReadonlyArray<Policy>>
  /** In order of position. */
  readonly all: (org: OrgId) => Effect.Effect<ReadonlyArray<PolicyRow>>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<PolicyRow>>
  readonly count: (org: OrgId) => Effect.Effect<number>
  /** Positions stay 1…n: each of these moves the other rules down or up. Call it under the workspace's lock. */
  readonly insert: (org: OrgId, id: string, position: number, columns: PolicyColumns) => Effect.Effect<void>
  readonly move: (org: OrgId, id: string, from: number, to: number) => Effect.Effect<void>
  readonly remove: (org: OrgId, id: string, position: number) => Effect.Effect<void>
  readonly update: (org: OrgId, id: string, columns: PolicyColumns) => Effect.Effect<void>
  /** Those of the people who are members of the workspace. */
  readonly members: (org: OrgId, users: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
  /** Newest first: stored at or after `from` and before `to` (milliseconds), with ids below `before`. */
  readonly past: (
    org: OrgId,
    stored: { readonly from: number; readonly to: number | undefined },
    before: string | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<PastRequest>>
}>()("@countersign/hub/policies/PoliciesRepository") {
  static readonly layer = Layer.effect(
    PoliciesRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rows =
        sql`select id, name, position, enabled, condition, action, required_approvals, deciders, expires_in_seconds,
        reason, version,
      created_at, updated_at from policies`
      return PoliciesRepository.of({
        enabled: (org) =>
          sql<PolicyRow>`${rows} where org_id = ${org} and enabled order by position, id`.pipe(
            Effect.map((found) => found.map(toPolicy)),
            Effect.orDie
          ),
        all: (org) => sql<PolicyRow>`${rows} where org_id = ${org} order by position, id`.pipe(Effect.orDie),
        find: (org, id) =>
          sql<PolicyRow>`${rows} where org_id = ${org} and id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        count: (org) =>
          sql<{ n: number }>`select count(*) as n from policies where org_id = ${org}`.pipe(
            Effect.map(([row]) => row?.n ?? 0),
            Effect.orDie
          ),
        insert: Effect.fnUntraced(function*(org, id, position, columns) {
          yield* sql`update policies set position = position + 1 where org_id = ${org} and position >= ${position}`
          yield* sql`insert into policies ${sql.insert({ ...columns, id, org_id: org, position })}`
        }, Effect.orDie),
        move: (org, id, from, to) =>
          sql`update policies
          set position = case when id = ${id} then ${to} when ${from}::int < ${to}::int then position - 1 else position + 1 end
          where org_id = ${org} and position between ${Math.min(from, to)} and ${Math.max(from, to)}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        remove: Effect.fnUntraced(function*(org, id, position) {
          yield* sql`delete from policies where org_id = ${org} and id = ${id}`
          yield* sql`update policies set position = position - 1 where org_id = ${org} and position > ${position}`
        }, Effect.orDie),
        update: (org, id, columns) =>
          sql`update policies set ${sql.update({ ...columns })}, version = version + 1, updated_at = now()
          where org_id = ${org} and id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        members: (org, users) =>
          users.length === 0
            ? Effect.succeed(new Set())
            : sql<{ user_id: string }>`select user_id from memberships
            where org_id = ${org} and user_id = any(${[...users]}::text[])`.pipe(
              Effect.map((found) => new Set(found.map(({ user_id }) => user_id))),
              Effect.orDie
            ),
        past: (org, { from, to }, before, limit) =>
          sql<PastRequest>`select r.id, r.agent_id, a.name as agent_name, a.team_id, r.service, r.operation, r.payload,
            r.ceiling_cents, r.created_at,
            r.approval_id,
            coalesce(s.status, case when h.request_id is null then 'approval_required' else 'running' end) as status,
            s.reason_code, s.block, r.origin
          from requests r
          join agents a on a.org_id = r.org_id and a.id = r.agent_id
          left join settlements s on s.org_id = r.org_id and s.request_id = r.id
          left join holds h on h.org_id = r.org_id and h.request_id = r.id
          where ${
            sql.and([
              sql`r.org_id = ${org}`,
              sql`r.id >= ${idFloor("req", from - idSlackMillis)}`,
              sql`r.created_at >= ${new Date(from)}`,
              ...to === undefined
                ? []
                : [sql`r.id < ${idFloor("req", to + idSlackMillis)}`, sql`r.created_at < ${new Date(to)}`],
              ...before === undefined ? [] : [sql`r.id < ${before}`],
              sql`r.payload <> ${removedText}`
            ])
          } order by r.id desc limit ${limit}`.pipe(Effect.orDie)
      })
    })
  )
}

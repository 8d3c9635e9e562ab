/** Budget requests of a workspace. */
import type { BudgetPeriod, BudgetRequestStatus } from "@countersign/domain/budget-requests"
import type { AgentId, BudgetRequestId, OrgId, UserId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnIn } from "../auth/own.ts"
import { textArray } from "../platform/db.ts"

export interface BudgetRequestRow {
  readonly id: BudgetRequestId
  readonly agent_id: AgentId
  readonly owner_user_id: string | null
  readonly team_id: string | null
  readonly service: string | null
  readonly operation: string | null
  readonly amount_cents: number
  readonly requested_cents: number
  readonly period: BudgetPeriod
  readonly reason: string
  readonly status: BudgetRequestStatus
  readonly requester_type: "agent" | "user"
  readonly requester_id: string
  readonly requester_name: string
  /** Null for an agent. */
  readonly requester_email: string | null
  readonly decided_by: UserId | null
  readonly decider_name: string | null
  readonly decider_email: string | null
  readonly comment: string | null
  readonly created_at: Date
  readonly decided_at: Date | null
}

export interface NewBudgetRequest {
  readonly id: string
  readonly agent_id: AgentId
  readonly service: string | null
  readonly operation: string | null
  readonly amount_cents: number
  readonly period: BudgetPeriod
  readonly reason: string
  readonly requester_type: "agent" | "user"
  readonly requester_id: string
  readonly created_at: Date
}

export interface BudgetRequestFilter {
  readonly agent?: AgentId | undefined
  /** The person who owns the agent. */
  readonly owner?: string | undefined
  /** Also requests of agents of these teams. */
  readonly teams: ReadonlyArray<string>
  readonly status?: BudgetRequestStatus | undefined
  readonly before?: string | undefined
  readonly limit: number
}

export class BudgetRequestsRepository extends Context.Service<BudgetRequestsRepository, {
  /** Newest first. */
  readonly list: (org: OrgId, filter: BudgetRequestFilter) => Effect.Effect<ReadonlyArray<BudgetRequestRow>>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<BudgetRequestRow>>
  /** The pending request of an agent, or of its operation. */
  readonly pending: (
    org: OrgId,
    agent: AgentId,
    operation: { readonly service: string | null; readonly operation: string | null }
  ) => Effect.Effect<string | undefined>
  /**
   * Pending requests by workspace: of all agents in `orgs`, of the agents of the person and of the teams in `ownIn`.
   * Workspaces without any are absent.
   */
  readonly pendingCounts: (
    orgs: ReadonlyArray<OrgId>,
    ownIn: OwnIn
  ) => Effect.Effect<ReadonlyMap<string, number>>
  readonly insert: (org: OrgId, request: NewBudgetRequest) => Effect.Effect<void>
  /** Compare-and-set from `pending`; false when it was decided before. */
  readonly decide: (org: OrgId, id: string, decision: {
    readonly status: BudgetRequestStatus
    readonly amount_cents: number
    readonly decided_by: string | null
    readonly comment: string | null
    readonly at: Date
  }) => Effect.Effect<boolean>
}>()("@countersign/hub/budget-requests/BudgetRequestsRepository") {
  static readonly layer = Layer.effect(
    BudgetRequestsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rows =
        sql`select b.id, b.agent_id, a.owner_user_id, a.team_id, b.service, b.operation, b.amount_cents, b.requested_cents,
          b.period, b.reason, b.status, b.requester_type, b.requester_id,
          case when b.requester_type = 'agent' then a.name else u.name end as requester_name, u.email as requester_email,
          b.decided_by, d.name as decider_name, d.email as decider_email, b.comment, b.created_at, b.decided_at
        from budget_requests b join agents a on a.id = b.agent_id
        left join users u on u.id = b.requester_id left join users d on d.id = b.decided_by`
      return BudgetRequestsRepository.of({
        list: (org, { agent, before, limit, owner, status, teams }) =>
          sql<BudgetRequestRow>`${rows} where ${
            sql.and([
              sql`b.org_id = ${org}`,
              ...(agent === undefined ? [] : [sql`b.agent_id = ${agent}`]),
              ...(owner === undefined
                ? []
                : [sql`(a.owner_user_id = ${owner} or a.team_id = any(${textArray([...teams])}))`]),
              ...(status === undefined ? [] : [sql`b.status = ${status}`]),
              ...(before === undefined ? [] : [sql`b.id < ${before}`])
            ])
          } order by b.id desc limit ${limit}`.pipe(Effect.orDie),
        find: (org, id) =>
          sql<BudgetRequestRow>`${rows} where b.org_id = ${org} and b.id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        pending: (org, agent, { operation, service }) =>
          sql<{ id: string }>`select id from budget_requests where org_id = ${org} and agent_id = ${agent}
            and service is not distinct from ${service} and operation is not distinct from ${operation}
            and status = 'pending'`.pipe(
            Effect.map(([row]) => row?.id),
            Effect.orDie
          ),
        pendingCounts: (orgs, ownIn) =>
          sql<{ org_id: OrgId; n: number }>`select b.org_id, count(*)::int as n
          from budget_requests b join agents a on a.id = b.agent_id
          where (b.org_id = any(${textArray(orgs)})
              or (b.org_id = any(${textArray(ownIn.orgs)})
                and (a.owner_user_id = ${ownIn.user} or a.team_id = any(${textArray(ownIn.teams)}))))
            and b.status = 'pending' and a.deleted_at is null
          group by b.org_id`.pipe(
            Effect.map((counts) => new Map(counts.map(({ n, org_id }) => [org_id, n]))),
            Effect.orDie
          ),
        insert: (org, request) => {
          const cents = BigInt(request.amount_cents)
          const row = { ...request, amount_cents: cents, requested_cents: cents }
          return sql`insert into budget_requests ${sql.insert({ ...row, org_id: org })}`.pipe(
            Effect.asVoid,
            Effect.orDie
          )
        },
        decide: (org, id, { amount_cents, at, comment, decided_by, status }) =>
          sql`update budget_requests set status = ${status}, amount_cents = ${BigInt(amount_cents)}::bigint,
            decided_by = ${decided_by}, comment = ${comment}, decided_at = ${at}
          where org_id = ${org} and id = ${id} and status = 'pending' returning id`.pipe(
            Effect.map((changed) => changed.length > 0),
            Effect.orDie
          )
      })
    })
  )
}

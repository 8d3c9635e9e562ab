/** Agent requests of a workspace. */
import type { AgentRequest, AgentRequestKind, AgentRequestStatus } from "@countersign/domain/agent-requests"
import type { Principal } from "@countersign/domain/auth"
import type { AgentId, AgentRequestId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { namedFor, type PersonColumns } from "../auth/named.ts"
import type { OwnIn } from "../auth/own.ts"
import { textArray } from "../platform/db.ts"

export interface AgentRequestRow {
  readonly id: AgentRequestId
  readonly agent_id: AgentId
  /** The owner of the agent. */
  readonly owner_user_id: string | null
  readonly team_id: string | null
  readonly kind: AgentRequestKind
  readonly title: string
  readonly body: string
  readonly options: ReadonlyArray<string> | null
  /** An open request after its expiry reads as `expired`, and that of a deleted agent as `dismissed`. */
  readonly status: AgentRequestStatus
  readonly answer: string | null
  readonly comment: string | null
  readonly answered_by: PersonColumns | null
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly ended_at: Date | null
}

export interface NewAgentRequest {
  readonly id: AgentRequestId
  readonly agent_id: AgentId
  readonly kind: AgentRequestKind
  readonly title: string
  readonly body: string
  readonly options: ReadonlyArray<string> | null
  readonly created_at: Date
  readonly expires_at: Date | null
}

export interface AgentRequestFilter {
  readonly agent: AgentId | undefined
  /** The owner of the agents. */
  readonly owner: string | undefined
  /** Also requests of agents of these teams. */
  readonly teams: ReadonlyArray<string>
  readonly status: AgentRequestStatus | undefined
  readonly kind: AgentRequestKind | undefined
  readonly before: string | undefined
  readonly limit: number
}

export interface AgentRequestEnd {
  readonly status: Exclude<AgentRequestStatus, "open">
  readonly answer: string | null
  readonly comment: string | null
  /** Null: the hub. */
  readonly by: string | null
  readonly at: Date
}

export interface DueAgentRequest {
  readonly id: AgentRequestId
  readonly org_id: OrgId
}

/** Open requests that have expired, or whose agent is deleted. */
export const dueAgentRequests = [
  "select from agent_requests where status = 'open' and expires_at <= hub_time_or_last()",
  "select from agent_requests r join agents a on a.id = r.agent_id where r.status = 'open' and a.deleted_at is not null"
]

export class AgentRequestsRepository extends Context.Service<AgentRequestsRepository, {
  /** Returns false when the agent does not exist or is deleted. Call it under the workspace's lock. */
  readonly insert: (org: OrgId, request: NewAgentRequest) => Effect.Effect<boolean>
  /** The number of an agent's open requests. */
  readonly openOf: (org: OrgId, agent: AgentId) => Effect.Effect<number>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<AgentRequestRow>>
  /** Newest first; returns one more than `limit` when there are more. */
  readonly list: (org: OrgId, filter: AgentRequestFilter) => Effect.Effect<ReadonlyArray<AgentRequestRow>>
  /** Ends a request whose stored status is open; false when another call did before. Call it under the lock. */
  readonly end: (org: OrgId, id: string, end: AgentRequestEnd) => Effect.Effect<boolean>
  /** Open requests of all workspaces whose time is over or whose agent is deleted. */
  readonly due: (limit: number) => Effect.Effect<ReadonlyArray<DueAgentRequest>>
  /**
   * Open requests by workspace: of all agents in `orgs`, of the agents of the person and of the teams in `ownIn`.
   * Workspaces without any are absent.
   */
  readonly openCounts: (
    orgs: ReadonlyArray<OrgId>,
    ownIn: OwnIn
  ) => Effect.Effect<ReadonlyMap<string, number>>
}>()("@countersign/hub/agent-requests/AgentRequestsRepository") {
  static readonly layer = Layer.effect(
    AgentRequestsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const status = sql`(case when r.status <> 'open' then r.status
        when a.deleted_at is not null then 'dismissed'
        when r.expires_at <= hub_time_or_last() then 'expired'
        else 'open' end)`
      const rows = (org: OrgId) =>
        sql`select r.id, r.agent_id, a.owner_user_id, a.team_id, r.kind, r.title, r.body, r.options, ${status} as status, r.answer,
          r.comment,
          case when u.id is not null then json_build_object('id', u.id, 'name', u.name, 'email', u.email) end as answered_by, r.created_at, r.expires_at, r.ended_at
        from agent_requests r join agents a on a.id = r.agent_id left join users u on u.id = r.answered_by
        where r.org_id = ${org}`
      return AgentRequestsRepository.of({
        insert: (org, request) =>
          sql`insert into agent_requests (org_id, id, agent_id, kind, title, body, options, created_at, expires_at)
          select a.org_id, ${request.id}, a.id, ${request.kind}, ${request.title}, ${request.body},
            ${request.options === null ? null : textArray(request.options)}::text[], ${request.created_at},
            ${request.expires_at}
          from agents a where a.org_id = ${org} and a.id = ${request.agent_id} and a.deleted_at is null
          returning id`.pipe(Effect.map((inserted) => inserted.length > 0), Effect.orDie),
        openOf: (org, agent) =>
          sql<{ n: number }>`select count(*)::int as n from agent_requests
          where org_id = ${org} and agent_id = ${agent} and status = 'open'`.pipe(
            Effect.map(([row]) => row?.n ?? 0),
            Effect.orDie
          ),
        find: (org, id) =>
          sql<AgentRequestRow>`${rows(org)} and r.id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        list: (org, filter) => {
          const conditions = sql.and([
            sql`true`,
            ...(filter.agent === undefined ? [] : [sql`r.agent_id = ${filter.agent}`]),
            ...(filter.owner === undefined
              ? []
              : [sql`(a.owner_user_id = ${filter.owner} or a.team_id = any(${textArray([...filter.teams])}))`]),
            ...(filter.status === undefined ? [] : [sql`${status} = ${filter.status}`]),
            ...(filter.kind === undefined ? [] : [sql`r.kind = ${filter.kind}`]),
            ...(filter.before === undefined ? [] : [sql`r.id < ${filter.before}`])
          ])
          return sql<AgentRequestRow>`${rows(org)} and ${conditions} order by r.id desc limit ${filter.limit + 1}`.pipe(
            Effect.orDie
          )
        },
        end: (org, id, { answer, at, by, comment, status }) =>
          sql`update agent_requests set status = ${status}, answer = ${answer}, comment = ${comment}, answered_by = ${by},
            ended_at = ${at}
          where org_id = ${org} and id = ${id} and status = 'open' returning id`.pipe(
            Effect.map((ended) => ended.length > 0),
            Effect.orDie
          ),
        due: (limit) =>
          sql<DueAgentRequest>`(select r.id, r.org_id from agent_requests r
            where r.status = 'open' and r.expires_at <= hub_time_or_last() order by r.expires_at limit ${limit})
          union
          (select r.id, r.org_id from agent_requests r join agents a on a.id = r.agent_id
            where r.status = 'open' and a.deleted_at is not null limit ${limit})`.pipe(Effect.orDie),
        openCounts: (orgs, ownIn) =>
          sql<{ org_id: OrgId; n: number }>`select r.org_id, count(*)::int as n
          from agent_requests r join agents a on a.id = r.agent_id
          where (r.org_id = any(${textArray(orgs)})
              or (r.org_id = any(${textArray(ownIn.orgs)})
                and (a.owner_user_id = ${ownIn.user} or a.team_id = any(${textArray(ownIn.teams)}))))
            and r.status = 'open' and ${status} = 'open'
          group by r.org_id`.pipe(
            Effect.map((counts) => new Map(counts.map(({ n, org_id }) => [org_id, n]))),
            Effect.orDie
          )
      })
    })
  )
}

export const toAgentRequest = (principal: Principal, row: AgentRequestRow): AgentRequest => ({
  id: row.id,
  agent_id: row.agent_id,
  kind: row.kind,
  title: row.title,
  body: row.body,
  ...(row.options === null ? {} : { options: row.options }),
  status: row.status,
  ...(row.answer === null ? {} : { answer: row.answer }),
  ...(row.comment === null ? {} : { comment: row.comment }),
  ...(row.answered_by === null ? {} : { answered_by: namedFor(principal, row.answered_by) }),
  ...(row.expires_at === null ? {} : { expires_at: row.expires_at.toISOString() }),
  created_at: row.created_at.toISOString(),
  ...(row.answered_by === null || row.ended_at === null ? {} : { answered_at: row.ended_at.toISOString() })
})

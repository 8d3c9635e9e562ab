/** Agents, their keys, and their monthly caps. */
import type { AgentKind, AgentSort, AgentStatus } from "@countersign/domain/agents"
import { staleKeyDays } from "@countersign/domain/agents"
import type { Mode } from "@countersign/domain/auth"
import type { AgentId, OrgId, TeamId, UserId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { likePattern, textArray } from "../platform/db.ts"
import { type KeyColumn, keysetOf, type Place, type Sorted } from "../platform/keyset.ts"
import { isSharedAgent } from "./shared-agents-repository.ts"

/** The type of the values that a sort orders by. */
export const agentSortTypes = {
  created_at: "time",
  name: "text",
  spent_this_month_cents: "integer",
  last_seen_at: "time"
} as const

/** Maximum number of settlements that fleet health reads. */
const healthSettlementsMax = 100_000

export interface AgentRow {
  readonly id: AgentId
  readonly name: string
  readonly description: string
  readonly kind: AgentKind
  readonly status: AgentStatus
  readonly frozen: boolean
  readonly icon: string | null
  readonly category: string | null
  readonly personality: string | null
  /** JSON text. */
  readonly voice_config: string | null
  readonly parent_agent_id: AgentId | null
  readonly depth: number
  readonly team_id: TeamId | null
  readonly owner_user_id: UserId | null
  readonly approval_threshold_cents: number | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly last_seen_at: Date | null
  readonly ends_at: Date | null
  readonly edit_version: number
  readonly month_cap: number | null
  readonly month_used: number
  readonly month_held: number
  readonly committed: number
  readonly children: number
  readonly key_hint: string | null
  readonly live_key: boolean
  readonly test_key: boolean
}

export interface NewAgent {
  readonly id: string
  readonly name: string
  readonly kind: AgentKind
  readonly description: string
  readonly icon: string | null
  readonly category: string | null
  readonly personality: string | null
  readonly voice_config: string | null
  readonly owner_user_id: string | null
  readonly team_id?: string | null
}

/** Columns of `agents` that a person updates; absent ones keep their values. */
export interface AgentChange {
  readonly name?: string
  readonly description?: string
  readonly status?: string
  readonly frozen?: boolean
  readonly icon?: string | null
  readonly category?: string | null
  readonly personality?: string | null
  readonly voice_config?: string | null
  readonly team_id?: string | null
  readonly owner_user_id?: string
}

export interface NewKey {
  readonly id: string
  readonly mode: Mode
  /** SHA-256 of the key. */
  readonly hash: Uint8Array
  readonly hint: string
}

export interface AgentFilter {
  /** Agents of this owner, those of `inTeams`, and those that a publication shares. */
  readonly owner?: string | undefined
  readonly inTeams?: ReadonlyArray<string> | undefined
  readonly status?: string | undefined
  readonly kind?: string | undefined
  readonly team?: string | undefined
  /** The children of this agent; null: agents without a parent that `owner` sees. */
  readonly parent?: string | null | undefined
  /** Matches the name or the description, or equals the id. */
  readonly text?: string | undefined
  readonly before?: string | undefined
  readonly limit: number
}

export interface HealthRow {
  readonly id: AgentId
  readonly name: string
  readonly status: AgentStatus
  readonly frozen: boolean
  readonly last_seen_at: Date | null
  readonly requests: number
  readonly failed: number
  readonly month_cap: number | null
  readonly month_used: number
  readonly month_held: number
  readonly pending_approvals: number
  readonly stale_keys: number
}

export class AgentsRepository extends Context.Service<AgentsRepository, {
  /** None when it does not exist, is deleted, or belongs to another workspace. */
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<AgentRow>>
  /** Whether a publication shares the agent with the workspace, or with one of these teams. */
  readonly isShared: (org: OrgId, id: string, teams: ReadonlyArray<string>) => Effect.Effect<boolean>
  /** Newest first; returns one more than `limit` when there are more. */
  readonly list: (org: OrgId, filter: AgentFilter) => Effect.Effect<ReadonlyArray<AgentRow>>
  /** In another order; returns one more than `limit` when there are more. */
  readonly listSorted: (
    org: OrgId,
    filter: Omit<AgentFilter, "before"> & { readonly sort: AgentSort; readonly after: Place | undefined }
  ) => Effect.Effect<ReadonlyArray<AgentRow & Sorted>>
  /** Inserts the agent with its monthly limits, live and test. */
  readonly insert: (org: OrgId, agent: NewAgent, capCents: number | null) => Effect.Effect<void>
  /** Whether a person belongs to a team; undefined without such a team. */
  readonly team: (
    org: OrgId,
    team: string,
    user: string
  ) => Effect.Effect<{ readonly belongs: boolean } | undefined>
  readonly update: (org: OrgId, id: string, change: AgentChange) => Effect.Effect<void>
  /** Makes dispatch read this agent again after the commit. The edit version does not change. */
  readonly bump: (org: OrgId, id: string) => Effect.Effect<void>
  /** Makes dispatch read the agents again that work on tasks of this one. */
  readonly bumpDelegates: (org: OrgId, id: string) => Effect.Effect<void>
  readonly remove: (org: OrgId, id: string) => Effect.Effect<void>
  /** Withdraws the pending budget requests of an agent that is deleted; returns their ids. */
  readonly withdrawBudgetRequests: (org: OrgId, id: string, at: Date) => Effect.Effect<ReadonlyArray<string>>
  /** The workspace's assistant. */
  readonly assistant: (org: OrgId) => Effect.Effect<Option.Option<AgentId>>
  /**
   * Ends the agent's place in its family: the children pass to its parent, or become roots, and the parent gets back
   * what the agent did not use. Call it under the workspace's lock. Returns the number of children.
   */
  readonly leaveFamily: (org: OrgId, id: string, at: Date) => Effect.Effect<number>
  readonly insertKey: (org: OrgId, agent: AgentId, key: NewKey) => Effect.Effect<void>
  /** Ends the keys of one mode, or of both, after the grace period; a key that ends sooner keeps its end. */
  readonly endKeys: (org: OrgId, agent: AgentId, mode: Mode | undefined, graceSeconds: number) => Effect.Effect<void>
  readonly health: (
    org: OrgId,
    filter: Pick<AgentFilter, "owner" | "inTeams"> & { readonly before: string | undefined; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<HealthRow>>
}>()("@countersign/hub/agents/AgentsRepository") {
  static readonly layer = Layer.effect(
    AgentsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient

      const monthLimit =
        sql`left join limits l on l.org_id = a.org_id and l.kind = 2 and l.mode = 'live' and l.agent_id = a.id
        and l.service is null and l.operation is null`
      const monthUsed = sql`case when l.period >= month_of(hub_time_or_last()) then l.used else 0 end`
      const sortColumns: Readonly<Record<keyof typeof agentSortTypes, KeyColumn>> = {
        created_at: { type: "time", column: sql`a.created_at` },
        name: { type: "text", column: sql`(lower(a.name) collate "C")` },
        spent_this_month_cents: { type: "integer", column: sql`(${monthUsed})` },
        last_seen_at: { type: "time", column: sql`coalesce(s.last_seen_at, 'epoch'::timestamptz)` }
      }
      const visibleTo = (owner: string, teams: ReadonlyArray<string>) =>
        teams.length === 0
          ? sql`a.owner_user_id = ${owner}`
          : sql`(a.owner_user_id = ${owner} or a.team_id = any(${textArray([...teams])}))`
      const matching = (
        org: OrgId,
        { inTeams = [], kind, owner, parent, status, team, text }: Omit<AgentFilter, "before" | "limit">
      ) => {
        const like = likePattern(text ?? "")
        const seen = (by: string) => sql`(${visibleTo(by, inTeams)} or ${isSharedAgent(sql, inTeams)})`
        return sql.and([
          sql`a.deleted_at is null`,
          sql`a.kind <> 'chat'`,
          ...(owner === undefined ? [] : [seen(owner)]),
          ...(parent === undefined
            ? []
            : parent !== null
            ? [sql`a.parent_agent_id = ${parent}`]
            : owner === undefined
            ? [sql`a.parent_agent_id is null`]
            : [
              sql`(a.parent_agent_id is null or a.parent_agent_id <> all (select a.id from agents a
                where a.org_id = ${org} and a.deleted_at is null and ${seen(owner)}))`
            ]),
          ...(status === undefined ? [] : [sql`a.status = ${status}`]),
          ...(kind === undefined ? [] : [sql`a.kind = ${kind}`]),
          ...(team === undefined ? [] : [sql`a.team_id = ${team}`]),
          ...(text === undefined || text === ""
            ? []
            : [sql`(a.name ilike ${like} or a.description ilike ${like} or a.id = ${text})`])
        ])
      }

      const rows =
        sql`select a.id, a.name, a.description, a.kind, a.status, a.frozen, a.icon, a.category, a.personality, a.voice_config,
        a.parent_agent_id, a.depth, a.team_id, a.owner_user_id, a.approval_threshold_cents, a.edit_version, a.created_at,
        a.updated_at, a.ends_at, s.last_seen_at,
        cap_now(l, month_of(hub_time_or_last())) as month_cap, ${monthUsed} as month_used,
        case when l.period >= month_of(hub_time_or_last()) then l.held else 0 end as month_held,
        coalesce(l.committed, 0) as committed,
        (select count(*) from agents c where c.org_id = a.org_id and c.parent_agent_id = a.id and c.deleted_at is null)
          as children,
        k.hint as key_hint, k.live as live_key, k.test as test_key
      from agents a
      left join agent_sightings s on s.agent_id = a.id
      ${monthLimit}
      cross join lateral (select (array_agg(hint order by mode, id desc))[1] as hint,
          coalesce(bool_or(mode = 'live'), false) as live, coalesce(bool_or(mode = 'test'), false) as test
        from agent_keys where org_id = a.org_id and agent_id = a.id and (expires_at is null or expires_at > hub_time_or_last())) k`

      return AgentsRepository.of({
        find: (org, id) =>
          sql<AgentRow>`${rows} where a.org_id = ${org} and a.id = ${id} and a.deleted_at is null`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        isShared: (org, id, teams) =>
          sql`select 1 from agents a where a.org_id = ${org} and a.id = ${id} and a.deleted_at is null and ${
            isSharedAgent(sql, teams)
          }`.pipe(Effect.map((rows) => rows.length > 0), Effect.orDie),
        list: (org, filter) =>
          sql<AgentRow>`${rows} where a.org_id = ${org} and ${matching(org, filter)}
          ${filter.before === undefined ? sql`` : sql`and a.id < ${filter.before}`}
          order by a.id desc limit ${filter.limit + 1}`.pipe(Effect.orDie),
        listSorted: Effect.fnUntraced(function*(org, { after, sort, ...filter }) {
          const keyset = keysetOf(
            sql,
            sort,
            sortColumns[sort.replace("-", "") as keyof typeof agentSortTypes],
            sql`a.id`
          )
          const page = yield* sql<Sorted>`select a.id, ${keyset.key} as sort_key
          from agents a
          left join agent_sightings s on s.agent_id = a.id
          ${monthLimit}
          where a.org_id = ${org} and ${matching(org, filter)} ${
            after === undefined ? sql`` : sql`and ${keyset.after(after)}`
          }
          ${keyset.order} limit ${filter.limit + 1}`
          const found = yield* sql<AgentRow>`${rows} where a.org_id = ${org} and a.id = any(${
            textArray(page.map(({ id }) => id))
          })`
          const byId = new Map(found.map((row) => [row.id as string, row]))
          return page.flatMap(({ id, sort_key }) => {
            const row = byId.get(id)
            return row === undefined ? [] : [{ ...row, sort_key }]
          })
        }, Effect.orDie),
        insert: Effect.fnUntraced(function*(org, agent, capCents) {
          yield* sql`insert into agents ${sql.insert({ ...agent, org_id: org })}`
          yield* sql`insert into limits (org_id, kind, mode, agent_id, cap)
          select ${org}, 2, m, ${agent.id}, ${
            capCents === null ? null : BigInt(capCents)
          }::bigint from unnest(array['live', 'test']) m`
        }, Effect.orDie),
        team: (org, team, user) =>
          sql<{ belongs: boolean }>`select exists (select 1 from team_members m
            where m.team_id = t.id and m.user_id = ${user}) as belongs
          from teams t where t.org_id = ${org} and t.id = ${team} and t.deleted_at is null`.pipe(
            Effect.map(([row]) => row),
            Effect.orDie
          ),
        update: (org, id, change) =>
          sql`update agents set ${
            sql.update({ ...change })
          }, version = version + 1, edit_version = edit_version + 1, updated_at = now()
          where org_id = ${org} and id = ${id} and deleted_at is null`.pipe(Effect.asVoid, Effect.orDie),
        bump: (org, id) =>
          sql`update agents set version = version + 1, updated_at = now() where org_id = ${org} and id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        bumpDelegates: (org, id) =>
          sql`update agents set version = version + 1 where org_id = ${org} and id in (
            select to_agent_id from delegated_tasks
              where org_id = ${org} and from_agent_id = ${id} and ended_at is null)`.pipe(Effect.asVoid, Effect.orDie),
        remove: (org, id) =>
          sql`update agents set deleted_at = now(), version = version + 1, updated_at = now()
          where org_id = ${org} and id = ${id} and deleted_at is null`.pipe(Effect.asVoid, Effect.orDie),
        withdrawBudgetRequests: (org, id, at) =>
          sql<{ id: string }>`update budget_requests set status = 'withdrawn', decided_at = ${at}
          where org_id = ${org} and agent_id = ${id} and status = 'pending' returning id`.pipe(
            Effect.map((rows) => rows.map((row) => row.id)),
            Effect.orDie
          ),
        assistant: (org) =>
          sql<{ id: AgentId }>`select id from agents
          where org_id = ${org} and kind = 'yupi' and deleted_at is null`.pipe(
            Effect.map(([row]) => Option.fromUndefinedOr(row?.id)),
            Effect.orDie
          ),
        leaveFamily: (org, id, at) =>
          sql<{ children: number }>`select leave_family(${org}, ${id}, ${at}) as children`.pipe(
            Effect.map(([row]) => row?.children ?? 0),
            Effect.orDie
          ),
        insertKey: (org, agent, { hash, hint, id, mode }) =>
          sql`insert into agent_keys (id, org_id, agent_id, mode, key_hash, hint) values (${id}, ${org}, ${agent}, ${mode}, ${hash}, ${hint})`
            .pipe(
              Effect.asVoid,
              Effect.orDie
            ),
        endKeys: (org, agent, mode, graceSeconds) =>
          sql`update agent_keys set expires_at = hub_time_or_last() + ${graceSeconds} * interval '1 second'
          where org_id = ${org} and agent_id = ${agent} and (${mode ?? null}::text is null or mode = ${mode ?? null})
            and (expires_at is null or expires_at > hub_time_or_last() + ${graceSeconds} * interval '1 second')`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        health: (org, { before, inTeams, limit, owner }) =>
          sql<HealthRow>`with page as (
            select a.id, a.name, a.status, a.frozen from agents a where ${
            sql.and([
              sql`a.org_id = ${org}`,
              sql`a.deleted_at is null`,
              sql`a.kind <> 'chat'`,
              ...(owner === undefined ? [] : [visibleTo(owner, inTeams ?? [])]),
              ...(before === undefined ? [] : [sql`a.id < ${before}`])
            ])
          } order by a.id desc limit ${limit + 1}),
          recent as (select agent_id, count(*) as requests, count(*) filter (where status = 'failed') as failed
            from (select agent_id, status, mode from settlements where org_id = ${org} and completed_at >= hub_time_or_last() - interval '1 day'
              order by completed_at desc, request_id desc limit ${healthSettlementsMax}) z
            where mode = 'live' and agent_id in (select id from page) group by agent_id),
          waiting as (select agent_id, count(*) as n from approvals where org_id = ${org} and status = 'pending' group by agent_id)
          select p.id, p.name, p.status, p.frozen, s.last_seen_at, coalesce(r.requests, 0) as requests, coalesce(r.failed, 0) as failed,
            cap_now(l, month_of(hub_time_or_last())) as month_cap,
            case when l.period >= month_of(hub_time_or_last()) then l.used else 0 end as month_used,
            case when l.period >= month_of(hub_time_or_last()) then l.held else 0 end as month_held, coalesce(w.n, 0) as pending_approvals,
            (select count(*) from agent_keys k where k.org_id = ${org} and k.agent_id = p.id and k.mode = 'live'
              and (k.expires_at is null or k.expires_at > hub_time_or_last())
              and k.created_at < hub_time_or_last() - ${staleKeyDays} * interval '1 day') as stale_keys
          from page p
          left join agent_sightings s on s.agent_id = p.id
          left join recent r on r.agent_id = p.id
          left join waiting w on w.agent_id = p.id
          left join limits l on l.org_id = ${org} and l.kind = 2 and l.mode = 'live' and l.agent_id = p.id and l.service is null
            and l.operation is null
          order by p.id desc`.pipe(Effect.orDie)
      })
    })
  )
}

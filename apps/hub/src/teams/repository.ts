/** Teams and their members. */
import type { TeamRole } from "@countersign/domain/auth"
import { newId, type OrgId, type TeamId, type UserId } from "@countersign/domain/ids"
import type { UpdateTeamInput } from "@countersign/domain/teams"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

export interface TeamRow {
  readonly id: TeamId
  readonly name: string
  readonly description: string
  readonly member_count: number
  /** The reader's role in the team. */
  readonly role: TeamRole | null
  readonly created_at: Date
  readonly updated_at: Date
}

export interface TeamMemberRow {
  readonly user_id: UserId
  readonly email: string
  readonly name: string
  readonly role: TeamRole
  readonly created_at: Date
  /** Cost of the person's agents in the team in this month. */
  readonly spent: number
  /** Of the allocation; null without one. */
  readonly balance: number | null
  readonly held: number | null
  readonly paid: number | null
}

export class TeamsRepository extends Context.Service<TeamsRepository, {
  /** As `reader` sees them, newest first. */
  readonly list: (
    org: OrgId,
    reader: string,
    after: string | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<TeamRow>>
  /** None when it does not exist, is deleted, or belongs to another workspace. */
  readonly find: (org: OrgId, id: string, reader: string) => Effect.Effect<Option.Option<TeamRow>>
  readonly exists: (org: OrgId, id: string) => Effect.Effect<boolean>
  readonly count: (org: OrgId) => Effect.Effect<number>
  /** Whether another team has this name, in any case. Call it under the workspace's lock. */
  readonly isNamed: (org: OrgId, name: string, except?: string) => Effect.Effect<boolean>
  readonly insert: (
    org: OrgId,
    team: { readonly name: string; readonly description: string },
    at: Date
  ) => Effect.Effect<TeamId>
  readonly update: (org: OrgId, id: string, change: UpdateTeamInput, at: Date) => Effect.Effect<void>
  /** Deletes the team and its memberships, and takes its agents out of it; returns the number of agents. */
  readonly remove: (org: OrgId, id: string, at: Date) => Effect.Effect<number>
  readonly members: (
    org: OrgId,
    team: string,
    after: string | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<TeamMemberRow>>
  readonly member: (org: OrgId, team: string, user: string) => Effect.Effect<Option.Option<TeamMemberRow>>
  readonly addMember: (org: OrgId, team: string, user: string, role: TeamRole, at: Date) => Effect.Effect<void>
  readonly setRole: (org: OrgId, team: string, user: string, role: TeamRole) => Effect.Effect<void>
  readonly removeMember: (org: OrgId, team: string, user: string) => Effect.Effect<void>
  /** The teams of a person. */
  readonly teamsOf: (org: OrgId, user: string) => Effect.Effect<ReadonlyArray<TeamId>>
}>()("@countersign/hub/teams/TeamsRepository") {
  static readonly layer = Layer.effect(
    TeamsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const teams = (org: OrgId, reader: string) =>
        sql`select t.id, t.name, t.description, t.created_at, t.updated_at,
          (select count(*)::int from team_members c where c.team_id = t.id) as member_count,
          (select m.role from team_members m where m.team_id = t.id and m.user_id = ${reader}) as role
        from teams t where t.org_id = ${org} and t.deleted_at is null`
      const members = (org: OrgId, team: string) =>
        sql`select m.user_id, u.email, u.name, m.role, m.created_at,
          coalesce((select sum(d.cost_cents) from usage_days d join agents a on a.id = d.agent_id
            where d.org_id = m.org_id and d.mode = 'live' and a.team_id = m.team_id and a.owner_user_id = m.user_id
              and d.day >= date_trunc('month', hub_time_or_last() at time zone 'utc')::date), 0)::int8 as spent,
          w.cap - w.used as balance, w.held,
          case when c.period = month_of(hub_time_or_last()) then c.used when c.id is not null then 0 end as paid
        from team_members m
        join users u on u.id = m.user_id
        left join team_wallets x on x.team_id = m.team_id and x.user_id = m.user_id and x.ended_at is null
        left join limits w on w.id = x.limit_id
        left join limits c on c.id = x.month_limit_id
        where m.org_id = ${org} and m.team_id = ${team}`
      return TeamsRepository.of({
        list: (org, reader, after, limit) =>
          sql<TeamRow>`${teams(org, reader)} ${after === undefined ? sql`` : sql`and t.id < ${after}`}
          order by t.id desc limit ${limit}`.pipe(Effect.orDie),
        find: (org, id, reader) =>
          sql<TeamRow>`${teams(org, reader)} and t.id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        exists: (org, id) =>
          sql`select 1 from teams where org_id = ${org} and id = ${id} and deleted_at is null`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        count: (org) =>
          sql<{ n: number }>`select count(*)::int as n from teams where org_id = ${org} and deleted_at is null`.pipe(
            Effect.map(([row]) => row?.n ?? 0),
            Effect.orDie
          ),
        isNamed: (org, name, except = "") =>
          sql`select 1 from teams where org_id = ${org} and lower(name) = lower(${name}) and id <> ${except}
            and deleted_at is null`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        insert: (org, { description, name }, at) => {
          const id = newId("team")
          return sql`insert into teams (org_id, id, name, description, created_at, updated_at)
          values (${org}, ${id}, ${name}, ${description}, ${at}, ${at})`.pipe(Effect.as(id), Effect.orDie)
        },
        update: (org, id, change, at) =>
          sql`update teams set ${sql.update({ ...change, updated_at: at })} where org_id = ${org} and id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        remove: Effect.fnUntraced(function*(org, id, at) {
          const agents = yield* sql`update agents set team_id = null, version = version + 1,
            edit_version = edit_version + 1, updated_at = ${at}
          where org_id = ${org} and team_id = ${id} and deleted_at is null returning 1`
          yield* sql`delete from team_members where org_id = ${org} and team_id = ${id}`
          yield* sql`update teams set deleted_at = ${at}, updated_at = ${at} where org_id = ${org} and id = ${id}`
          return agents.length
        }, Effect.orDie),
        members: (org, team, after, limit) =>
          sql<TeamMemberRow>`${members(org, team)} ${after === undefined ? sql`` : sql`and m.user_id < ${after}`}
          order by m.user_id desc limit ${limit}`.pipe(Effect.orDie),
        member: (org, team, user) =>
          sql<TeamMemberRow>`${members(org, team)} and m.user_id = ${user}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        addMember: (org, team, user, role, at) =>
          sql`insert into team_members (org_id, team_id, user_id, role, created_at)
          values (${org}, ${team}, ${user}, ${role}, ${at})`.pipe(Effect.asVoid, Effect.orDie),
        setRole: (org, team, user, role) =>
          sql`update team_members set role = ${role} where org_id = ${org} and team_id = ${team} and user_id = ${user}`
            .pipe(Effect.asVoid, Effect.orDie),
        removeMember: (org, team, user) =>
          sql`delete from team_members where org_id = ${org} and team_id = ${team} and user_id = ${user}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        teamsOf: (org, user) =>
          sql<{ team_id: TeamId }>`select team_id from team_members
          where org_id = ${org} and user_id = ${user} order by team_id`.pipe(
            Effect.map((rows) => rows.map(({ team_id }) => team_id)),
            Effect.orDie
          )
      })
    })
  )
}

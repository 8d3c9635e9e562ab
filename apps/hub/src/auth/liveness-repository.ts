/** Which credentials and memberships of open calls are still valid: always for many at once. */
import type { Permission, TeamMembership } from "@countersign/domain/auth"
import { sessionAbsoluteDays, sessionIdleDays } from "@countersign/domain/identity"
import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { WorkspaceRoles } from "./own.ts"
import { teamsOf } from "./team-roles-repository.ts"
import { unmetRuleOf } from "./unmet-rule-repository.ts"

export interface Membership extends WorkspaceRoles {
  /** The teams of a member; of other roles none, because they see everything without them. */
  readonly teams: ReadonlyArray<TeamMembership>
}

/** The end of session `s`: after a time without use, after its maximum age, or as single sign-on limits it. */
export const sessionEnd = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`least(s.last_seen_at + make_interval(days => ${sessionIdleDays}), s.created_at + make_interval(days => ${sessionAbsoluteDays}), s.ends_at)`

/** By the id of a session, token, agent key, or device; a token with its current scopes. */
export type LiveCredentials = ReadonlyMap<string, ReadonlyArray<Permission> | null>

export const makeLivenessRepository = Effect.map(SqlClient.SqlClient, (sql) => ({
  credentialsAlive: (ids: ReadonlyArray<string>): Effect.Effect<LiveCredentials> =>
    sql<{ id: string; scopes: ReadonlyArray<Permission> | null }>`select id, null::text[] as scopes from sessions s
        where ${sql.in("id", ids)} and ${sessionEnd(sql)} > hub_time_or_last()
      union all select id, scopes from tokens where ${sql.in("id", ids)} and enabled and expires_at > hub_time_or_last()
      union all select k.id, null from agent_keys k join agents a on a.org_id = k.org_id and a.id = k.agent_id
        where ${
      sql.in("k.id", ids)
    } and a.deleted_at is null and (k.expires_at is null or k.expires_at > hub_time_or_last())
      union all select id, null from devices where ${sql.in("id", ids)} and state <> 'revoked'`.pipe(
      Effect.map((rows) => new Map(rows.map(({ id, scopes }) => [id, scopes]))),
      Effect.orDie
    ),
  /** For a person without a second factor, without the workspaces that require one of everybody. */
  memberships: (users: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, ReadonlyArray<Membership>>> =>
    users.length === 0
      ? Effect.succeed(new Map())
      : sql<Membership & { user_id: string }>`select m.user_id, m.org_id, m.role,
        case when m.role = 'member' then ${teamsOf(sql, sql`m.org_id`, sql`m.user_id`)} else '[]'::json end as teams
      from memberships m where ${sql.in("m.user_id", users)}
        and ${unmetRuleOf(sql, sql`m.org_id`, sql`m.user_id`)} is distinct from 'all' order by m.org_id`.pipe(
        Effect.map((rows) => Map.groupBy(rows, (row) => row.user_id)),
        Effect.orDie
      )
}))

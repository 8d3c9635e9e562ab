/** The SQL of a person's roles in the teams of a workspace. */
import type { SqlClient, Statement } from "effect/sql"

/** A column with the roles as JSON, `TeamMembership[]`. */
export const teamsOf = (
  sql: SqlClient.SqlClient,
  org: Statement.Fragment,
  user: Statement.Fragment
): Statement.Fragment =>
  sql`coalesce((select json_agg(json_build_object('team_id', tm.team_id, 'role', tm.role)) from team_members tm
    where tm.org_id = ${org} and tm.user_id = ${user}), '[]'::json)`

/** The SQL of agents that a publication shares. */
import type { SqlClient, Statement } from "effect/sql"
import { textArray } from "../platform/db.ts"

/**
 * The condition that an active publication shares an agent, a row of `agents` named `a`, with the workspace or with one
 * of these teams.
 */
export const isSharedAgent = (sql: SqlClient.SqlClient, teams: ReadonlyArray<string>): Statement.Fragment =>
  sql`exists (select 1 from publications p where p.org_id = a.org_id and p.subject_type = 'agent' and p.subject_id = a.id
    and p.revoked_at is null and (p.scope = 'org' or p.team_id = any(${textArray(teams)})))`

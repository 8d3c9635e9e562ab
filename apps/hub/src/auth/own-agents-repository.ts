/** The SQL of `own.ts` for rows with an agent. */
import type { SqlClient, Statement } from "effect/sql"

/** The condition that the agent in this column belongs to `owner`. */
export const ofOwnAgents = (
  sql: SqlClient.SqlClient,
  org: string,
  agent: Statement.Fragment,
  owner: string
): Statement.Fragment => sql`${agent} in (select id from agents where org_id = ${org} and owner_user_id = ${owner})`

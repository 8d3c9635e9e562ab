/** The SQL of `own.ts` for rows with an agent. */
import type { OrgId } from "@countersign/domain/ids"
import type { SqlClient, Statement } from "effect/sql"
import { textArray } from "../platform/db.ts"

/** The condition that the agent in this column belongs to `owner`, or to one of these teams. */
export const ofOwnAgents = (
  sql: SqlClient.SqlClient,
  org: OrgId,
  agent: Statement.Fragment,
  owner: string,
  teams: ReadonlyArray<string> = []
): Statement.Fragment =>
  teams.length === 0
    ? sql`${agent} in (select id from agents where org_id = ${org} and owner_user_id = ${owner})`
    : sql`${agent} in (select id from agents where org_id = ${org}
      and (owner_user_id = ${owner} or team_id = any(${textArray(teams)})))`

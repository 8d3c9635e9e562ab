/** The SQL of a workspace's rule about second factors that a person does not meet. */
import type { SqlClient, Statement } from "effect/sql"

/** A column with the rule, `UnmetRule`. */
export const unmetRuleOf = (
  sql: SqlClient.SqlClient,
  org: Statement.Fragment,
  user: Statement.Fragment
): Statement.Fragment =>
  sql`(select fo.second_factor from orgs fo where fo.id = ${org} and fo.second_factor <> 'off'
    and not exists (select 1 from factors ff where ff.user_id = ${user}))`

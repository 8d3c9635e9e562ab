/** The workflows that a person sees, as a condition on `workflows w`. */
import type { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"
import type { WorkflowReader } from "./rules.ts"

export const isSeenWorkflow = (sql: SqlClient.SqlClient, { teams, user }: WorkflowReader) =>
  sql`(w.owner_user_id = ${user} or w.visibility = 'org' or ${
    teams === undefined
      ? sql`w.visibility = 'team'`
      : sql`(w.visibility = 'team' and w.team_id = any(${textArray(teams)}))`
  })`

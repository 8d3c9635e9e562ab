/** The SQL of a person's name as people see it. An agent sees `namedFor`. */
import type { SqlClient } from "effect/sql"

/** `table` is the alias of the person's row: the name, or the e-mail address of a person without one. */
export const shownName = (sql: SqlClient.SqlClient, table: string) =>
  sql.literal(`case when ${table}.name = '' then ${table}.email else ${table}.name end`)

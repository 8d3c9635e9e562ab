/** The turn of a month for one workspace, without waiting for it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Moves everything that the workspace did into the month before, in one transaction under its lock, so that it may run
 * while requests are in progress.
 */
export const monthTurns = (org: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql.withTransaction(Effect.gen(function*() {
      yield* sql`select lock_org(${org})`
      const earlierDay = (day: string) =>
        sql.literal(
          `day_of((to_timestamp(${day} * 86400::bigint) at time zone 'utc' - interval '1 month') at time zone 'utc')`
        )
      const earlier = (column: string) =>
        sql.literal(`${column} = (${column} at time zone 'utc' - interval '1 month') at time zone 'utc'`)
      yield* sql`update limits set period = case kind when 4 then ${earlierDay("period")} else period - 1 end
        where org_id = ${org} and period > 0`
      yield* sql`update limits set once_month = once_month - 1 where org_id = ${org} and once_month > 0`
      yield* sql`update requests set ${earlier("created_at")} where org_id = ${org}`
      yield* sql`update approvals set ${earlier("decided_at")} where org_id = ${org}`
      yield* sql`update holds set month = month - 1, day = ${earlierDay("day")} where org_id = ${org}`
      yield* sql`update agents set ended_month = ended_month - 1 where org_id = ${org}`
      yield* sql`update delegated_tasks set ended_month = ended_month - 1 where org_id = ${org}`
    }))
  }).pipe(Effect.orDie)

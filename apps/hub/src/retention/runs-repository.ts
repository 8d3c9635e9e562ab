/** The values of ended runs that a workspace no longer keeps. */
import type { OrgId } from "@countersign/domain/ids"
import { removedText } from "@countersign/domain/retention"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"

export class RunRetentionRepository extends Context.Service<RunRetentionRepository, {
  /**
   * Removes inputs and outputs of at most `limit` runs that ended before a moment, and the texts of their approvals and
   * callbacks; returns their number. Skips runs that a person repeats meanwhile, and effects that have not ended.
   */
  readonly remove: (org: OrgId, days: number, before: Date, limit: number) => Effect.Effect<number>
}>()("@countersign/hub/retention/RunRetentionRepository") {
  static readonly layer = Layer.effect(
    RunRetentionRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return RunRetentionRepository.of({
        remove: (org, days, before, limit) =>
          Effect.gen(function*() {
            const removed = yield* sql<{ id: string }>`with due as (
              select r.id from runs r
              where r.org_id = ${org} and r.removed_after_days is null and r.ended_at < ${before}
                and not exists (select 1 from run_work w where w.run_id = r.id)
              order by r.ended_at limit ${limit} for no key update skip locked)
            update runs r set input = ${removedText}, output = case when r.output is null then null else ${removedText} end,
              removed_after_days = ${days}
            from due where r.id = due.id returning r.id`
            const ids = textArray(removed.map(({ id }) => id))
            yield* sql`update run_steps set input = case when input is null then null else ${removedText} end,
              output = case when output is null then null else ${removedText} end
            where org_id = ${org} and run_id = any(${ids})`
            yield* sql`update approvals set plan = ${removedText} where org_id = ${org} and run_id = any(${ids})`
            yield* sql`delete from run_callbacks where org_id = ${org} and run_id = any(${ids})`
            return removed.length
          }).pipe(Effect.orDie)
      })
    })
  )
}

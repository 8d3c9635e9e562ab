/** Contents of device commands that a workspace no longer keeps: input, plan, result, artifacts, and output. */
import type { OrgId } from "@countersign/domain/ids"
import { removedText } from "@countersign/domain/retention"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"

export interface DueOrg {
  readonly org_id: OrgId
  readonly days: number
}

export class DeviceRetentionRepository extends Context.Service<DeviceRetentionRepository, {
  /** Workspaces with commands whose retention has ended, as of a moment. */
  readonly due: (now: Date) => Effect.Effect<ReadonlyArray<DueOrg>>
  /**
   * Removes the contents of at most `limit` commands that ended before a moment; returns their number. Skips commands
   * whose request is not settled, and rows that another transaction holds.
   */
  readonly remove: (org: OrgId, days: number, before: Date, limit: number) => Effect.Effect<number>
}>()("@countersign/hub/retention/DeviceRetentionRepository") {
  static readonly layer = Layer.effect(
    DeviceRetentionRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const settled = sql.literal("not exists (select 1 from holds h where h.request_id = c.service_request_id)")
      return DeviceRetentionRepository.of({
        due: (now) =>
          sql<DueOrg>`select o.id as org_id, o.device_output_days as days from orgs o
          where exists (select 1 from device_commands c where c.org_id = o.id and c.removed_after_days is null
            and c.done_at < ${now}::timestamptz - make_interval(days => o.device_output_days) and ${settled})
          order by o.id`.pipe(Effect.orDie),
        remove: (org, days, before, limit) =>
          Effect.gen(function*() {
            const removed = yield* sql<{ id: string }>`with due as (
            select c.id from device_commands c
            where c.org_id = ${org} and c.removed_after_days is null and c.done_at < ${before} and ${settled}
            order by c.done_at limit ${limit} for no key update skip locked)
          update device_commands c set input = ${removedText}, result = null, artifacts = null, late_result = null,
            error_message = case when c.error_message is null then null else '' end, removed_after_days = ${days}
          from due where c.id = due.id returning c.id`
            const ids = textArray(removed.map(({ id }) => id))
            yield* sql`delete from device_output where command_id = any(${ids})`
            yield* sql`update approvals set plan = ${removedText} where org_id = ${org} and command_id = any(${ids})`
            return removed.length
          }).pipe(Effect.orDie)
      })
    })
  )
}

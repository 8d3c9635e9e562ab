/** The requests that a standing approval covered (`standing_uses`), long after it ended. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export class StandingRetentionRepository extends Context.Service<StandingRetentionRepository, {
  /** Workspaces with rows of standing approvals that ended before a moment. */
  readonly due: (before: Date) => Effect.Effect<ReadonlyArray<OrgId>>
  /** Removes at most `limit` of these rows; returns their number. */
  readonly remove: (org: OrgId, before: Date, limit: number) => Effect.Effect<number>
}>()("@countersign/hub/retention/StandingRetentionRepository") {
  static readonly layer = Layer.effect(
    StandingRetentionRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const ended = (before: Date) => sql`least(s.withdrawn_at, s.expires_at) < ${before}`
      return StandingRetentionRepository.of({
        due: (before) =>
          sql<{ org_id: OrgId }>`select distinct s.org_id from standing_approvals s
          where ${
            ended(before)
          } and exists (select 1 from standing_uses u where u.org_id = s.org_id and u.standing_approval_id = s.id)
          order by s.org_id`.pipe(
            Effect.map((rows) => rows.map(({ org_id }) => org_id)),
            Effect.orDie
          ),
        remove: (org, before, limit) =>
          sql`delete from standing_uses u using (
            select x.standing_approval_id, x.request_id from standing_approvals s
            join standing_uses x on x.org_id = s.org_id and x.standing_approval_id = s.id
            where s.org_id = ${org} and ${ended(before)} limit ${limit}) d
          where u.org_id = ${org} and u.standing_approval_id = d.standing_approval_id and u.request_id = d.request_id
          returning u.request_id`.pipe(Effect.map((rows) => rows.length), Effect.orDie)
      })
    })
  )
}

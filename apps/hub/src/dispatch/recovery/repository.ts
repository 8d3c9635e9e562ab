/** Work for the recovery loop, taken by compare-and-set so that hubs share it. */
import { newId, type OrgId, type ServiceRequestId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Actor } from "../../platform/audit-log.ts"
import { textArray } from "../../platform/db.ts"
import { OrgHeads } from "../../platform/org-heads.ts"
import { ownerLockClass } from "../../platform/owner.ts"

/** Reserved holds, and hubs whose lease has expired. */
export const dueSweep = [
  "select from holds where phase = 1",
  "select from owners where not ended and alive_until < hub_time_or_last()"
]
/** Of approvals. */
const isExpired = "status = 'pending' and expires_at <= hub_time_or_last() and kind = 'service_request'"
export const expiredApprovals = `select from approvals where ${isExpired}`

/** How long a begin whose caller already got an error may still take to end. */
const strandedSeconds = 5

export interface DueApproval {
  readonly id: string
  readonly org_id: OrgId
  readonly request_id: ServiceRequestId
}

export class RecoveryRepository extends Context.Service<RecoveryRepository, {
  /**
   * Ends dead owners: their lock is free, their lease expired a while ago, and the server has been up at least that
   * long. Returns how many.
   */
  readonly endDeadOwners: (me: number, graceSeconds: number) => Effect.Effect<number>
  /** Takes holds that ended owners reserved; returns the requests. */
  readonly takeOrphans: (me: number, limit: number) => Effect.Effect<ReadonlyArray<ServiceRequestId>>
  /** Reserved a while ago by this owner, except these; returns the requests. */
  readonly strandedExcept: (
    me: number,
    active: ReadonlyArray<ServiceRequestId>,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ServiceRequestId>>
  /** The oldest expired approvals, without those of some workspaces. */
  readonly dueApprovals: (limit: number, without: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DueApproval>>
  readonly expireApproval: (approval: DueApproval, actor: Actor) => Effect.Effect<void>
  /** Deletes old early callbacks, in small steps. */
  readonly forget: Effect.Effect<void>
}>()("@countersign/hub/dispatch/recovery/RecoveryRepository") {
  static readonly layer = Layer.effect(
    RecoveryRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const heads = yield* OrgHeads
      return RecoveryRepository.of({
        endDeadOwners: (me, graceSeconds) =>
          sql`update owners o set ended = true where o.num <> ${me} and not o.ended
          and o.alive_until < hub_time_or_last() - ${graceSeconds} * interval '1 second'
          and pg_postmaster_start_time() < hub_time_or_last() - ${graceSeconds} * interval '1 second'
          and not exists (select 1 from pg_locks l
            where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = ${ownerLockClass}
              and l.objid = o.num::oid and l.database = (select oid from pg_database where datname = current_database()))
          returning o.num`.pipe(
            Effect.map((rows) => rows.length),
            Effect.orDie
          ),
        takeOrphans: (me, limit) =>
          sql<{ request_id: ServiceRequestId }>`update holds h set owner = ${me} where h.request_id in (
            select x.request_id from holds x join owners o on o.num = x.owner
            where x.phase = 1 and o.ended and o.num <> ${me}
            order by x.request_id limit ${limit} for update of x skip locked)
          returning h.request_id`.pipe(
            Effect.map((rows) => rows.map((row) => row.request_id)),
            Effect.orDie
          ),
        strandedExcept: (me, active, limit) =>
          sql<{ request_id: ServiceRequestId }>`select h.request_id from holds h
          where h.owner = ${me} and h.phase = 1 and h.created_at < hub_time_or_last() - ${strandedSeconds} * interval '1 second'
            and h.request_id <> all(${active}::text[])
          order by h.request_id limit ${limit}`.pipe(
            Effect.map((rows) => rows.map((row) => row.request_id)),
            Effect.orDie
          ),
        dueApprovals: (limit, without) =>
          sql<DueApproval>`select id, org_id, request_id from approvals
          where ${sql.literal(isExpired)}
            and org_id <> all(${textArray(without)})
          order by expires_at limit ${limit}`.pipe(Effect.orDie),
        expireApproval: (approval, actor) =>
          sql.withTransaction(Effect.gen(function*() {
            yield* heads.waitBriefly
            yield* sql`select close_approval(${approval.org_id}, ${approval.id}, 'expired', 'approval_expired', null, null, null,
            ${newId("aud")}, ${newId("aud")}, ${actor.type}, ${actor.id}, ${actor.name}, null)`
          })).pipe(Effect.asVoid, Effect.orDie),
        forget: sql`delete from early_callbacks e using (select org_id, service, ref from early_callbacks
          where received_at < hub_time_or_last() - interval '1 hour' limit 1000) old
          where e.org_id = old.org_id and e.service = old.service and e.ref = old.ref`.pipe(Effect.asVoid, Effect.orDie)
      })
    })
  )
}

/** What waits to be driven on, taken by compare-and-set so that hubs share the work. */
import { newId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Actor } from "../audit/service.ts"
import { ownerLockClass } from "../platform/owner.ts"

/** So long may a begin whose caller was sent away still be on its way to its end. */
const strandedSeconds = 5

export interface DueApproval {
  readonly id: string
  readonly org_id: string
  readonly request_id: string
}

export class RecoveryRepository extends Context.Service<RecoveryRepository, {
  /**
   * Ends owners that are dead: their lock is free, their lease lapsed a while ago, and the server has been up as long. Answers
   * how many.
   */
  readonly endDeadOwners: (me: number, graceSeconds: number) => Effect.Effect<number>
  /** Holds that were reserved by owners that ended, now this one's; answers the requests. */
  readonly takeOrphans: (me: number, limit: number) => Effect.Effect<ReadonlyArray<string>>
  /** Reserved a while ago by this owner, other than these; answers the requests. */
  readonly strandedBut: (me: number, active: ReadonlyArray<string>, limit: number) => Effect.Effect<ReadonlyArray<string>>
  /** Requests that run and are due for a look, this hub's for so long. */
  readonly takeDue: (leaseSeconds: number, limit: number) => Effect.Effect<ReadonlyArray<string>>
  /** Looked at without news: due again after so long, at the deadline at the latest. */
  readonly postpone: (request: string, millis: number) => Effect.Effect<void>
  /** Nobody looks any more: a person or a callback ends it. */
  readonly leaveToPerson: (request: string) => Effect.Effect<void>
  readonly dueApprovals: (limit: number) => Effect.Effect<ReadonlyArray<DueApproval>>
  readonly expireApproval: (approval: DueApproval, actor: Actor) => Effect.Effect<void>
  /** Keys and early callbacks whose time is over, in small steps. */
  readonly forget: Effect.Effect<void>
}>()("@countersign/hub/dispatch/RecoveryRepository") {
  static readonly layer = Layer.effect(RecoveryRepository, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return RecoveryRepository.of({
      endDeadOwners: (me, graceSeconds) =>
        sql`update owners o set ended = true where o.num <> ${me} and not o.ended
          and o.alive_until < clock_timestamp() - ${graceSeconds} * interval '1 second'
          and pg_postmaster_start_time() < clock_timestamp() - ${graceSeconds} * interval '1 second'
          and not exists (select 1 from pg_locks l
            where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = ${ownerLockClass}
              and l.objid = o.num::oid and l.database = (select oid from pg_database where datname = current_database()))
          returning o.num`.pipe(
          Effect.map((rows) => rows.length), Effect.orDie
        ),
      takeOrphans: (me, limit) =>
        sql<{ request_id: string }>`update holds h set owner = ${me} where h.request_id in (
            select x.request_id from holds x join owners o on o.num = x.owner
            where x.phase = 1 and o.ended and o.num <> ${me}
            order by x.request_id limit ${limit} for update of x skip locked)
          returning h.request_id`.pipe(
          Effect.map((rows) => rows.map((row) => row.request_id)), Effect.orDie
        ),
      strandedBut: (me, active, limit) =>
        sql<{ request_id: string }>`select h.request_id from holds h
          where h.owner = ${me} and h.phase = 1 and h.created_at < clock_timestamp() - ${strandedSeconds} * interval '1 second'
            and h.request_id <> all(${active}::text[])
          order by h.request_id limit ${limit}`.pipe(
          Effect.map((rows) => rows.map((row) => row.request_id)),
          Effect.orDie
        ),
      takeDue: (leaseSeconds, limit) =>
        sql<{ request_id: string }>`update holds h set leased_until = clock_timestamp() + ${leaseSeconds} * interval '1 second'
          where h.request_id in (
            select x.request_id from holds x
            where x.phase = 2 and x.due_at <= clock_timestamp() and (x.leased_until is null or x.leased_until < clock_timestamp())
            order by x.due_at limit ${limit} for update skip locked)
          returning h.request_id`.pipe(
          Effect.map((rows) => rows.map((row) => row.request_id)),
          Effect.orDie
        ),
      postpone: (request, millis) =>
        sql`update holds set poll_attempt = poll_attempt + 1, leased_until = null,
          due_at = least(clock_timestamp() + ${Math.round(millis)} * interval '1 millisecond', coalesce(deadline_at, 'infinity'))
          where request_id = ${request} and phase = 2`.pipe(Effect.asVoid, Effect.orDie),
      leaveToPerson: (request) =>
        sql`update holds set due_at = null, leased_until = null, running_because = 'unknown_fate'
          where request_id = ${request} and phase = 2`.pipe(Effect.asVoid, Effect.orDie),
      dueApprovals: (limit) =>
        sql<DueApproval>`select id, org_id, request_id from approvals
          where status = 'pending' and expires_at <= clock_timestamp() and kind = 'service_request'
          order by expires_at limit ${limit}`.pipe(Effect.orDie),
      expireApproval: (approval, actor) =>
        sql`select close_approval(${approval.org_id}, ${approval.id}, 'expired', 'approval_expired', null, null, null,
          ${newId("aud")}, ${newId("aud")}, ${actor.type}, ${actor.id}, ${actor.name}, null)`.pipe(Effect.asVoid, Effect.orDie),
      forget: Effect.gen(function*() {
        yield* sql`delete from idempotency_keys k using (select org_id, scope, key from idempotency_keys
          where expires_at < clock_timestamp() - interval '1 hour' limit 1000) old
          where k.org_id = old.org_id and k.scope = old.scope and k.key = old.key`
        yield* sql`delete from early_callbacks where received_at < clock_timestamp() - interval '1 hour'`
      }).pipe(Effect.orDie)
    })
  }))
}

/** Due work on objects, in all workspaces. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"

export interface DueObject {
  readonly org_id: OrgId
  readonly id: string
}

export interface ClaimedSweep {
  readonly at: Date
  /** Where the last sweep's check of all objects stopped. */
  readonly place: string
}

/** An object in the order of workspaces. */
export interface Place {
  readonly org: string
  readonly id: string
}

export interface SweptRow {
  readonly id: string
  readonly org_id: OrgId
  readonly status: string
  readonly upload: string | null
  readonly generation: number
}

export class StorageSweepRepository extends Context.Service<StorageSweepRepository, {
  /** Verifications whose hub died. */
  readonly abandoned: (limit: number) => Effect.Effect<ReadonlyArray<DueObject>>
  /** Uploads that nobody confirmed, deleted objects after their time, and removals that were cut off. */
  readonly due: (pendingHours: number, deletedDays: number, limit: number) => Effect.Effect<ReadonlyArray<DueObject>>
  /** Takes the hourly sweep for some seconds; undefined if it is not due, or another hub has it. */
  readonly claim: (seconds: number) => Effect.Effect<ClaimedSweep | undefined>
  readonly finish: (nextSeconds: number, place: string) => Effect.Effect<void>
  /** The rows of these objects; the workspaces among them that exist in this database. */
  readonly rowsOf: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<SweptRow>>
  readonly knownOrgs: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
  /** Objects of a range that were confirmed before a moment, in the order of their blobs. */
  readonly confirmed: (
    range: { readonly from: Place; readonly to: Place | undefined; readonly after: Place | undefined },
    before: Date,
    limit: number
  ) => Effect.Effect<ReadonlyArray<SweptRow>>
  readonly mark: (ids: ReadonlyArray<string>, missing: boolean) => Effect.Effect<void>
  readonly missing: Effect.Effect<number>
  /** Gives the database the id of its directory of objects, unless it has one; returns the one that it has. */
  readonly storeId: (proposed: string | undefined) => Effect.Effect<string | undefined>
}>()("@countersign/hub/storage/StorageSweepRepository") {
  static readonly layer = Layer.effect(
    StorageSweepRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return StorageSweepRepository.of({
        abandoned: (limit) =>
          sql<DueObject>`select org_id, id from storage_objects
          where status = 'verifying' and claimed_until < hub_time_or_last() order by claimed_until limit ${limit}`.pipe(
            Effect.orDie
          ),
        due: (pendingHours, deletedDays, limit) =>
          sql<DueObject>`(select org_id, id from storage_objects where status = 'purging' limit ${limit})
          union all
          (select org_id, id from storage_objects where status = 'pending'
            and created_at < hub_time_or_last() - make_interval(hours => ${pendingHours}::int) limit ${limit})
          union all
          (select org_id, id from storage_objects where status = 'deleted'
            and deleted_at < hub_time_or_last() - make_interval(days => ${deletedDays}::int) limit ${limit})`.pipe(
            Effect.orDie
          ),
        claim: (seconds) =>
          sql<ClaimedSweep>`insert into storage_sweep as s (due_at, claimed_until)
          values (hub_time_or_last(), hub_time_or_last() + ${seconds}::int * interval '1 second')
          on conflict (one) do update set claimed_until = excluded.claimed_until
            where s.due_at <= hub_time_or_last() and coalesce(s.claimed_until < hub_time_or_last(), true)
          returning hub_time_or_last() as at, s.place`.pipe(Effect.map(([row]) => row), Effect.orDie),
        finish: (nextSeconds, place) =>
          sql`update storage_sweep set due_at = hub_time_or_last() + ${nextSeconds}::int * interval '1 second',
            claimed_until = null, place = ${place}`.pipe(Effect.asVoid, Effect.orDie),
        rowsOf: (ids) =>
          sql<SweptRow>`select id, org_id, status, upload, generation from storage_objects
          where id = any(${textArray([...ids])})`.pipe(Effect.orDie),
        knownOrgs: (ids) =>
          sql<{ id: string }>`select id from orgs where id = any(${textArray([...ids])})`.pipe(
            Effect.map((rows) => new Set(rows.map(({ id }) => id))),
            Effect.orDie
          ),
        confirmed: ({ after, from, to }, before, limit) =>
          sql<SweptRow>`select id, org_id, status, upload, generation from storage_objects
          where ${
            after === undefined
              ? sql`(org_id, id) >= (${from.org}, ${from.id})`
              : sql`(org_id, id) > (${after.org}, ${after.id})`
          }
            ${to === undefined ? sql`` : sql`and (org_id, id) <= (${to.org}, ${to.id})`}
            and status in ('live', 'deleted') and confirmed_at < ${before}
          order by org_id, id limit ${limit}`.pipe(Effect.orDie),
        mark: (ids, missing) =>
          sql`update storage_objects set missing_at = ${missing ? sql`hub_time_or_last()` : sql`null`}
          where id = any(${textArray([...ids])}) and (missing_at is null) = ${missing}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        missing: sql<{ count: number }>`select count(*)::int as count from storage_objects
          where missing_at is not null`.pipe(Effect.map(([row]) => row?.count ?? 0), Effect.orDie),
        storeId: (proposed) =>
          (proposed === undefined
            ? sql<{ id: string | null }>`select storage_id as id from hub`
            : sql<{ id: string | null }>`update hub set storage_id = coalesce(storage_id, ${proposed})
              returning storage_id as id`).pipe(Effect.map(([row]) => row?.id ?? undefined), Effect.orDie)
      })
    })
  )
}

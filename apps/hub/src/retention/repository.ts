/** Bodies of requests that a workspace no longer keeps. */
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { removedText } from "@countersign/domain/retention"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"

export interface Keeping {
  readonly org_id: OrgId
  readonly days: number
}

export interface WalkedRow {
  readonly id: string
  /** It ended before the retention limit, so its bodies are removed. */
  readonly over: boolean
  /** The stored result of a failed request to remove: its code remains. */
  readonly failure: string | null
}

export class RetentionRepository extends Context.Service<RetentionRepository, {
  /** Workspaces that keep bodies for a number of days. */
  readonly keeping: Effect.Effect<ReadonlyArray<Keeping>>
  /** Whether this transaction is the only one of all hubs that removes bodies. */
  readonly alone: Effect.Effect<boolean>
  readonly position: (org: OrgId) => Effect.Effect<string>
  /** Requests after a position and created before `floor` (an id), oldest first. */
  readonly walk: (
    org: OrgId,
    after: string,
    floor: string,
    before: Date,
    limit: number
  ) => Effect.Effect<ReadonlyArray<WalkedRow>>
  /** Postponed requests whose retention has ended by now. */
  readonly putOff: (org: OrgId, before: Date, limit: number) => Effect.Effect<ReadonlyArray<WalkedRow>>
  /**
   * Removes the bodies; `failures` are the remaining results of failed requests. Returns the number of requests that
   * had bodies.
   */
  readonly remove: (
    org: OrgId,
    ids: ReadonlyArray<string>,
    failures: ReadonlyArray<readonly [id: string, result: string]>
  ) => Effect.Effect<number>
  readonly later: (org: OrgId, ids: ReadonlyArray<string>) => Effect.Effect<void>
  readonly moveTo: (org: OrgId, id: string) => Effect.Effect<void>
}>()("@countersign/hub/retention/RetentionRepository") {
  static readonly layer = Layer.effect(
    RetentionRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const walked = (before: Date) =>
        sql`coalesce(s.completed_at < ${before}, false) as over,
      case when s.status = 'failed' and s.completed_at < ${before} then s.result end as failure`
      return RetentionRepository.of({
        keeping: sql<
          Keeping
        >`select id as org_id, retention_days as days from orgs where retention_days is not null order by id`.pipe(
          Effect.orDie
        ),
        alone: sql<{ got: boolean }>`select pg_try_advisory_xact_lock(hashtextextended('countersign retention', 0)) got`
          .pipe(
            Effect.map(([row]) => row?.got === true),
            Effect.orDie
          ),
        position: (org) =>
          sql<{ request_id: ServiceRequestId }>`select request_id from retention_positions where org_id = ${org}`.pipe(
            Effect.map(([row]) => row?.request_id ?? ""),
            Effect.orDie
          ),
        walk: (org, after, floor, before, limit) =>
          sql<WalkedRow>`select r.id, ${
            walked(before)
          } from (select id from requests where org_id = ${org} and id > ${after} and id < ${floor}
            order by id limit ${limit}) r
          left join settlements s on s.org_id = ${org} and s.request_id = r.id order by r.id`.pipe(Effect.orDie),
        putOff: (org, before, limit) =>
          sql<WalkedRow>`select l.request_id as id, ${walked(before)} from retention_later l
          join settlements s on s.org_id = l.org_id and s.request_id = l.request_id and s.completed_at < ${before}
          where l.org_id = ${org} order by l.request_id limit ${limit}`.pipe(Effect.orDie),
        remove: (org, ids, failures) =>
          Effect.gen(function*() {
            const gone = yield* sql`update requests set payload = ${removedText}
          where org_id = ${org} and id = any(${textArray([...ids])}) and payload <> ${removedText} returning id`
            yield* sql`update settlements s set
            result = case when s.result is null then null when s.status = 'failed' then coalesce(f.result, ${removedText}) else ${removedText} end,
            late_result = case when s.late_result is null then null else ${removedText} end
          from unnest(${textArray([...ids])}) i(id)
            left join unnest(${textArray(failures.map(([id]) => id))}, ${
              textArray(failures.map(([, result]) => result))
            }) f(id, result) on f.id = i.id
          where s.org_id = ${org} and s.request_id = i.id`
            yield* sql`delete from request_texts where org_id = ${org} and request_id = any(${textArray([...ids])})`
            yield* sql`delete from retention_later where org_id = ${org} and request_id = any(${textArray([...ids])})`
            return gone.length
          }).pipe(Effect.orDie),
        later: (org, ids) =>
          sql`insert into retention_later (org_id, request_id) select ${org}, id from unnest(${
            textArray([...ids])
          }) i(id)
          on conflict do nothing`.pipe(Effect.asVoid, Effect.orDie),
        moveTo: (org, id) =>
          sql`insert into retention_positions (org_id, request_id) values (${org}, ${id})
          on conflict (org_id) do update set request_id = excluded.request_id`.pipe(Effect.asVoid, Effect.orDie)
      })
    })
  )
}

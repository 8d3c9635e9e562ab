/** The database's clock, the hubs' confirmations of it, and workspaces whose time is ahead of it. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { ownerLockClass } from "../platform/owner.ts"

/** The confirming process: an id, the boot of its machine if known, and the machine's uptime in seconds. */
export interface ConfirmingHub {
  readonly hub: string
  readonly boot: string | null
  readonly uptime: number
}

export interface Confirmation {
  readonly millis: number
  readonly boot: string | null
  readonly uptime: number
  /** Another hub holds its lock, so it confirms the clock as well. */
  readonly witnessed: boolean
}

export class ClockRepository extends Context.Service<ClockRepository, {
  /** The last confirmation by any hub. */
  readonly last: Effect.Effect<Option.Option<Confirmation>, SqlError.SqlError>
  /**
   * Confirms the clock if it is at the expected time (milliseconds), or always with `accept`. Returns the clock, and
   * how many seconds it is ahead of the expected time if it was not confirmed.
   */
  readonly confirm: (
    hub: ConfirmingHub,
    expected: number,
    accept: boolean
  ) => Effect.Effect<{ readonly millis: number; readonly ahead: number | null }, SqlError.SqlError>
  /** Workspaces whose time is ahead of a trusted clock by more than a step. */
  readonly ahead: Effect.Effect<ReadonlyArray<OrgId>>
  /**
   * Sets a workspace's time back to now, in the caller's transaction. Returns how far ahead it was, in seconds; none if
   * it was not.
   */
  readonly setBack: (org: OrgId) => Effect.Effect<Option.Option<number>>
}>()("@countersign/hub/clock/ClockRepository") {
  static readonly layer = Layer.effect(
    ClockRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const millis = sql.literal("(extract(epoch from clock_timestamp()) * 1000)::float8")
      return ClockRepository.of({
        last: sql<Confirmation>`select (extract(epoch from confirmed_at) * 1000)::float8 as millis, boot, uptime,
          exists (select 1 from pg_locks l
            where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = ${ownerLockClass}
              and l.database = (select oid from pg_database where datname = current_database())) as witnessed
        from clock_watch`.pipe(Effect.map(([row]) => Option.fromNullishOr(row))),
        confirm: ({ boot, hub, uptime }, expected, accept) =>
          sql<{ millis: number; ahead: number | null }>`select confirm_clock(${hub}, ${boot}, ${uptime}::float8,
            ${new Date(expected)}, ${accept}) as ahead, ${millis} as millis`.pipe(Effect.map(([row]) => row!)),
        ahead: sql<{ org_id: OrgId }>`select org_id from org_heads
        where last_at > (select hub_time_or_null()) + interval '5 minutes' order by org_id`.pipe(
          Effect.map((rows) => rows.map((row) => row.org_id)),
          Effect.orDie
        ),
        setBack: (org) =>
          sql<{ seconds: number | null }>`select extract(epoch from return_time(${org}))::float8 as seconds`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row?.seconds)),
            Effect.orDie
          )
      })
    })
  )
}

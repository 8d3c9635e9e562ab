/**
 * Identifies the owner of this process's open holds: a number, a session advisory lock on it, and a lease in the
 * database's time. Other hubs take over the holds of an owner only when its lock is free, its lease expired a while
 * ago, and the database has been up at least that long: a cut connection frees a lock at once while calls still run.
 */
import { apiVersion } from "@countersign/domain/discovery"
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../config.ts"
import { Database, singleConnection } from "./db.ts"
import { refuseNewerDatabase } from "./migrations.ts"

/** First key of every owner's advisory lock. */
export const ownerLockClass = 4780

/**
 * A machine that lost its power or its network closes no connections: the server probes it every few seconds, otherwise
 * its lock would stay for hours. Sockets within the machine ignore these settings.
 */
const probes = {
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "20000"
}

/** When the lock's connection does not answer for this long, the lock is taken again on a new one. */
const lockMillisMax = 10_000

export class Owner extends Context.Service<Owner, {
  readonly num: () => number
  /** False while the lock or the lease is in doubt: no provider call may start. */
  readonly alive: () => boolean
}>()("@countersign/hub/platform/Owner") {
  static readonly layer = Layer.effect(
    Owner,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { target } = yield* Database
      const { ownerLeaseSeconds } = yield* Settings
      const hubId = crypto.randomUUID()
      let num = 0
      /** The locked number. */
      let locked: number | undefined
      /** By both clocks of this process: one stops while the machine sleeps, the other may be set. */
      let lease = { until: 0, wallUntil: 0 }

      // A contract migration that runs at the same time holds the table, so that one of the two sees the other.
      const register = sql<{ num: number }>`insert into owners (hub_id, version, alive_until)
      select ${hubId}, ${apiVersion}, hub_time_or_last() + ${ownerLeaseSeconds} * interval '1 second'
      where not exists (select 1 from contract_migrations
        where string_to_array(min_version, '.')::int[] > string_to_array(${apiVersion}::text, '.')::int[])
      returning num`.pipe(Effect.map(([row]) => row?.num ?? 0))
      /** Holds the lock of the number while its connection lives and the number belongs to this process. */
      const hold = Effect.scoped(Effect.gen(function*() {
        const connection = yield* singleConnection(target, "countersign-owner", probes)
        const mine = num
        for (;;) {
          const [row] = yield* connection<
            { ok: boolean }
          >`select pg_try_advisory_lock(${ownerLockClass}, ${mine}) as ok`
          if (row?.ok === true) break
          if (num !== mine) return
          yield* Effect.sleep("200 millis")
        }
        locked = mine
        while (num === mine) {
          yield* Effect.timeout(connection`select 1`, lockMillisMax)
          yield* Effect.sleep("500 millis")
        }
      })).pipe(Effect.ensuring(Effect.sync(() => void (locked = undefined))))

      const leaseFrom = (asked: number, wall: number) => ({
        until: asked + ownerLeaseSeconds * 1000,
        wallUntil: wall + ownerLeaseSeconds * 1000
      })
      const renew = Effect.gen(function*() {
        const asked = performance.now(), wall = Date.now()
        const [row] = yield* sql<{ num: number }>`update owners
        set alive_until = hub_time_or_last() + ${ownerLeaseSeconds} * interval '1 second'
        where num = ${num} and not ended returning num`
        // Another hub took over: work that began under the old number no longer belongs to this hub.
        if (row === undefined) num = yield* register
        lease = leaseFrom(asked, wall)
      })

      const asked = performance.now(), wall = Date.now()
      num = yield* Effect.orDie(register)
      if (num === 0) yield* refuseNewerDatabase()
      lease = leaseFrom(asked, wall)
      yield* renew.pipe(
        Effect.ignore,
        Effect.repeat(Schedule.spaced(`${Math.max(250, ownerLeaseSeconds * 1000 / 4)} millis`)),
        Effect.forkScoped
      )
      yield* hold.pipe(Effect.ignore, Effect.repeat(Schedule.spaced("250 millis")), Effect.forkScoped)
      // The first call may start once the lock is held.
      yield* Effect.suspend(() => locked === num ? Effect.void : Effect.fail("not yet")).pipe(
        Effect.retry(Schedule.spaced("10 millis")),
        Effect.timeout("30 seconds"),
        Effect.orDie
      )
      yield* Effect.addFinalizer(() =>
        Effect.ignore(sql`update owners set ended = true, alive_until = hub_time_or_last()
        where num = ${num} and not exists (select 1 from holds where owner = ${num} and phase = 1)`)
      )
      return Owner.of({
        num: () => num,
        alive: () => locked === num && performance.now() < lease.until && Date.now() < lease.wallUntil
      })
    })
  )
}

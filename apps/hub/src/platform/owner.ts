/**
 * Who owns the open holds of this process: a number, a session advisory lock on it, and a lease in the database's time. Others take the
 * holds of an owner over only when its lock is free, its lease lapsed a while ago and the database has been up as long: a cut connection
 * frees a lock at once while calls still run.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../config.ts"
import { Database, singleConnection } from "./db.ts"

/** First key of every owner's advisory lock. */
export const ownerLockClass = 4780

export class Owner extends Context.Service<Owner, {
  readonly num: () => number
  /** False while the lock or the lease is in doubt: no provider call may start. */
  readonly alive: () => boolean
}>()("@countersign/hub/platform/Owner") {
  static readonly layer = Layer.effect(Owner, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { target } = yield* Database
    const { ownerLeaseSeconds } = yield* Settings
    const hubId = crypto.randomUUID()
    let num = 0
    let locked = false
    let leaseUntil = 0

    const register = sql<{ num: number }>`insert into owners (hub_id, alive_until)
      values (${hubId}, clock_timestamp() + ${ownerLeaseSeconds} * interval '1 second') returning num`.pipe(
      Effect.map(([row]) => row?.num ?? 0)
    )
    /** Holds the lock for as long as its connection lives. */
    const hold = Effect.scoped(Effect.gen(function*() {
      const connection = yield* singleConnection(target, "countersign-owner")
      for (;;) {
        const [row] = yield* connection<{ ok: boolean }>`select pg_try_advisory_lock(${ownerLockClass}, ${num}) as ok`
        if (row?.ok === true) break
        yield* Effect.sleep("200 millis")
      }
      locked = true
      yield* connection`select 1`.pipe(Effect.repeat(Schedule.spaced("2 seconds")))
    })).pipe(Effect.ensuring(Effect.sync(() => void (locked = false))))

    const renew = Effect.gen(function*() {
      const asked = performance.now()
      const [row] = yield* sql<{ num: number }>`update owners set alive_until = clock_timestamp() + ${ownerLeaseSeconds} * interval '1 second'
        where num = ${num} and not ended returning num`
      if (row === undefined) num = yield* register
      leaseUntil = asked + ownerLeaseSeconds * 1000
    })

    num = yield* Effect.orDie(register)
    leaseUntil = performance.now() + ownerLeaseSeconds * 1000
    yield* renew.pipe(Effect.ignore, Effect.repeat(Schedule.spaced(`${Math.max(250, ownerLeaseSeconds * 1000 / 4)} millis`)), Effect.forkScoped)
    yield* hold.pipe(Effect.ignore, Effect.repeat(Schedule.spaced("250 millis")), Effect.forkScoped)
    // The first call may start once the lock is there.
    yield* Effect.suspend(() => locked ? Effect.void : Effect.fail("not yet")).pipe(Effect.retry(Schedule.spaced("10 millis")), Effect.timeout("30 seconds"), Effect.orDie)
    yield* Effect.addFinalizer(() => Effect.ignore(sql`update owners set ended = true, alive_until = clock_timestamp() where num = ${num} and not exists (select 1 from holds where owner = ${num} and phase = 1)`))
    return Owner.of({ num: () => num, alive: () => locked && performance.now() < leaseUntil })
  }))
}

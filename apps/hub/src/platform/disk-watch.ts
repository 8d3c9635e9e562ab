/**
 * Watches the space on the database's disk. While it is full the hub declines changes with 503 and is not ready, instead
 * of letting each request find out. Spec: reference/operation.md "Full disk".
 */
import { Effect, Layer, Schedule } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { statfs } from "node:fs/promises"
import { Settings } from "../config.ts"
import { Database, isPassing } from "./db.ts"
import { Readiness } from "./readiness.ts"

const pauseMillis = 1_000
/** Kept free for the embedded database: two segments of its log, so that outcomes of running requests can be stored. */
const reserveBytes = 32 << 20
const probeMillisMax = 5_000

export const diskWatchLayer = Layer.effectDiscard(Effect.gen(function*() {
  const { dataDir } = yield* Settings
  const { embedded } = yield* Database
  const readiness = yield* Readiness
  const sql = yield* SqlClient.SqlClient

  const isReserveUsed = Effect.promise(() =>
    statfs(dataDir).then(({ bavail, bsize }) => bavail * bsize < reserveBytes, () => false)
  )
  /** Whether the server still cannot extend files; leaves nothing behind. A role without the right to try counts as no. */
  const isStillFull = sql.withTransaction(
    sql`create temp table disk_probe on commit drop as select repeat('x', 1000) from generate_series(1, 1000)`
  ).pipe(
    Effect.timeout(probeMillisMax),
    Effect.match({ onSuccess: () => false, onFailure: (error) => isPassing(error) || !SqlError.isSqlError(error) })
  )

  const look = Effect.gen(function*() {
    const wasFull = readiness.isDiskFull()
    const isFull = (embedded && (yield* isReserveUsed)) || (wasFull && (yield* isStillFull))
    readiness.setDiskFull(isFull)
    // A refused statement may have found the disk full since the last look, and it may have space again.
    if ((wasFull || isFull) && !reported) {
      yield* Effect.logError("disk full: the hub declines changes until space is free")
      reported = true
    }
    if (!isFull && reported) {
      yield* Effect.logInfo("the disk has space again: the hub accepts changes")
      reported = false
    }
  })
  let reported = false
  yield* look.pipe(Effect.repeat(Schedule.spaced(pauseMillis)), Effect.forkScoped)
}))

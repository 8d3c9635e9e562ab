/** Invariants after any test: the doctor's checks over its database. */
import { AuditRepository } from "@countersign/hub/audit/repository"
import { AuditTrail } from "@countersign/hub/audit/trail"
import { Doctor, doctor } from "@countersign/hub/ledger/doctor"
import { DoctorRepository } from "@countersign/hub/ledger/doctor-repository"
import { Database, type DatabaseTarget, Db } from "@countersign/hub/platform/db"
import { poolLayer } from "@countersign/hub/platform/pool"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"

const connected = (target: DatabaseTarget) =>
  Db.layer.pipe(
    Layer.provideMerge(poolLayer),
    Layer.provideMerge(Layer.succeed(Database, { target, embedded: false, announceDraining: Effect.void })),
    Layer.orDie
  )

/** Reads a database outside the hubs that use it. */
export const inDatabase = <A, E>(
  target: DatabaseTarget,
  effect: Effect.Effect<A, E, SqlClient.SqlClient | Database>
): Effect.Effect<A, E> => Effect.scoped(Effect.provide(effect, connected(target)))

/** What the doctor says about a database, check by check. */
export const diagnosesOf = (target: DatabaseTarget) =>
  doctor.pipe(
    Effect.provide(
      Doctor.layer.pipe(
        Layer.provide(
          Layer.mergeAll(DoctorRepository.layer, AuditTrail.layer.pipe(Layer.provide(AuditRepository.layer)))
        ),
        Layer.provide(connected(target))
      )
    ),
    Effect.scoped
  )

/** Fails the test with the doctor's findings, if any. */
export const expectHealthy = (target: DatabaseTarget): Effect.Effect<void> =>
  Effect.flatMap(diagnosesOf(target), (diagnoses) => {
    const found = diagnoses.filter(({ bad }) => bad > 0)
    return found.length === 0 ? Effect.void : Effect.die(new Error(`the doctor found: ${JSON.stringify(found)}`))
  })

/** Repeats a check until it returns true. Fails the test after a generous time. */
export const until = <E, R>(
  what: string,
  condition: Effect.Effect<boolean, E, R>,
  seconds = 60
): Effect.Effect<void, E, R> =>
  Effect.gen(function*() {
    while (!(yield* condition)) yield* Effect.sleep("50 millis")
  }).pipe(
    Effect.timeoutOrElse({
      duration: `${seconds} seconds`,
      orElse: () => Effect.die(new Error(`not within ${seconds} s: ${what}`))
    })
  )

/**
 * Finishes what a hub left: abandoned verifications, uploads without a confirmation, deleted objects after their time,
 * bytes without a row. Reports rows without bytes. Several hubs may run it at once.
 */
import { pendingHours, restoreDays } from "@countersign/domain/storage"
import { Clock, Context, Effect, Layer, Metric, Option } from "effect"
import { hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Readiness } from "../platform/readiness.ts"
import { eachWorkspace, repeatLongRounds } from "../platform/rounds.ts"
import { storageMissing } from "../platform/telemetry.ts"
import { objectCheck } from "./check.ts"
import { StorageRepository } from "./repository.ts"
import { Storage } from "./service.ts"
import { ObjectStore, type StoreFailure } from "./store.ts"
import { type DueObject, StorageSweepRepository } from "./sweep-repository.ts"
import { claimSeconds, Verification } from "./verification.ts"

const roundMillis = 15_000
const batchMax = 20
const sweepSeconds = 3_600
/** A hub that sweeps longer than this is taken for dead. */
const sweepLeaseSeconds = 3_000
const hourMillis = 3_600_000
/** A file that receives bytes changes more often. */
const leftHours = 24
/** Of about a thousand objects each; the next sweep continues after them. */
const checkPagesMax = 200

export class StorageSweeper extends Context.Service<StorageSweeper, {
  /** Resumes abandoned verifications; returns how many. */
  readonly resume: Effect.Effect<number>
  /** The hourly sweep, if it is due. */
  readonly sweep: Effect.Effect<void>
  /**
   * The same, due or not, as of a moment. The check of all objects begins at a place, and returns the next one; empty:
   * at the start.
   */
  readonly sweepAt: (at: Date, from?: string) => Effect.Effect<string, StoreFailure>
}>()("@countersign/hub/storage/StorageSweeper") {
  static readonly layer = Layer.effect(
    StorageSweeper,
    Effect.gen(function*() {
      const due = yield* StorageSweepRepository
      const repository = yield* StorageRepository
      const verification = yield* Verification
      const storage = yield* Storage
      const store = yield* ObjectStore
      const readiness = yield* Readiness
      const heads = yield* OrgHeads
      const db = yield* Db
      const check = objectCheck(store, due)

      const resumeOne = Effect.fnUntraced(function*({ id, org_id: org }: DueObject) {
        const claimed = yield* repository.claim(org, id, claimSeconds)
        if (Option.isSome(claimed)) yield* Effect.ignore(verification.run(claimed.value, hubActor))
      })

      const resume = Effect.gen(function*() {
        const abandoned = yield* due.abandoned(batchMax)
        yield* eachWorkspace("uploads", abandoned, resumeOne)
        return abandoned.length
      })

      const startRemoval = Effect.fnUntraced(function*({ id, org_id: org }: DueObject) {
        yield* heads.waitBriefly
        const at = yield* heads.lock(org)
        const row = Option.getOrUndefined(yield* repository.find({ org, owner: undefined }, id))
        const isOver = row?.status === "pending"
          ? +at - +row.created_at > pendingHours * hourMillis
          : row?.status === "deleted" && +at - +(row.deleted_at ?? at) > restoreDays * 24 * hourMillis
        if (row !== undefined && isOver) yield* repository.setStatus(org, id, "purging", row.deleted_at)
        return isOver || row?.status === "purging"
      }, db.transaction)

      const removeDue = Effect.gen(function*() {
        for (;;) {
          const found = yield* due.due(pendingHours, restoreDays, batchMax)
          if (found.length === 0) return
          let removed = 0
          yield* eachWorkspace("objects", found, ({ id, org_id }) =>
            startRemoval({ id, org_id }).pipe(
              Effect.flatMap((isStarted) =>
                isStarted ? Effect.as(storage.purge(org_id, id, hubActor), 1) : Effect.succeed(0)
              ),
              Effect.mapError(({ error }) => new Error(error.message)),
              Effect.orDie,
              Effect.tap((count) => Effect.sync(() => removed += count))
            ))
          // The store does not respond, or a workspace's time is behind: the next sweep tries again.
          if (removed === 0) return
        }
      })

      const reportMissing = Effect.gen(function*() {
        const count = yield* due.missing
        yield* Metric.update(storageMissing, count)
        if (count > 0) yield* Effect.logError(`the bytes of ${count} objects are missing: restore them from a backup`)
      })

      const sweepAt = Effect.fn("StorageSweeper.sweepAt")(function*(at: Date, from = "") {
        yield* removeDue
        yield* check.uploads(at)
        const place = yield* check.objects({ at, from, pagesMax: checkPagesMax })
        yield* reportMissing
        return place
      })

      const sweep = Effect.gen(function*() {
        // A hub without the objects leaves the sweep to one that has them.
        const isReady = yield* Effect.isSuccess(store.spoolFolder)
        const claimed = isReady ? yield* due.claim(sweepLeaseSeconds) : undefined
        if (claimed === undefined) return
        yield* sweepAt(claimed.at, claimed.place).pipe(
          Effect.catch(({ detail }) =>
            Effect.as(Effect.logWarning(`the sweep of objects stopped: ${detail}`), claimed.place)
          ),
          Effect.matchCauseEffect({
            onSuccess: (place) => due.finish(sweepSeconds, place),
            onFailure: (cause) => Effect.andThen(due.finish(sweepSeconds, claimed.place), Effect.failCause(cause))
          })
        )
      })

      /** The folder is this hub's own. */
      const removeLeft = Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        if (yield* Effect.isFailure(store.spoolFolder)) return
        yield* Effect.catch(
          store.removeLeft(new Date(now - leftHours * hourMillis)),
          ({ detail }) => Effect.logWarning(`received files could not be removed: ${detail}`)
        )
      })

      // Both can take long with large or many objects.
      yield* repeatLongRounds(readiness, "uploads", roundMillis, resume)
      yield* repeatLongRounds(readiness, "objects", 60_000, sweep)
      yield* repeatLongRounds(readiness, "received files", hourMillis, removeLeft)
      return StorageSweeper.of({ resume, sweep, sweepAt })
    })
  )
}

/**
 * Finishes what a hub left: abandoned verifications, uploads without a confirmation, deleted objects after their time,
 * bytes without a row. Reports rows without bytes. Several hubs may run it at once.
 */
import { pendingHours, restoreDays } from "@countersign/domain/storage"
import { Context, Effect, Layer, Metric, Option } from "effect"
import { hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Readiness } from "../platform/readiness.ts"
import { eachWorkspace, repeatLongRounds } from "../platform/rounds.ts"
import { storageMissing } from "../platform/telemetry.ts"
import { StorageRepository } from "./repository.ts"
import { finalName, parseBlobName } from "./rules.ts"
import { Storage } from "./service.ts"
import { ObjectStore, type StoreFailure } from "./store.ts"
import { type DueObject, StorageSweepRepository, type SweptRow } from "./sweep-repository.ts"
import { claimSeconds, Verification } from "./verification.ts"

const roundMillis = 15_000
const batchMax = 20
const sweepSeconds = 3_600
/** A hub that sweeps longer than this is taken for dead. */
const sweepLeaseSeconds = 3_000
const hourMillis = 3_600_000
const uploadHours = 24
const orphanHours = 48

/** Whether a blob belongs to the row of its object. */
export const isWanted = (blob: { readonly area: "tmp" | "o"; readonly last: string }, row: SweptRow): boolean =>
  blob.area === "tmp" ? row.upload === blob.last : String(row.generation) === blob.last

export class StorageSweeper extends Context.Service<StorageSweeper, {
  /** Resumes abandoned verifications; returns how many. */
  readonly resume: Effect.Effect<number>
  /** The hourly sweep, if it is due. */
  readonly sweep: Effect.Effect<void>
  /** The same, due or not, as of a moment. */
  readonly sweepAt: (at: Date) => Effect.Effect<void, StoreFailure>
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
      }, db.transaction)

      const removeDue = Effect.gen(function*() {
        for (;;) {
          const found = yield* due.due(pendingHours, restoreDays, batchMax)
          if (found.length === 0) return
          let removed = 0
          yield* eachWorkspace("objects", found, ({ id, org_id }) =>
            startRemoval({ id, org_id }).pipe(
              Effect.andThen(storage.purge(org_id, id, hubActor)),
              Effect.mapError(({ error }) => new Error(error.message)),
              Effect.orDie,
              Effect.tap(() => Effect.sync(() => removed++))
            ))
          // The store does not respond: the next sweep tries again.
          if (removed === 0) return
        }
      })

      /** Removes blobs that no row wants, once they are old enough to belong to no upload in progress. */
      const removeOrphans = Effect.fnUntraced(function*(area: "tmp/" | "o/", at: Date) {
        const oldest = at.getTime() - (area === "o/" ? orphanHours : uploadHours) * hourMillis
        for (let after = "";;) {
          const page = yield* store.list(area, after)
          if (page.length === 0) return
          after = page.at(-1)!.name
          const aged = page.flatMap(({ modifiedMillis, name }) => {
            const blob = parseBlobName(name)
            return blob === undefined || modifiedMillis > oldest ? [] : [{ ...blob, name }]
          })
          const rows = new Map((yield* due.rowsOf(aged.map(({ object }) => object))).map((row) => [row.id, row]))
          // A bucket may have objects of another hub: its workspaces do not exist here.
          const orgs = yield* due.knownOrgs(aged.map(({ org }) => org))
          for (const blob of aged) {
            const row = rows.get(blob.object)
            if (orgs.has(blob.org) && (row === undefined || !isWanted(blob, row))) yield* store.remove(blob.name)
          }
        }
      })

      /** Marks confirmed objects without their bytes. */
      const findMissing = Effect.fnUntraced(function*(at: Date) {
        let place = { org: "", id: "" }
        for (;;) {
          const rows = yield* due.confirmed(place, at, 500)
          const last = rows.at(-1)
          if (last === undefined) break
          place = { org: last.org_id, id: last.id }
          const absent: Array<string> = []
          const present: Array<string> = []
          for (const row of rows) {
            const size = yield* store.size(finalName(row.org_id, row.id, row.generation))
            ;(size === undefined ? absent : present).push(row.id)
          }
          yield* due.mark(absent, true)
          yield* due.mark(present, false)
        }
        const count = yield* due.missing
        yield* Metric.update(storageMissing, count)
        if (count > 0) yield* Effect.logError(`the bytes of ${count} objects are missing: restore them from a backup`)
      })

      const sweepAt = Effect.fn("StorageSweeper.sweepAt")(function*(at: Date) {
        yield* removeDue
        yield* removeOrphans("tmp/", at)
        yield* removeOrphans("o/", at)
        yield* findMissing(at)
      })

      const sweep = Effect.gen(function*() {
        // A hub without the objects leaves the sweep to one that has them.
        const isReady = yield* Effect.isSuccess(store.spoolFolder)
        const at = isReady ? yield* due.claim(sweepLeaseSeconds) : undefined
        if (at === undefined) return
        yield* Effect.ensuring(
          Effect.catch(sweepAt(at), ({ detail }) => Effect.logWarning(`the sweep of objects stopped: ${detail}`)),
          due.finish(sweepSeconds)
        )
      })

      // Both can take long with large or many objects.
      yield* repeatLongRounds(readiness, "uploads", roundMillis, resume)
      yield* repeatLongRounds(readiness, "objects", 60_000, sweep)
      return StorageSweeper.of({ resume, sweep, sweepAt })
    })
  )
}

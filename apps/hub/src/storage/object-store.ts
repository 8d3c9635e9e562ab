/** The store that the settings name: a bucket, or the data directory. */
import { Effect, Layer, Option, Redacted } from "effect"
import { join } from "node:path"
import { Settings } from "../config.ts"
import { EgressStreams } from "../providers/egress-streams.ts"
import { ensureStoreId, localStore, readStoreId } from "./local-store.ts"
import { StoragePatience } from "./patience.ts"
import { s3Store } from "./s3-store.ts"
import { ObjectStore, StoreFailure } from "./store.ts"
import { StorageSweepRepository } from "./sweep-repository.ts"

export const objectsDirectory = (dataDir: string): string => join(dataDir, "objects")

const failed = (error: unknown) => new StoreFailure({ reason: "unreachable", detail: String(error) })

export const objectStoreLayer = Layer.effect(
  ObjectStore,
  Effect.gen(function*() {
    const { dataDir, storage: { s3 } } = yield* Settings
    if (Option.isSome(s3)) {
      const { secretAccessKey, ...settings } = s3.value
      return ObjectStore.of(
        s3Store(
          { ...settings, secretAccessKey: Redacted.value(secretAccessKey) },
          yield* EgressStreams,
          (yield* StoragePatience).storeSilenceMillis
        )
      )
    }
    const repository = yield* StorageSweepRepository
    const root = objectsDirectory(dataDir)
    const notShared = new StoreFailure({
      reason: "not_shared",
      detail: `${root} is not the directory of this database`
    })
    let isOurs = false
    const ready = Effect.gen(function*() {
      if (isOurs) return
      const known = yield* repository.storeId(undefined)
      const own = yield* Effect.tryPromise({
        // Another hub's database: nothing is created beside it.
        try: () => known === undefined ? ensureStoreId(root) : readStoreId(root),
        catch: failed
      })
      if (own === undefined || (yield* repository.storeId(own)) !== own) return yield* notShared
      isOurs = true
    })
    const known = yield* repository.storeId(undefined)
    const own = known === undefined
      ? undefined
      : yield* Effect.promise(() => readStoreId(root).catch(() => undefined))
    if (known !== own) {
      yield* Effect.logWarning(
        `the objects of this database are not in ${root}: storage answers 503 storage_not_shared. Share that ` +
          "directory between the hubs, or set HUB_S3_BUCKET on all of them."
      )
    }
    return ObjectStore.of(localStore(root, ready))
  })
)

/**
 * `hub backup` and `hub restore`: the database and the files of the data directory, as one file. A restore ends with the
 * checks of `hub doctor`.
 */
import { Effect, Layer, Option } from "effect"
import { basename, join, relative, resolve } from "node:path"
import { secretFiles } from "../announcements.ts"
import { Settings } from "../config.ts"
import { CommandFailure } from "../failure.ts"
import { hubCommand } from "../invocation.ts"
import { dump, restoreDump } from "../platform/dump.ts"
import { masterKeyFile } from "../platform/master-key.ts"
import { newestMigration, standingMigration } from "../platform/migrations.ts"
import { backup, restore } from "../platform/postgres/backup.ts"
import { COPY_FILE } from "../platform/postgres/data-directory.ts"
import { partFolder, readStoreId } from "../storage/local-store.ts"
import { objectsDirectory } from "../storage/object-store.ts"
import { StorageSweepRepository } from "../storage/sweep-repository.ts"
import { databaseLayer, existingData, settingsLayer } from "./database.ts"
import { DoctorLive, examine } from "./doctor.ts"
import { print } from "./output.ts"

/** A server of the settings, with the key that they require beside it; none: the embedded one. */
const ownServer = Effect.map(
  Settings,
  ({ databaseUrl, masterKey }) =>
    Option.map(Option.all({ url: databaseUrl, masterKey }), ({ masterKey, url }) => ({ url, masterKey }))
)

/** Fails if the objects of the database are in another directory than this one: the backup would lack them. */
const objectsAreHere = Effect.gen(function*() {
  const { dataDir } = yield* Settings
  const objects = objectsDirectory(dataDir)
  const { storeId } = yield* StorageSweepRepository
  const known = yield* storeId(undefined)
  const own = yield* Effect.promise(() => readStoreId(objects).catch(() => undefined))
  if (known === undefined || known === own) return
  return yield* new CommandFailure({
    message: `The objects of this database are not in ${objects}, so the backup would lack them: ` +
      "set HUB_DATA_DIR to the hub's data directory, or the settings of its bucket."
  })
}).pipe(Effect.provide(StorageSweepRepository.layer.pipe(Layer.provide(databaseLayer))))

export const runBackup = ({ file, withoutKey }: { readonly file: string; readonly withoutKey: boolean }) =>
  Effect.gen(function*() {
    const { dataDir, storage: { s3 } } = yield* Settings
    const objects = objectsDirectory(dataDir)
    const exclude = [
      // Bytes that are being received belong to no object yet.
      relative(dataDir, join(objects, partFolder)),
      ...Object.values(secretFiles),
      ...Option.isSome(s3) ? [relative(dataDir, objects)] : []
    ]
    const server = yield* ownServer
    if (Option.isNone(server)) yield* existingData
    else if (Option.isNone(s3)) yield* objectsAreHere
    const { bytes } = yield* Option.match(server, {
      onNone: () =>
        backup({
          dataDir,
          toFile: file,
          exclude: [...exclude, ...withoutKey ? [basename(masterKeyFile(dataDir))] : []]
        }),
      onSome: (server) => dump({ ...server, withKey: !withoutKey, dataDir, toFile: file, exclude })
    })
    const key = Option.isSome(server) ? "the value of HUB_MASTER_KEY" : masterKeyFile(dataDir)
    yield* print(`${resolve(file)}: ${(bytes / 1024 / 1024).toFixed(1)} MiB. ${
      withoutKey
        ? `The master key is not in it: keep ${key} elsewhere, without it stored secrets cannot be read.`
        : "The master key is in it: keep it as you keep a password."
    }`)
    if (Option.isSome(s3)) {
      yield* print(`The objects are not in it: back up the bucket ${s3.value.bucket} by its own tools.`)
    }
  }).pipe(Effect.provide(settingsLayer))

/** Fails if a check fails. A database of another version is left as it is, so that the hub of its version can start. */
const examineRestored = Effect.gen(function*() {
  const at = yield* standingMigration
  const newest = newestMigration()
  if (at === newest) return yield* Effect.provide(examine, DoctorLive)
  yield* print(
    `The database is at migration ${at}, and this program has migrations up to ${newest}, so the checks did not run: ` +
      `start the hub of the version that you want, and run "${hubCommand("doctor")}" with it.`
  )
}).pipe(Effect.provide(databaseLayer))

export const runRestore = ({ asCopy, file }: { readonly asCopy: boolean; readonly file: string }) =>
  Effect.gen(function*() {
    const { dataDir } = yield* Settings
    const server = yield* ownServer
    yield* Option.match(server, {
      onNone: () => restore({ fromFile: file, dataDir, asCopy }),
      onSome: (server) => restoreDump({ ...server, fromFile: file, dataDir, asCopy })
    })
    const place = Option.isSome(server) ? `the database of DATABASE_URL and ${dataDir}` : dataDir
    yield* print(
      asCopy
        ? `Restored into ${place} as a paused copy: its hub sends nothing. Remove ${
          join(dataDir, COPY_FILE)
        } to end the pause.`
        : `Restored into ${place}.`
    )
    yield* examineRestored
    if (!asCopy) yield* print("Start the hub.")
  }).pipe(Effect.provide(settingsLayer))

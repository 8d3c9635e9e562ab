/** `hub backup` and `hub restore`: the embedded database and the files beside it, as one file. */
import { Effect, Option } from "effect"
import { basename, join, relative, resolve } from "node:path"
import { secretFiles } from "../announcements.ts"
import { Settings } from "../config.ts"
import { CommandFailure } from "../failure.ts"
import { masterKeyFile } from "../platform/master-key.ts"
import { backup, restore } from "../platform/postgres/backup.ts"
import { COPY_FILE } from "../platform/postgres/data-directory.ts"
import { partFolder } from "../storage/local-store.ts"
import { objectsDirectory } from "../storage/object-store.ts"
import { existingData, settingsLayer } from "./database.ts"
import { print } from "./output.ts"

/** The data directory of a hub with an embedded database. */
const embeddedDataDir = Effect.flatMap(Settings, ({ databaseUrl, dataDir }) =>
  Option.isNone(databaseUrl)
    ? Effect.succeed(dataDir)
    : Effect.fail(
      new CommandFailure({
        message:
          "DATABASE_URL is set: back up that server with its own tools, such as pg_dump. This command is for the embedded database."
      })
    ))

export const runBackup = ({ file, withoutKey }: { readonly file: string; readonly withoutKey: boolean }) =>
  Effect.gen(function*() {
    const dataDir = yield* embeddedDataDir
    yield* existingData
    const key = basename(masterKeyFile(dataDir))
    const exclude = [
      // Bytes that are being received belong to no object yet.
      relative(dataDir, join(objectsDirectory(dataDir), partFolder)),
      ...Object.values(secretFiles),
      ...withoutKey ? [key] : []
    ]
    const { bytes } = yield* backup({ dataDir, toFile: file, exclude })
    yield* print(`${resolve(file)}: ${(bytes / 1024 / 1024).toFixed(1)} MiB. ${
      withoutKey
        ? `The master key is not in it: keep ${
          masterKeyFile(dataDir)
        } elsewhere, without it stored secrets cannot be read.`
        : "The master key is in it: keep it as you keep a password."
    }`)
  }).pipe(Effect.provide(settingsLayer))

export const runRestore = ({ asCopy, file }: { readonly asCopy: boolean; readonly file: string }) =>
  Effect.gen(function*() {
    const dataDir = yield* embeddedDataDir
    yield* restore({ fromFile: file, dataDir, asCopy })
    yield* print(
      asCopy
        ? `Restored into ${dataDir} as a paused copy: its hub sends nothing. Remove ${
          join(dataDir, COPY_FILE)
        } to end the pause.`
        : `Restored into ${dataDir}. Start the hub.`
    )
  }).pipe(Effect.provide(settingsLayer))

/**
 * Online physical backup of the embedded server, and of the data directory's other files, into one file; and its
 * restore. The server continues to serve: its files are copied between `pg_backup_start` and `pg_backup_stop` while
 * they change. A slot keeps the log written meanwhile, which makes them consistent at the first start after a restore.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { readFile, rename, rm, writeFile } from "node:fs/promises"
import { basename, join, relative, resolve } from "node:path"
import {
  addTree,
  backupDraft,
  backupError,
  backupFailure,
  placeData,
  refused,
  refuseExisting,
  restoreDraft,
  unpack
} from "./backup-file.ts"
import { locateBinaries } from "./binaries.ts"
import { syncDirectory } from "./cluster.ts"
import { COPY_FILE, ensureDirectory } from "./data-directory.ts"
import { connectOrStart, EmbeddedPostgresError } from "./embedded.ts"
import { fileFailure } from "./errors.ts"

/** Empty after a start, or written by the backup itself. As in pg_basebackup. */
const emptied = new Set([
  "pg_dynshmem",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
  "pg_wal"
])
const leftOutNames = new Set([
  "postmaster.pid",
  "postmaster.opts",
  "current_logfiles",
  "backup_label",
  "tablespace_map",
  "backup_manifest",
  "postgresql.auto.conf.tmp"
])
const leftOutPrefixes = ["pg_internal.init", "pgsql_tmp", ".s.PGSQL."]
const leftOut = (name: string) => leftOutNames.has(name) || leftOutPrefixes.some((prefix) => name.startsWith(prefix))

/** Reads until two readings agree: the server may be writing the file. */
const readSteady = async (path: string): Promise<Buffer> => {
  let last = await readFile(path)
  for (let attempt = 0; attempt < 100; attempt++) {
    const again = await readFile(path)
    if (again.equals(last)) return again
    last = again
  }
  throw new Error(`${path} keeps changing`)
}

/** Names of the log's files with the bytes from `start` to before `stop`. */
export const walSegments = (
  timeline: number,
  start: bigint,
  stop: bigint,
  segmentSize: bigint
): ReadonlyArray<string> => {
  const perLog = 0x100000000n / segmentSize
  const hex = (value: bigint | number) => value.toString(16).toUpperCase().padStart(8, "0")
  const names: Array<string> = []
  for (let segment = start / segmentSize; segment <= (stop - 1n) / segmentSize; segment++) {
    names.push(`${hex(timeline)}${hex(segment / perLog)}${hex(segment % perLog)}`)
  }
  return names
}

const lsn = (value: string): bigint => {
  const [high = "", low = ""] = value.split("/")
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

export interface BackupOptions {
  readonly dataDir: string
  /** Must not exist; appears when it is complete. Mode 0600: it contains everything in the data directory. */
  readonly toFile: string
  /** Paths in the data directory that are left out, such as the master key's file. */
  readonly exclude?: ReadonlyArray<string> | undefined
}

/** Works with or without a hub running on the data directory. */
export const backup = Effect.fn("EmbeddedPostgres.backup")(function*(
  options: BackupOptions
): Effect.fn.Return<{ readonly bytes: number }, EmbeddedPostgresError> {
  const toFile = resolve(options.toFile)
  const failed = backupFailure(toFile)
  yield* refuseExisting(toFile)

  const copy = Effect.gen(function*() {
    const postgres = yield* connectOrStart({ dataDir: options.dataDir })
    const dataDir = yield* ensureDirectory(options.dataDir)
    const { cluster } = postgres
    if (toFile.startsWith(`${cluster}/`)) {
      return yield* backupError("The backup cannot be in the database's directory: choose another place.")
    }
    // one session from start to stop: the backup and the slot that keeps the log belong to it
    const sql = yield* PgClient.makeClient({ ...postgres.connection, applicationName: "countersign-backup" }).pipe(
      Effect.provide(Reactivity.layer)
    )
    const { major } = yield* Effect.try({ try: locateBinaries, catch: failed })
    const { addData, archive, attempt, complete } = yield* backupDraft(toFile, {
      format: 1,
      postgres_major: major,
      created_at: new Date().toISOString()
    })

    yield* Effect.gen(function*() {
      const [elsewhere] = yield* sql<{ name: string }>`
        select spcname as name from pg_tablespace where spcname not in ('pg_default', 'pg_global') limit 1`
      if (elsewhere !== undefined) {
        return yield* failed(new Error(`the tablespace ${elsewhere.name} lies outside the data directory`))
      }
      const slot = `countersign_backup_${process.pid}`
      yield* sql`select slot_name::text from pg_create_physical_replication_slot(${slot}, true, true)`
      yield* sql`select pg_backup_start('countersign', true)::text`
      yield* attempt((signal) =>
        addTree(archive, cluster, "postgres", {
          signal,
          skip: (path, name) => leftOut(name) || path === "global/pg_control" || path.startsWith("pg_tblspc/"),
          hollow: (path) => emptied.has(path)
        })
      )
      const control = yield* attempt(() => readSteady(join(cluster, "global", "pg_control")))
      yield* attempt(() => archive.bytes("postgres/global/pg_control", control))
      const [stop] = yield* sql<{ stop: string; label: string; timeline: number; segment: string }>`
        select b.lsn::text as stop, b.labelfile as label, ('x' || substr(pg_walfile_name(b.lsn), 1, 8))::bit(32)::int as timeline,
          pg_size_bytes(current_setting('wal_segment_size'))::text as segment
        from pg_backup_stop(false) b`
      const start = /^START WAL LOCATION: ([0-9A-F]+\/[0-9A-F]+)/m.exec(stop?.label ?? "")?.[1]
      if (stop === undefined || start === undefined) return yield* failed(new Error("PostgreSQL gave no backup label"))
      yield* attempt(async (signal) => {
        await archive.bytes("postgres/backup_label", Buffer.from(stop.label))
        for (const name of ["archive_status", "summaries"]) await archive.directory(`postgres/pg_wal/${name}`)
        for (const name of walSegments(stop.timeline, lsn(start), lsn(stop.stop), BigInt(stop.segment))) {
          signal.throwIfAborted()
          const found = await archive.file(`postgres/pg_wal/${name}`, join(cluster, "pg_wal", name))
          if (!found) throw new Error(`the log segment ${name} is gone`)
        }
      })
    })
    // after the database, so that all files it refers to are included
    yield* addData({ dataDir, exclude: [relative(dataDir, cluster), ...options.exclude ?? []] })
    return yield* complete
  })
  return yield* Effect.scoped(copy).pipe(
    Effect.catchTag("SqlError", (error) => Effect.fail(failed(error.reason.cause)))
  )
})

export interface RestoreOptions {
  readonly fromFile: string
  /** Missing or empty. */
  readonly dataDir: string
  /** The hub of the directory starts paused. */
  readonly asCopy?: boolean
}

/**
 * Unpacks a backup; the next start replays its log and serves the state at the backup's end. An invalid file changes
 * nothing.
 */
export const restore = Effect.fn("EmbeddedPostgres.restore")(function*(
  options: RestoreOptions
): Effect.fn.Return<void, EmbeddedPostgresError> {
  const fromFile = resolve(options.fromFile)
  const { major } = yield* Effect.try({ try: locateBinaries, catch: (error) => fileFailure(options.dataDir, error) })
  const restored = Effect.gen(function*() {
    const into = yield* restoreDraft(fromFile, options.dataDir)
    const { attempt, dataDir, draft } = into
    yield* attempt((signal) =>
      unpack(into, {
        signal,
        tops: ["postgres", "data"],
        other: [],
        accept: (manifest) => {
          if (manifest.format !== 1) {
            throw refused(
              `${fromFile} has the database of a PostgreSQL server: set DATABASE_URL to an empty database, and restore again.`
            )
          }
          const made = manifest.postgres_major
          if (made === major) return
          throw new EmbeddedPostgresError({
            reason: "version_mismatch",
            detail: `${fromFile} contains a database of PostgreSQL ${made}, but this hub has PostgreSQL ${major}: ` +
              "restore it with the hub version that made it."
          })
        }
      })
    )
    yield* attempt(async () => {
      const mark = join(dataDir, COPY_FILE)
      await (options.asCopy === true ? writeFile(mark, "", { mode: 0o600 }) : rm(mark, { force: true }))
      await placeData(into)
      // last: this completes the data directory
      await rename(join(draft, "postgres"), join(dataDir, "postgres"))
      syncDirectory(dataDir)
    }).pipe(Effect.uninterruptible)
  })
  yield* Effect.scoped(restored)
  yield* Effect.logInfo(`Restored ${basename(fromFile)} into ${options.dataDir}`)
})

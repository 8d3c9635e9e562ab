/**
 * Online physical backup of the embedded server, and of the data directory's other files, into one file; and its
 * restore. The server continues to serve: its files are copied between `pg_backup_start` and `pg_backup_stop` while
 * they change. A slot keeps the log written meanwhile, which makes them consistent at the first start after a restore.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { lstat, mkdir, open, readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { ArchiveWriter, foreign, readArchive } from "./archive.ts"
import { locateBinaries } from "./binaries.ts"
import { RESTORE_DRAFT, syncDirectory } from "./cluster.ts"
import { COPY_FILE, ensureDirectory, hold, isOwnFile } from "./data-directory.ts"
import { connectOrStart, EmbeddedPostgresError } from "./embedded.ts"
import { fileFailure } from "./errors.ts"

const Manifest = Schema.Struct({ format: Schema.Literal(1), postgres_major: Schema.Int, created_at: Schema.String })
const decodeManifest = Schema.decodeUnknownSync(Schema.fromJsonString(Manifest))
const MANIFEST_NAME = "countersign-backup.json"
const MANIFEST_BYTES_MAX = 64 * 1024

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

interface TreeOptions {
  readonly signal: AbortSignal
  /** By the path below the tree's top, and its last part. */
  readonly skip: (path: string, name: string) => boolean
  /** A directory that is kept without its content. */
  readonly hollow: (path: string) => boolean
}

const addTree = async (
  archive: ArchiveWriter,
  from: string,
  to: string,
  options: TreeOptions,
  path = ""
): Promise<void> => {
  await archive.directory(path === "" ? to : `${to}/${path}`)
  if (options.hollow(path)) return
  let names: Array<string>
  try {
    names = await readdir(join(from, path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return
    throw error
  }
  for (const name of names.sort()) {
    options.signal.throwIfAborted()
    const inner = path === "" ? name : `${path}/${name}`
    if (options.skip(inner, name)) continue
    const found = await lstat(join(from, inner)).catch(() => undefined)
    if (found?.isDirectory()) await addTree(archive, from, to, options, inner)
    else if (found?.isFile()) await archive.file(`${to}/${inner}`, join(from, inner))
  }
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

const backupError = (detail: string) => new EmbeddedPostgresError({ reason: "backup_failed", detail })

const failure = (toFile: string) => (error: unknown): EmbeddedPostgresError => {
  if (error instanceof EmbeddedPostgresError) return error
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  if (code === "ENOSPC" || code === "EDQUOT") {
    const detail = `The disk of ${toFile} is full: free some space, or write the backup elsewhere.`
    return new EmbeddedPostgresError({ reason: "disk_full", detail })
  }
  return backupError(`The backup to ${toFile} failed: ${error instanceof Error ? error.message : String(error)}.`)
}

/** Works with or without a hub running on the data directory. */
export const backup = Effect.fn("EmbeddedPostgres.backup")(function*(
  options: BackupOptions
): Effect.fn.Return<{ readonly bytes: number }, EmbeddedPostgresError> {
  const toFile = resolve(options.toFile)
  const draft = `${toFile}.partial`
  const failed = failure(toFile)
  const attempt = <A>(work: (signal: AbortSignal) => Promise<A>) => Effect.tryPromise({ try: work, catch: failed })
  const free = yield* attempt(() =>
    lstat(toFile).then(() => false, (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error
      return true
    })
  )
  if (!free) return yield* backupError(`${toFile} already exists: choose a new file.`)

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
    const file = yield* Effect.acquireRelease(
      attempt(() => open(draft, "w", 0o600)),
      (handle) => Effect.promise(() => handle.close().then(() => rm(draft, { force: true })))
    )
    const archive = new ArchiveWriter(file)
    const { major } = yield* Effect.try({ try: locateBinaries, catch: failed })
    const manifest: typeof Manifest.Type = { format: 1, postgres_major: major, created_at: new Date().toISOString() }
    yield* attempt(() => archive.bytes(MANIFEST_NAME, Buffer.from(JSON.stringify(manifest))))

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
    const folder = yield* attempt(() => realpath(dirname(toFile)))
    const other = new Set([cluster, ...[toFile, draft].map((path) => join(folder, basename(path)))])
    yield* attempt((signal) =>
      addTree(archive, dataDir, "data", {
        signal,
        skip: (path) => other.has(join(dataDir, path)) || isOwnFile(path) || (options.exclude ?? []).includes(path),
        hollow: () => false
      })
    )
    yield* attempt(() => archive.end())
    const { size } = yield* attempt(() => file.stat())
    yield* attempt(() => rename(draft, toFile).then(() => syncDirectory(dirname(toFile))))
    return { bytes: size }
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

const refused = (detail: string) => new EmbeddedPostgresError({ reason: "restore_refused", detail })

/**
 * Unpacks a backup; the next start replays its log and serves the state at the backup's end. An invalid file changes
 * nothing.
 */
export const restore = Effect.fn("EmbeddedPostgres.restore")(function*(
  options: RestoreOptions
): Effect.fn.Return<void, EmbeddedPostgresError> {
  const fromFile = resolve(options.fromFile)
  const unpack = Effect.gen(function*() {
    const file = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => open(fromFile, "r"),
        catch: (error) => refused(`${fromFile} cannot be read: ${(error as Error).message}.`)
      }),
      (handle) => Effect.promise(() => handle.close())
    )
    const { major } = yield* Effect.try({ try: locateBinaries, catch: (error) => fileFailure(options.dataDir, error) })
    const dataDir = yield* ensureDirectory(options.dataDir)
    yield* hold(dataDir, "command")
    const attempt = <A>(work: (signal: AbortSignal) => Promise<A>) =>
      Effect.tryPromise({
        try: work,
        catch: (error) => {
          if (error instanceof EmbeddedPostgresError) return error
          return (error as NodeJS.ErrnoException).code === undefined
            ? refused(`${fromFile} cannot be restored: ${(error as Error).message}.`)
            : fileFailure(dataDir, error)
        }
      })
    const present = (yield* attempt(() => readdir(dataDir))).filter((name) => !isOwnFile(name))
    if (present.length > 0) {
      return yield* refused(`${dataDir} is not empty (${present[0]}): restore into a new directory.`)
    }

    const draft = join(dataDir, RESTORE_DRAFT)
    yield* Effect.acquireRelease(
      attempt(() => mkdir(draft, { mode: 0o700 })),
      () => Effect.promise(() => rm(draft, { recursive: true, force: true }))
    )
    yield* attempt(async (signal) => {
      let manifest = false
      await readArchive(file, async (entry, content) => {
        signal.throwIfAborted()
        if (!manifest) {
          if (entry.name !== MANIFEST_NAME || entry.size > MANIFEST_BYTES_MAX) {
            throw new Error("it is not a backup of a hub")
          }
          const chunks: Array<Uint8Array> = []
          for await (const chunk of content) chunks.push(chunk)
          const made = decodeManifest(Buffer.concat(chunks).toString("utf8")).postgres_major
          if (made !== major) {
            throw new EmbeddedPostgresError({
              reason: "version_mismatch",
              detail: `${fromFile} contains a database of PostgreSQL ${made}, but this hub has PostgreSQL ${major}: ` +
                "restore it with the hub version that made it."
            })
          }
          manifest = true
          return
        }
        if (!/^(postgres|data)(\/|$)/.test(entry.name)) throw foreign(entry.name)
        const target = join(draft, entry.name)
        if (entry.kind === "directory") return void await mkdir(target, { recursive: true, mode: 0o700 })
        const handle = await open(target, "wx", 0o600)
        try {
          for await (const chunk of content) await handle.writeFile(chunk)
          await handle.sync()
        } finally {
          await handle.close()
        }
      })
      if (!manifest) throw new Error("it is not a backup of a hub")
    })
    yield* attempt(async () => {
      const mark = join(dataDir, COPY_FILE)
      await (options.asCopy === true ? writeFile(mark, "", { mode: 0o600 }) : rm(mark, { force: true }))
      const data = join(draft, "data")
      for (const name of await readdir(data)) await rename(join(data, name), join(dataDir, name))
      // last: this completes the data directory
      await rename(join(draft, "postgres"), join(dataDir, "postgres"))
      syncDirectory(dataDir)
    }).pipe(Effect.uninterruptible)
  })
  yield* Effect.scoped(unpack)
  yield* Effect.logInfo(`Restored ${basename(fromFile)} into ${options.dataDir}`)
})

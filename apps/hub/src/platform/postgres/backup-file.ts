/**
 * The file of a backup: a manifest, then the database, then the other files of the data directory. `backup.ts` and
 * `dump.ts` write and read the database of their kind.
 */
import { Effect, Schema, type Scope } from "effect"
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { ArchiveWriter, foreign, readArchive } from "./archive.ts"
import { RESTORE_DRAFT, syncDirectory } from "./cluster.ts"
import { ensureDirectory, hold, isOwnFile } from "./data-directory.ts"
import { EmbeddedPostgresError, fileFailure } from "./errors.ts"

const MANIFEST_NAME = "countersign-backup.json"
const MANIFEST_BYTES_MAX = 64 * 1024

/** The files of an embedded database. */
const Physical = Schema.Struct({ format: Schema.Literal(1), postgres_major: Schema.Int, created_at: Schema.String })

/** What `pg_dump` wrote about a server of `DATABASE_URL`. */
const Logical = Schema.Struct({
  format: Schema.Literal(2),
  server_major: Schema.Int,
  pg_dump_major: Schema.Int,
  /** The schema that the hub's tables are in. */
  schema: Schema.String,
  /** The extensions that its indexes and functions use, with their schemas. */
  extensions: Schema.Array(Schema.Struct({ name: Schema.String, schema: Schema.String })),
  /** In base64: recognizes the key that the secrets are sealed with. */
  master_key_check: Schema.NullOr(Schema.String),
  created_at: Schema.String
})
export type Logical = typeof Logical.Type

const Manifest = Schema.Union([Physical, Logical])
export type Manifest = typeof Manifest.Type
const decodeManifest = Schema.decodeUnknownSync(Schema.fromJsonString(Manifest))

interface TreeOptions {
  readonly signal: AbortSignal
  /** By the path below the tree's top, and its last part. */
  readonly skip: (path: string, name: string) => boolean
  /** A directory that is kept without its content. */
  readonly hollow: (path: string) => boolean
}

export const addTree = async (
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

export const backupError = (detail: string) => new EmbeddedPostgresError({ reason: "backup_failed", detail })

export const backupFailure = (toFile: string) => (error: unknown): EmbeddedPostgresError => {
  if (error instanceof EmbeddedPostgresError) return error
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  if (code === "ENOSPC" || code === "EDQUOT") {
    const detail = `The disk of ${toFile} is full: free some space, or write the backup elsewhere.`
    return new EmbeddedPostgresError({ reason: "disk_full", detail })
  }
  return backupError(`The backup to ${toFile} failed: ${error instanceof Error ? error.message : String(error)}.`)
}

/** Fails if the path of a backup is taken. */
export const refuseExisting = (toFile: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: () =>
      lstat(toFile).then(() => false, (error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error
        return true
      }),
    catch: backupFailure(toFile)
  }).pipe(
    Effect.filterOrFail((isFree) => isFree, () => backupError(`${toFile} already exists: choose a new file.`)),
    Effect.asVoid
  )

export interface DataFiles {
  readonly dataDir: string
  /** Paths in the data directory that are left out, and everything below them. */
  readonly exclude: ReadonlyArray<string>
}

export interface BackupDraft {
  readonly archive: ArchiveWriter
  readonly attempt: <A>(work: (signal: AbortSignal) => Promise<A>) => Effect.Effect<A, EmbeddedPostgresError>
  /** Adds the data directory, without the files that belong to the machine and without the backup itself. */
  readonly addData: (files: DataFiles) => Effect.Effect<void, EmbeddedPostgresError>
  /** Gives the file its name; returns its size. */
  readonly complete: Effect.Effect<{ readonly bytes: number }, EmbeddedPostgresError>
}

/** A backup that begins with its manifest; without `complete` nothing of it remains. */
export const backupDraft = Effect.fnUntraced(function*(
  toFile: string,
  manifest: Manifest
): Effect.fn.Return<BackupDraft, EmbeddedPostgresError, Scope.Scope> {
  const draft = `${toFile}.partial`
  const failed = backupFailure(toFile)
  const attempt: BackupDraft["attempt"] = (work) => Effect.tryPromise({ try: work, catch: failed })
  const file = yield* Effect.acquireRelease(
    attempt(() => open(draft, "w", 0o600)),
    (handle) => Effect.promise(() => handle.close().then(() => rm(draft, { force: true })))
  )
  const archive = new ArchiveWriter(file)
  yield* attempt(() => archive.bytes(MANIFEST_NAME, Buffer.from(JSON.stringify(manifest))))
  return {
    archive,
    attempt,
    addData: ({ dataDir, exclude }) =>
      Effect.gen(function*() {
        const folder = yield* attempt(() => realpath(dirname(toFile)))
        const left = new Set([
          ...[toFile, draft].map((path) => join(folder, basename(path))),
          ...exclude.map((path) => join(dataDir, path))
        ])
        yield* attempt((signal) =>
          addTree(archive, dataDir, "data", {
            signal,
            skip: (path) => left.has(join(dataDir, path)) || isOwnFile(path),
            hollow: () => false
          })
        )
      }),
    complete: Effect.gen(function*() {
      yield* attempt(() => archive.end())
      const { size } = yield* attempt(() => file.stat())
      yield* attempt(() => rename(draft, toFile).then(() => syncDirectory(dirname(toFile))))
      return { bytes: size }
    })
  }
})

export const refused = (detail: string) => new EmbeddedPostgresError({ reason: "restore_refused", detail })

export interface RestoreDraft {
  readonly file: FileHandle
  /** The real path of the data directory, which this process holds. */
  readonly dataDir: string
  /** A folder in it for the files of the backup, removed with the scope. */
  readonly draft: string
  readonly attempt: <A>(work: (signal: AbortSignal) => Promise<A>) => Effect.Effect<A, EmbeddedPostgresError>
}

/** Opens a backup for its restore into a data directory that is missing or empty. */
export const restoreDraft = Effect.fnUntraced(function*(
  fromFile: string,
  folder: string
): Effect.fn.Return<RestoreDraft, EmbeddedPostgresError, Scope.Scope> {
  const file = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => open(fromFile, "r"),
      catch: (error) => refused(`${fromFile} cannot be read: ${(error as Error).message}.`)
    }),
    (handle) => Effect.promise(() => handle.close())
  )
  const dataDir = yield* ensureDirectory(folder)
  yield* hold(dataDir, "command")
  const attempt: RestoreDraft["attempt"] = (work) =>
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
  return { file, dataDir, draft, attempt }
})

/**
 * Writes the entries below `tops` into the folder. The whole file is read, also the entries below `other`, so a damaged
 * one is found before anything else changes.
 * @throws Error when the file is damaged, `accept` refuses its manifest, or it has entries of another kind
 */
export const unpack = async (
  { draft, file }: RestoreDraft,
  { accept, other, signal, tops }: {
    readonly accept: (manifest: Manifest) => void
    readonly tops: ReadonlyArray<string>
    readonly other: ReadonlyArray<string>
    readonly signal: AbortSignal
  }
): Promise<Manifest> => {
  const read: { manifest?: Manifest } = {}
  await readArchive(file, async (entry, content) => {
    signal.throwIfAborted()
    if (read.manifest === undefined) {
      if (entry.name !== MANIFEST_NAME || entry.size > MANIFEST_BYTES_MAX) {
        throw new Error("it is not a backup of a hub")
      }
      const chunks: Array<Uint8Array> = []
      for await (const chunk of content) chunks.push(chunk)
      read.manifest = decodeManifest(Buffer.concat(chunks).toString("utf8"))
      return accept(read.manifest)
    }
    const [top = ""] = entry.name.split("/")
    if (other.includes(top)) return
    if (!tops.includes(top)) throw foreign(entry.name)
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
  if (read.manifest === undefined) throw new Error("it is not a backup of a hub")
  return read.manifest
}

/** Moves the unpacked files of the data directory to their place. */
export const placeData = async ({ dataDir, draft }: RestoreDraft): Promise<void> => {
  const data = join(draft, "data")
  for (const name of await readdir(data)) await rename(join(data, name), join(dataDir, name))
}

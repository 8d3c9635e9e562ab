/**
 * One process at a time owns a data directory. The operating system holds the lock (flock, or an exclusive open), so it
 * ends with its process in every case. A note beside it names, for others, its owner and the address of its server.
 */
import { Clock, Effect, Schema, type Scope } from "effect"
import { spawnSync } from "node:child_process"
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { EmbeddedPostgresError, fileFailure } from "./errors.ts"

const LOCK_FILE = "hub.lock"
const NOTE_FILE = "hub.json"
/** Contains the path of the cluster's directory where it could not be put below the data directory. */
export const LOCATION_FILE = "postgres.location"
/** Its hub is a paused copy, which sends nothing. */
export const COPY_FILE = "paused-copy"
/** A cluster that is being created. */
export const DRAFT_PREFIX = "postgres.new-"
const POLL_MILLIS = 100

/**
 * Files that this module and its neighbors put at the top of a data directory beside the cluster: they belong to the
 * machine, not to the hub's data.
 */
export const isOwnFile = (name: string): boolean =>
  [LOCK_FILE, NOTE_FILE, `${NOTE_FILE}.new`, LOCATION_FILE, COPY_FILE].includes(name) || name.startsWith(DRAFT_PREFIX)

/**
 * A start during another hub's drain waits for the longest drain and the stop of its server. Spec:
 * reference/operation.md "Start", "Drain".
 */
export const DRAIN_WAIT_MILLIS = 40_000
/**
 * How long an owner that looks like a running hub has to announce its drain: both may have received their signals at
 * the same time.
 */
export const SAME_MOMENT_MILLIS = 2_000

export const Connection = Schema.Struct({
  path: Schema.optionalKey(Schema.String),
  host: Schema.optionalKey(Schema.String),
  port: Schema.optionalKey(Schema.Int),
  username: Schema.String,
  database: Schema.String,
  password: Schema.optionalKey(Schema.String)
})

/** `hub` serves; `command` is a subcommand such as `doctor`, which ends within moments. */
export const Purpose = Schema.Literals(["hub", "command"])
export type Purpose = typeof Purpose.Type

const Note = Schema.Struct({
  pid: Schema.Int,
  purpose: Purpose,
  state: Schema.Literals(["starting", "serving", "draining"]),
  cluster: Schema.optionalKey(Schema.String),
  connection: Schema.optionalKey(Connection)
})
export type Note = typeof Note.Type
const decodeNote = Schema.decodeUnknownSync(Schema.fromJsonString(Note))

/** Not Node's own `recursive`, which never ends where a parent exists but accepts no entries, as in /proc. */
const makeDirectory = (path: string): void => {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EEXIST" && statSync(path).isDirectory()) return
    if (code !== "ENOENT" || existsSync(dirname(path))) throw error
    makeDirectory(dirname(path))
    makeDirectory(path)
  }
}

/** Creates the directory, private to its owner, and returns its real path. An existing one keeps its mode. */
export const ensureDirectory = (dataDir: string): Effect.Effect<string, EmbeddedPostgresError> =>
  Effect.try({
    try: () => {
      makeDirectory(resolve(dataDir))
      return realpathSync(dataDir)
    },
    catch: (error) => fileFailure(dataDir, error)
  })

/** The note of the lock's owner; `undefined` until it is written. It may be out of date, so it is only a hint. */
export const readNote = (dataDir: string): Note | undefined => {
  try {
    return decodeNote(readFileSync(join(dataDir, NOTE_FILE), "utf8"))
  } catch {
    return undefined
  }
}

/**
 * `O_EXLOCK` of macOS, and libuv's name for an exclusive open on Windows; both are released at the end of the process.
 */
const exclusive = process.platform === "win32"
  ? 0x10000000
  : process.platform === "darwin"
  ? 0x20 | constants.O_NONBLOCK
  : 0

/**
 * A descriptor that holds the lock, or `undefined` when another process holds it. On Linux the `flock` program takes
 * the lock on the open file it inherits; the lock belongs to that open file and so to this process, which alone keeps
 * it open.
 */
const tryLock = (dataDir: string): number | undefined => {
  let fd: number
  try {
    fd = openSync(join(dataDir, LOCK_FILE), constants.O_RDWR | constants.O_CREAT | exclusive, 0o600)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const busy = process.platform === "win32" ? ["EBUSY", "EACCES", "EPERM"] : ["EAGAIN"]
    if (exclusive !== 0 && busy.includes(code ?? "")) return undefined
    throw fileFailure(dataDir, error)
  }
  if (exclusive !== 0) return fd
  const { status, error } = spawnSync("flock", ["--nonblock", "3"], { stdio: ["ignore", "ignore", "ignore", fd] })
  if (status === 0) return fd
  closeSync(fd)
  if (status === 1) return undefined
  throw new EmbeddedPostgresError({
    reason: "unsupported_platform",
    detail: `The lock on ${dataDir} cannot be taken (flock: ${error?.message ?? `exit code ${status}`}): ` +
      "install util-linux, or set DATABASE_URL to a PostgreSQL 15 or later."
  })
}

export interface HeldDirectory {
  readonly path: string
  /** Replaces the note. Written to another file and renamed, so that readers never see a partial note. */
  readonly note: (changes: Partial<Omit<Note, "pid" | "purpose">>) => Effect.Effect<void, EmbeddedPostgresError>
}

/** Takes the lock if it is free, until the scope closes. */
export const tryHold = (
  dataDir: string,
  purpose: Purpose
): Effect.Effect<HeldDirectory | undefined, EmbeddedPostgresError, Scope.Scope> =>
  Effect.gen(function*() {
    const file = join(dataDir, NOTE_FILE)
    const fd = yield* Effect.acquireRelease(
      Effect.try({
        try: () => {
          const held = tryLock(dataDir)
          if (held !== undefined) rmSync(file, { force: true })
          return held
        },
        catch: (error) => fileFailure(dataDir, error)
      }),
      (held) =>
        Effect.sync(() => {
          if (held === undefined) return
          rmSync(file, { force: true })
          closeSync(held)
        })
    )
    if (fd === undefined) return undefined
    let current: Note = { pid: process.pid, purpose, state: "starting" }
    const note: HeldDirectory["note"] = (changes) =>
      Effect.try({
        try: () => {
          current = { ...current, ...changes }
          writeFileSync(`${file}.new`, JSON.stringify(current), { mode: 0o600 })
          renameSync(`${file}.new`, file)
        },
        catch: (error) => fileFailure(dataDir, error)
      })
    yield* note({})
    return { path: dataDir, note }
  })

export const holderName = (note: Note | undefined): string =>
  note === undefined ? "another process" : `process ${note.pid}`

const inUse = (dataDir: string, note: Note | undefined) =>
  new EmbeddedPostgresError({
    reason: "data_directory_in_use",
    detail: `The data directory ${dataDir} is in use by ${
      note === undefined
        ? "another process"
        : `the ${note.purpose === "hub" ? "hub" : "hub command"} with process id ${note.pid}`
    }: stop that one, or set HUB_DATA_DIR to another directory.`
  })

/**
 * Takes the lock. Waits for a process that drains, starts, or runs a short command; fails soon for a serving hub. The
 * wait ends early when the lock becomes free for any reason.
 */
export const hold = (
  dataDir: string,
  purpose: Purpose
): Effect.Effect<HeldDirectory, EmbeddedPostgresError, Scope.Scope> =>
  Effect.gen(function*() {
    const begun = yield* Clock.currentTimeMillis
    let logged = false
    while (true) {
      const held = yield* tryHold(dataDir, purpose)
      if (held !== undefined) return held
      const note = readNote(dataDir)
      const waited = (yield* Clock.currentTimeMillis) - begun
      const patience = note?.purpose === "hub" && note.state !== "draining" ? SAME_MOMENT_MILLIS : DRAIN_WAIT_MILLIS
      if (waited >= patience) return yield* inUse(dataDir, note)
      if (!logged && patience === DRAIN_WAIT_MILLIS) {
        logged = true
        yield* Effect.logInfo(`Waiting for the data directory ${dataDir}, which ${holderName(note)} is leaving`)
      }
      yield* Effect.sleep(POLL_MILLIS)
    }
  })

/**
 * The hub's embedded PostgreSQL: one server for each data directory, started with the hub, restarted while it lives,
 * stopped after it. Spec: reference/operation.md "Start", "Drain".
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Deferred, Effect, Redacted, Schedule, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { locateBinaries } from "./binaries.ts"
import { DATABASE, prepareCluster, USERNAME } from "./cluster.ts"
import {
  DRAIN_WAIT_MILLIS,
  ensureDirectory,
  type HeldDirectory,
  hold,
  holderName,
  type Note,
  type Purpose,
  readNote,
  tryHold
} from "./data-directory.ts"
import { EmbeddedPostgresError, fileFailure, serverFailure } from "./errors.ts"
import { type Launch, planLaunch, type RootWay } from "./launch.ts"
import { endOrphan, refuseCopy, type Server, type StartFailure, startServer, type Tether } from "./server.ts"
import type { Listen, Tuning } from "./settings.ts"

export { EmbeddedPostgresError } from "./errors.ts"

/** The connection settings of `PgClient`. They stay the same over restarts of the server. */
export type EmbeddedConnection =
  | { readonly path: string; readonly username: string; readonly database: string }
  | {
    readonly host: string
    readonly port: number
    readonly username: string
    readonly database: string
    readonly password: Redacted.Redacted
  }

export interface EmbeddedPostgres {
  readonly connection: EmbeddedConnection
  /** PGDATA; usually `postgres` in the data directory. */
  readonly cluster: string
  /** The id of the server's first process; `undefined` while it is down or when another process started it. */
  readonly pid: Effect.Effect<number | undefined>
  /** Announces to a waiting start that this data directory will be free soon. Call it when the drain begins. */
  readonly announceDraining: Effect.Effect<void>
  /** Stops the server before the scope closes, which releases the directory. A second call does nothing. */
  readonly stop: Effect.Effect<void>
}

export interface EmbeddedOptions {
  /** `HUB_DATA_DIR`; created if it is missing. */
  readonly dataDir: string
  readonly purpose?: Purpose | undefined
  readonly tuning?: Tuning | undefined
  /** For tests: the ways that root may use, the path of copies, the tie between the server and this process. */
  readonly rootWays?: ReadonlyArray<RootWay> | undefined
  readonly copyDir?: string | undefined
  readonly tether?: Tether | undefined
}

/** `sun_path` holds 108 bytes on Linux, 104 on macOS. */
const SOCKET_PATH_MAX = 100
const SOCKET_NAME = ".s.PGSQL.5432"
const REMAINS_WAIT_MILLIS = 30_000
const REMAINS_POLL_MILLIS = 150
/** Loading modules may block the process meanwhile. */
const CONNECT_MILLIS = 60_000
const BACKOFF_MIN_MILLIS = 100
const BACKOFF_MAX_MILLIS = 10_000
/** After a run of this length the server counts as healthy: its end resets the backoff. */
const HEALTHY_MILLIS = 60_000

/**
 * The socket's directory: the cluster itself, otherwise a short private one in the temporary folder, removed with the
 * scope.
 */
const socketDirectory = (launch: Launch): Effect.Effect<string, EmbeddedPostgresError, Scope.Scope> =>
  Buffer.byteLength(join(launch.cluster, SOCKET_NAME)) <= SOCKET_PATH_MAX
    ? Effect.succeed(launch.cluster)
    : Effect.acquireRelease(
      Effect.try({
        try: () => {
          const directory = mkdtempSync(join(tmpdir(), "cs-pg-"))
          if (launch.owner !== undefined) chownSync(directory, launch.owner.uid, launch.owner.gid)
          chmodSync(directory, 0o700)
          return directory
        },
        catch: (error) => fileFailure(tmpdir(), error)
      }),
      (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
    )

const freePort: Effect.Effect<number> = Effect.callback((resume) => {
  const probe = createServer()
  probe.listen(0, "127.0.0.1", () => {
    const address = probe.address()
    probe.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

/**
 * The first connection proves that the server serves; it also creates the hub's database where a first start was
 * interrupted before that.
 */
const ensureDatabase = (connection: EmbeddedConnection) =>
  Effect.gen(function*() {
    const sql = yield* PgClient.makeClient({
      ...connection,
      database: "postgres",
      applicationName: "countersign-supervisor",
      connectTimeout: CONNECT_MILLIS
    })
    const found = yield* sql`select 1 from pg_database where datname = ${DATABASE}`
    if (found.length === 0) {
      yield* sql.unsafe(`create database ${DATABASE} template template0 encoding 'UTF8' locale 'C'`)
    }
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

/** Every session that is cut or arrives too early has a FATAL line; those do not describe the server. */
const logServerLine = (line: string): Effect.Effect<void> =>
  /^(FATAL|PANIC):/.test(line) && !/terminating connection|the database system is/.test(line)
    ? Effect.logWarning(`PostgreSQL: ${line}`)
    : Effect.logDebug(`PostgreSQL: ${line}`)

const noteConnection = (connection: EmbeddedConnection): NonNullable<Note["connection"]> =>
  "password" in connection ? { ...connection, password: Redacted.value(connection.password) } : connection

/** Runs everything that needs the lock `held`. */
const serve = Effect.fnUntraced(function*(
  held: HeldDirectory,
  options: EmbeddedOptions
): Effect.fn.Return<EmbeddedPostgres, EmbeddedPostgresError, Scope.Scope> {
  const dataDir = held.path
  const launch = yield* Effect.try({
    try: () => planLaunch(locateBinaries(), { dataDir, ways: options.rootWays, copyDir: options.copyDir }),
    catch: (error) => fileFailure(dataDir, error)
  })
  if (launch.way === "copy") {
    yield* Effect.logWarning(
      `PostgreSQL cannot reach everything here as another user: it runs from ${launch.binaries}, its data is in ${launch.cluster}`
    )
  }
  if (launch.way === "account") {
    yield* Effect.logInfo(
      `PostgreSQL does not run as root: it runs as the user id ${launch.owner?.uid}, which owns ${launch.cluster}`
    )
  }
  if (launch.way === "namespace") {
    yield* Effect.logInfo(
      `PostgreSQL does not run as root: it runs in a separate user namespace, and root owns ${launch.cluster}`
    )
  }
  yield* refuseCopy(launch)
  yield* endOrphan(launch)
  const { password } = yield* prepareCluster(launch, dataDir)

  let listen: Listen
  let connection: EmbeddedConnection
  if (password === undefined) {
    const directory = yield* socketDirectory(launch)
    listen = { directory }
    connection = { path: join(directory, SOCKET_NAME), username: USERNAME, database: DATABASE }
  } else {
    const port = yield* freePort
    listen = { port }
    connection = { host: "127.0.0.1", port, username: USERNAME, database: DATABASE, password: Redacted.make(password) }
  }

  let current: Server | undefined
  let stopping = false
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const begin: Effect.Effect<Server, StartFailure> = Effect.suspend(() =>
    startServer(launch, listen, {
      tether: options.tether,
      tuning: options.tuning,
      log: (line) => void run(logServerLine(line)),
      started: (server) => {
        current = server
      }
    })
  )
  /** Remains of a killed server last for tenths of a second: a start refused for that reason is retried for 30 s. */
  const start = Effect.gen(function*() {
    const begun = yield* Clock.currentTimeMillis
    const inTime = Effect.map(Clock.currentTimeMillis, (now) => now - begun < REMAINS_WAIT_MILLIS)
    return yield* begin.pipe(Effect.retry({
      while: (failure) => failure._tag === "Remains" ? inTime : false,
      schedule: Schedule.spaced(REMAINS_POLL_MILLIS)
    }))
  }).pipe(Effect.mapError((failure) => failure.detail))
  const startServing = Effect.gen(function*() {
    const server = yield* start
    yield* ensureDatabase(connection).pipe(
      Effect.mapError(({ reason }) => {
        const { message } = reason.cause instanceof Error ? reason.cause : reason
        return serverFailure(launch.cluster, `error: ${message}`, "it runs")
      })
    )
    return server
  })

  const stopped = yield* Deferred.make<void>()
  const stop = Effect.suspend(() => {
    if (stopping) return Deferred.await(stopped)
    stopping = true
    return Effect.andThen(current?.stop ?? Effect.void, Deferred.succeed(stopped, undefined))
  }).pipe(Effect.uninterruptible, Effect.asVoid)
  yield* Effect.addFinalizer(() => stop)

  let server = yield* startServing
  const note = { state: "serving", cluster: launch.cluster, connection: noteConnection(connection) } as const
  yield* held.note(note)

  yield* Effect.gen(function*() {
    let backoff = BACKOFF_MIN_MILLIS
    while (true) {
      const began = yield* Clock.currentTimeMillis
      const ending = yield* server.exited
      if (stopping) return
      yield* Effect.logError(`PostgreSQL ended by itself (${ending}); starting it again`)
      if ((yield* Clock.currentTimeMillis) - began > HEALTHY_MILLIS) backoff = BACKOFF_MIN_MILLIS
      while (true) {
        yield* Effect.sleep(backoff)
        backoff = Math.min(backoff * 2, BACKOFF_MAX_MILLIS)
        if (stopping) return
        const again = yield* Effect.result(startServing)
        if (again._tag === "Success") {
          server = again.success
          yield* Effect.logInfo("PostgreSQL serves again")
          break
        }
        yield* Effect.logError(again.failure.detail)
        yield* current?.stop ?? Effect.void
      }
    }
  }).pipe(Effect.forkScoped)

  return {
    connection,
    cluster: launch.cluster,
    pid: Effect.sync(() => (current?.ending() === undefined ? current?.pid : undefined)),
    announceDraining: Effect.ignore(held.note({ ...note, state: "draining" })),
    stop
  }
})

/**
 * Starts the server of `dataDir` and keeps it running until the scope closes. Fails with one line when another hub
 * serves the directory; waits up to 40 s when that one is draining. Close every client before the scope: stopping cuts
 * their connections.
 */
export const startEmbedded = Effect.fn("EmbeddedPostgres.start")(function*(
  options: EmbeddedOptions
): Effect.fn.Return<EmbeddedPostgres, EmbeddedPostgresError, Scope.Scope> {
  const dataDir = yield* ensureDirectory(options.dataDir)
  const held = yield* hold(dataDir, options.purpose ?? "hub")
  return yield* serve(held, options)
})

const fromNote = (
  { path, host, port, username, database, password }: NonNullable<Note["connection"]>
): EmbeddedConnection =>
  path !== undefined
    ? { path, username, database }
    : { host: host ?? "127.0.0.1", port: port ?? 0, username, database, password: Redacted.make(password ?? "") }

/** Cheaper than a session, and enough to distinguish a server from its remains. */
const accepts = (connection: EmbeddedConnection): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const socket = "path" in connection ? connect(connection.path) : connect(connection.port, connection.host)
    const end = (answer: boolean) => {
      socket.destroy()
      resume(Effect.succeed(answer))
    }
    socket.once("connect", () => end(true))
    socket.once("error", () => end(false))
  })

/**
 * For subcommands: the server of the hub that runs on `dataDir`, or, without one, a separate server until the scope
 * closes. `shared` is true for the first. A hub that ends meanwhile stops its server. Waits up to 40 s for another
 * command to end.
 */
export const connectOrStart = Effect.fn("EmbeddedPostgres.connectOrStart")(function*(
  options: EmbeddedOptions
): Effect.fn.Return<EmbeddedPostgres & { readonly shared: boolean }, EmbeddedPostgresError, Scope.Scope> {
  const dataDir = yield* ensureDirectory(options.dataDir)
  const begun = yield* Clock.currentTimeMillis
  while (true) {
    const held = yield* tryHold(dataDir, options.purpose ?? "command")
    if (held !== undefined) return { ...yield* serve(held, options), shared: false }
    const note = readNote(dataDir)
    if (note?.purpose === "hub" && note.connection !== undefined && note.cluster !== undefined) {
      const connection = fromNote(note.connection)
      if (yield* accepts(connection)) {
        const nothing = { pid: Effect.undefined, announceDraining: Effect.void, stop: Effect.void }
        return { connection, cluster: note.cluster, ...nothing, shared: true }
      }
    }
    if ((yield* Clock.currentTimeMillis) - begun > DRAIN_WAIT_MILLIS) {
      return yield* new EmbeddedPostgresError({
        reason: "data_directory_in_use",
        detail: `The data directory ${dataDir} is in use by ${holderName(note)}, whose database does not respond: ` +
          "stop it and try again."
      })
    }
    yield* Effect.sleep("100 millis")
  }
})

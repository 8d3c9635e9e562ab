/**
 * One run of the server program: starts it, waits until it serves, waits for its end, stops it. The supervisor restarts
 * it.
 */
import { Clock, Effect, Option } from "effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { readFileSync, readlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { hubCommand } from "../../invocation.ts"
import { programPath } from "./binaries.ts"
import { EmbeddedPostgresError, fileFailure, serverFailure } from "./errors.ts"
import { environment, type Launch } from "./launch.ts"
import { type Listen, settingArguments, type Tuning } from "./settings.ts"

const POLL_MILLIS = 15
/**
 * A restart may replay up to `max_wal_size`, which takes long on a slow disk; PostgreSQL reports its progress every 10
 * s.
 */
const RECOVERY_MAX_MILLIS = 10 * 60_000
/** With the hub's own 30 s of drain it stays below the 40 s that the next start waits. */
const FAST_STOP_MILLIS = 8_000
const IMMEDIATE_STOP_MILLIS = 5_000
const ORPHAN_STOP_MILLIS = 25_000
const OUTPUT_LINES_MAX = 40
const LAST_WORDS_MILLIS = 200

export interface Server {
  readonly pid: number
  /** Its last output. */
  readonly output: () => string
  /** `undefined` while it runs, otherwise how it ended. */
  readonly ending: () => string | undefined
  readonly exited: Effect.Effect<string>
  /** `fast`, then `immediate`, then by force; returns when it has ended. */
  readonly stop: Effect.Effect<void>
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // it ended by itself meanwhile
  }
}

/**
 * Lines of postmaster.pid: process id, data directory, start, port, socket directory, address, shared memory, status.
 */
const pidFile = (cluster: string): { readonly pid: number; readonly status: string } | undefined => {
  try {
    const lines = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")
    const pid = Number(lines[0])
    return Number.isInteger(pid) && pid > 0 ? { pid, status: lines[7]?.trim() ?? "" } : undefined
  } catch {
    return undefined
  }
}

export type Tether = "pdeathsig" | "pipe"

let pdeathsigWorks: boolean | undefined
const bestTether = (): Tether | undefined => {
  if (process.platform === "win32") return undefined
  pdeathsigWorks ??= process.platform === "linux" &&
    spawnSync("setpriv", ["--pdeathsig", "INT", "--", "true"], { stdio: "ignore" }).status === 0
  return pdeathsigWorks ? "pdeathsig" : "pipe"
}

/**
 * Where the kernel cannot tie the server to this process, a shell waits on a pipe that closes when this process ends in
 * any way. A message through the pipe reports that the server has already ended, so that its process id, which another
 * process may have by now, is not killed.
 */
const watchByPipe = (server: ChildProcess): void => {
  const script = "read -r word; [ -n \"$word\" ] || kill -INT \"$1\" 2>/dev/null"
  const watcher = spawn("/bin/sh", ["-c", script, "sh", String(server.pid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  watcher.on("error", () => {})
  watcher.stdin.on("error", () => {})
  watcher.unref()
  server.once("exit", () => watcher.stdin.end("gone\n"))
}

const stopOnWindows = (launch: Launch, mode: "fast" | "immediate") =>
  spawnSync(programPath(launch.binaries, "pg_ctl"), ["stop", "-D", launch.cluster, "-m", mode, "-W"], {
    stdio: "ignore",
    env: environment
  })

interface ServerOptions {
  readonly tether?: Tether | undefined
  readonly tuning?: Tuning | undefined
  readonly log: (line: string) => void
}

/**
 * In a separate session, so that no signal to the hub's process group or terminal reaches it: it has to outlive the
 * hub's drain.
 */
const spawnServer = (launch: Launch, listen: Listen, { log, tether = bestTether(), tuning }: ServerOptions): Server => {
  const leash = tether === "pdeathsig" ? ["setpriv", "--pdeathsig", "INT", "--"] : []
  const program = programPath(launch.binaries, "postgres")
  const command = [...launch.prefix, ...leash, program, "-D", launch.cluster, ...settingArguments(listen, tuning)]
  const child = spawn(command[0] ?? "", command.slice(1), {
    ...launch.spawnAs,
    cwd: "/",
    env: process.platform === "win32" ? { ...process.env, ...environment } : environment,
    detached: true,
    windowsHide: true,
    stdio: ["ignore", "ignore", "pipe"]
  })
  const lines: Array<string> = []
  const reader = createInterface({ input: child.stderr })
  reader.on("line", (line) => {
    lines.push(line)
    if (lines.length > OUTPUT_LINES_MAX) lines.shift()
    log(line)
  })
  let ending: string | undefined
  const exit = new Promise<string>((resolve) => {
    const end = (how: string) => {
      ending ??= how
      resolve(how)
    }
    child.once("error", (error) => end(error.message))
    child.once("exit", (code, by) => {
      // the pipe may contain its last output; it closes with the server, unless workers of a killed server keep it open
      const how = by === null ? `exit code ${code}` : by
      reader.once("close", () => end(how))
      setTimeout(() => end(how), LAST_WORDS_MILLIS)
    })
  })
  if (tether === "pipe" && child.pid !== undefined) watchByPipe(child)
  const ends = (millis: number) => Effect.map(Effect.timeoutOption(Effect.promise(() => exit), millis), Option.isSome)
  const ask = (mode: "fast" | "immediate") =>
    Effect.sync(() => {
      if (process.platform === "win32") stopOnWindows(launch, mode)
      else child.kill(mode === "fast" ? "SIGINT" : "SIGQUIT")
    })
  return {
    pid: child.pid ?? 0,
    output: () => lines.join("\n"),
    ending: () => ending,
    exited: Effect.promise(() => exit),
    stop: Effect.gen(function*() {
      if (ending !== undefined) return
      yield* ask("fast")
      if (yield* ends(FAST_STOP_MILLIS)) return
      yield* ask("immediate")
      if (yield* ends(IMMEDIATE_STOP_MILLIS)) return
      child.kill("SIGKILL")
      yield* ends(IMMEDIATE_STOP_MILLIS)
    })
  }
}

/** A start that PostgreSQL refuses because remains of an earlier server, perhaps killed a moment ago, still exist. */
const remains = /lock file ".*" already exists|shared memory block .* still in use|Address already in use/

export interface StartFailure {
  readonly _tag: "Remains" | "Failed"
  readonly detail: EmbeddedPostgresError
}

/**
 * Starts the server and waits until it accepts connections, including the replay of the log after a crash. `started`
 * gets the server before that, so that an interrupted start leaves none behind.
 */
export const startServer = Effect.fnUntraced(function*(
  launch: Launch,
  listen: Listen,
  options: ServerOptions & { readonly started: (server: Server) => void }
): Effect.fn.Return<Server, StartFailure> {
  const server = spawnServer(launch, listen, options)
  options.started(server)
  const begun = yield* Clock.currentTimeMillis
  while (true) {
    const ending = server.ending()
    if (ending !== undefined) {
      const detail = serverFailure(launch.cluster, server.output(), ending)
      return yield* Effect.fail({ _tag: remains.test(server.output()) ? "Remains" : "Failed", detail } as const)
    }
    const file = pidFile(launch.cluster)
    if (file !== undefined && (file.pid === server.pid || process.platform === "win32") && file.status === "ready") {
      return server
    }
    if ((yield* Clock.currentTimeMillis) - begun > RECOVERY_MAX_MILLIS) {
      yield* server.stop
      const minutes = RECOVERY_MAX_MILLIS / 60_000
      const detail = new EmbeddedPostgresError({
        reason: "start_failed",
        detail:
          `PostgreSQL was not ready after ${minutes} minutes in ${launch.cluster}: look at the disk, and start again.`
      })
      return yield* Effect.fail({ _tag: "Failed", detail } as const)
    }
    yield* Effect.sleep(POLL_MILLIS)
  }
})

/**
 * Whether a process works in the cluster's directory, as a server does; `undefined` where the system does not report
 * it.
 */
const worksIn = (pid: number, cluster: string): boolean | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster
  } catch {
    return undefined
  }
}

/**
 * After a power cut, or a container's restart, the number in postmaster.pid may belong to another program of the same
 * user, which PostgreSQL must treat as a server. The file stays, because it also leads PostgreSQL to shared memory that
 * workers may still use; only the number becomes this process's own, the parent's, which PostgreSQL never treats as a
 * server.
 */
const correctNumber = (cluster: string): void => {
  const path = join(cluster, "postmaster.pid")
  writeFileSync(path, readFileSync(path, "utf8").replace(/^\d+/, String(process.pid)))
}

/**
 * A directory that was copied while its server ran names that server, which works in the original. The copy is not
 * consistent, because its files were read at different times.
 */
export const refuseCopy = (launch: Launch): Effect.Effect<void, EmbeddedPostgresError> => {
  const file = pidFile(launch.cluster)
  if (file === undefined || !isAlive(file.pid)) return Effect.void
  let original: string
  try {
    original = readlinkSync(`/proc/${file.pid}/cwd`)
  } catch {
    return Effect.void
  }
  if (original === launch.cluster || pidFile(original)?.pid !== file.pid) return Effect.void
  const path = join(launch.cluster, "postmaster.pid")
  return Effect.fail(
    new EmbeddedPostgresError({
      reason: "data_directory_unusable",
      detail: `${path} names the process ${file.pid}, which serves ${original}: this directory was copied while its ` +
        `database ran, and such a copy is damaged. Use ${
          hubCommand("backup")
        } and restore, or stop the hub before you copy.`
    })
  )
}

/**
 * Ends a server that a killed hub left behind, so that this hub's can start. Called under the directory's lock, so no
 * hub uses that server. Where the system does not report a process's directory, PostgreSQL decides.
 */
export const endOrphan = Effect.fnUntraced(function*(launch: Launch): Effect.fn.Return<void, EmbeddedPostgresError> {
  const file = pidFile(launch.cluster)
  if (file === undefined || !isAlive(file.pid)) return
  const ours = process.platform === "linux" ? worksIn(file.pid, launch.cluster) : /^(ready|starting)$/.test(file.status)
  if (ours === false && process.platform === "linux") {
    yield* Effect.try({
      try: () => correctNumber(launch.cluster),
      catch: (error) => fileFailure(launch.cluster, error)
    })
  }
  if (ours !== true) return
  yield* Effect.logWarning(`A PostgreSQL whose hub is gone still runs (process ${file.pid}); ending it`)
  const begun = yield* Clock.currentTimeMillis
  const gone = () => pidFile(launch.cluster)?.pid !== file.pid || !isAlive(file.pid)
  let asked: NodeJS.Signals | undefined
  while (!gone()) {
    const waited = (yield* Clock.currentTimeMillis) - begun
    const next = waited < ORPHAN_STOP_MILLIS ? "SIGINT" : waited < 2 * ORPHAN_STOP_MILLIS ? "SIGQUIT" : "SIGKILL"
    if (asked !== next) {
      if (process.platform === "win32") stopOnWindows(launch, next === "SIGINT" ? "fast" : "immediate")
      else signal(file.pid, next)
    }
    asked = next
    yield* Effect.sleep(POLL_MILLIS)
  }
})

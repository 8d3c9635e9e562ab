/** The cluster's directory: created once, completely or not at all, and never opened by another major version. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { programPath } from "./binaries.ts"
import { DRAFT_PREFIX } from "./data-directory.ts"
import { EmbeddedPostgresError, fileFailure, serverFailure } from "./errors.ts"
import { environment, handOver, type Launch } from "./launch.ts"

/** The server's only role, a superuser; also the name of the hub's database. */
export const USERNAME = "countersign"
export const DATABASE = "countersign"

/** The password on Windows, where a socket cannot be private. */
const PASSWORD_FILE = "postgres.password"

/** Exists while a backup is being unpacked into the data directory. */
export const RESTORE_DRAFT = "restore.new"

export const syncDirectory = (path: string): void => {
  if (process.platform === "win32") return
  const fd = openSync(path, "r")
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** @throws EmbeddedPostgresError when another major version, or another program, wrote the directory. */
export const assertVersion = (launch: Launch): void => {
  const found = readFileSync(join(launch.cluster, "PG_VERSION"), "utf8").trim()
  if (Number(found) === launch.major) return
  throw new EmbeddedPostgresError({
    reason: "version_mismatch",
    detail:
      `The database in ${launch.cluster} was written by PostgreSQL ${found}, but this hub has PostgreSQL ${launch.major}: ` +
      "export it with the hub version that wrote it and import it here, or set DATABASE_URL to a server that holds it."
  })
}

const run = (launch: Launch, name: "initdb", args: ReadonlyArray<string>): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.callback((resume) => {
    const [command = "", ...rest] = [...launch.prefix, programPath(launch.binaries, name), ...args]
    const child = spawn(command, rest, {
      ...launch.spawnAs,
      cwd: "/",
      env: process.platform === "win32" ? { ...process.env, ...environment } : environment,
      detached: true,
      windowsHide: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (output += text))
    }
    const fail = (ending: string) => resume(Effect.fail(serverFailure(launch.cluster, output, ending)))
    child.once("error", (error) => fail(error.message))
    child.once("close", (code, signal) => (code === 0 ? resume(Effect.void) : fail(signal ?? `exit code ${code}`)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Prepares the directory for the server. `password` is given where the server listens on TCP. */
export const prepareCluster = Effect.fnUntraced(function*(
  launch: Launch,
  dataDir: string
): Effect.fn.Return<{ readonly password: string | undefined }, EmbeddedPostgresError> {
  const passwordFile = join(dataDir, PASSWORD_FILE)
  const attempt = <A>(work: () => A) => Effect.try({ try: work, catch: (error) => fileFailure(launch.cluster, error) })
  // a unique name: an initdb that outlived a killed hub may still write to the earlier one
  const draft = join(dirname(launch.cluster), `${DRAFT_PREFIX}${crypto.randomUUID().slice(0, 8)}`)
  const present = yield* attempt(() => {
    if (existsSync(join(dataDir, RESTORE_DRAFT))) {
      throw new EmbeddedPostgresError({
        reason: "data_directory_unusable",
        detail: `A restore into ${dataDir} was interrupted: empty that directory and restore again.`
      })
    }
    // left by an interrupted first start
    for (const name of readdirSync(dirname(launch.cluster)).filter((name) => name.startsWith(DRAFT_PREFIX))) {
      rmSync(join(dirname(launch.cluster), name), { recursive: true, force: true, maxRetries: 5 })
    }
    if (existsSync(join(launch.cluster, "PG_VERSION"))) {
      assertVersion(launch)
      handOver(launch)
      return true
    }
    if (existsSync(launch.cluster) && readdirSync(launch.cluster).length > 0) {
      throw new EmbeddedPostgresError({
        reason: "data_directory_unusable",
        detail:
          `${launch.cluster} contains files that are not a PostgreSQL database: move them, or set HUB_DATA_DIR to another directory.`
      })
    }
    return false
  })
  if (!present) {
    yield* Effect.logInfo(`Creating the database in ${launch.cluster}`)
    yield* attempt(() => {
      mkdirSync(draft, { mode: 0o700 })
      if (launch.owner !== undefined) chownSync(draft, launch.owner.uid, launch.owner.gid)
      if (process.platform === "win32") {
        writeFileSync(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 })
      }
    })
    yield* run(launch, "initdb", [
      "-D",
      draft,
      "-U",
      USERNAME,
      "-E",
      "UTF8",
      "--locale=C",
      "--data-checksums",
      ...(process.platform === "win32"
        ? ["--auth=scram-sha-256", `--pwfile=${passwordFile}`]
        : ["--auth-local=trust", "--auth-host=reject"])
    ]).pipe(Effect.tapError(() => Effect.sync(() => rmSync(draft, { recursive: true, force: true }))))
    yield* attempt(() => {
      renameSync(draft, launch.cluster)
      syncDirectory(dirname(launch.cluster))
    })
  }
  if (process.platform !== "win32") return { password: undefined }
  return { password: yield* attempt(() => readFileSync(passwordFile, "utf8")) }
})

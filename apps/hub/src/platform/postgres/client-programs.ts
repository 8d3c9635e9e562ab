/** PostgreSQL's client programs `pg_dump` and `pg_restore`, which the machine has and no npm package. */
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { accessSync, constants, readdirSync, realpathSync } from "node:fs"
import { basename, delimiter, join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { locateBinaries } from "./binaries.ts"
import { EmbeddedPostgresError } from "./errors.ts"

export type ProgramName = "pg_dump" | "pg_restore"

export interface ClientProgram {
  readonly path: string
  readonly major: number
}

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const embeddedFolder = (): ReadonlyArray<string> => {
  try {
    return [join(locateBinaries().directory, "bin")]
  } catch {
    return []
  }
}

/** The folders of PATH, the embedded server's, and those in which Debian and Red Hat keep several versions. */
const folders = (): ReadonlyArray<string> => [
  ...(process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== ""),
  ...embeddedFolder(),
  ...namesIn("/usr/lib/postgresql").map((version) => join("/usr/lib/postgresql", version, "bin")),
  ...namesIn("/usr").filter((name) => /^pgsql-\d+$/.test(name)).map((name) => join("/usr", name, "bin"))
]

const versionOf = (path: string): number | undefined => {
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8", windowsHide: true })
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(stdout ?? "")?.[1])
  return Number.isInteger(major) ? major : undefined
}

/** All programs of the name, each once. Debian's `pg_wrapper` chooses another version at each call, so it is left out. */
export const clientPrograms = (name: ProgramName): ReadonlyArray<ClientProgram> => {
  const found = new Map<string, ClientProgram>()
  for (const folder of folders()) {
    try {
      const path = realpathSync(join(folder, process.platform === "win32" ? `${name}.exe` : name))
      accessSync(path, constants.X_OK)
      if (found.has(path) || basename(path) === "pg_wrapper") continue
      const major = versionOf(path)
      if (major !== undefined) found.set(path, { path, major })
    } catch {
      // not in this folder
    }
  }
  return [...found.values()]
}

/** The oldest program that fits, which is the nearest to the server. */
export const choose = (
  programs: ReadonlyArray<ClientProgram>,
  fits: (major: number) => boolean
): ClientProgram | undefined =>
  programs.filter(({ major }) => fits(major)).toSorted((left, right) => left.major - right.major)[0]

/** One line for a missing program: which one, the ones that are there, and how to get it. */
export const missingProgram = (
  name: ProgramName,
  versions: string,
  wanted: number,
  programs: ReadonlyArray<ClientProgram>
): EmbeddedPostgresError => {
  const there = programs.map(({ major, path }) => `${major} in ${path}`).join(", ")
  return new EmbeddedPostgresError({
    reason: "binaries_missing",
    detail: `This needs ${name} of PostgreSQL ${versions}, and this machine has ${there === "" ? "none" : there}: ` +
      `install the client programs of PostgreSQL ${wanted} (Debian: postgresql-client-${wanted}), or put them into PATH.`
  })
}

const passedOn: Readonly<Record<string, string>> = {
  options: "PGOPTIONS",
  connect_timeout: "PGCONNECT_TIMEOUT",
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY",
  sslcrl: "PGSSLCRL",
  channel_binding: "PGCHANNELBINDING",
  target_session_attrs: "PGTARGETSESSIONATTRS"
}

/**
 * The address of a `DATABASE_URL` as the environment of a client program: other users of the machine can see its
 * arguments. Read as the driver reads it, with the files of certificates that only these programs use.
 */
export const clientEnvironment = (address: string): Readonly<Record<string, string>> => {
  const url = new URL(address)
  const query = (name: string) => url.searchParams.get(name) ?? undefined
  const decoded = (text: string) => text === "" ? undefined : decodeURIComponent(text)
  const values: Record<string, string | undefined> = {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    APPDATA: process.env["APPDATA"],
    SYSTEMROOT: process.env["SYSTEMROOT"],
    LC_ALL: "C",
    PGAPPNAME: "countersign-backup",
    PGHOST: query("host") ?? decoded(url.hostname.replace(/^\[(.*)\]$/, "$1")) ?? "localhost",
    PGPORT: query("port") ?? decoded(url.port) ?? "5432",
    PGUSER: query("user") ?? decoded(url.username) ?? process.env["USER"] ?? process.env["USERNAME"],
    PGPASSWORD: query("password") ?? decoded(url.password),
    PGDATABASE: query("dbname") ?? decoded(url.pathname.replace(/^\//, "")),
    ...Object.fromEntries(Object.entries(passedOn).map(([name, variable]) => [variable, query(name)]))
  }
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  )
}

/** The first error that the program printed; its last line without one. */
const reasonOf = (output: string, ending: string): string => {
  const line = /(?:error|ERROR|FATAL): +(.+)/.exec(output)?.[1] ?? output.trim().split("\n").at(-1) ?? ""
  return line.trim() === "" ? ending : line.trim()
}

const errorBytesMax = 64 * 1024

/**
 * Runs the program to its end while `use` writes its input or reads its output. Ends it when `use` fails or is
 * interrupted.
 */
export const runClient = <E>(
  { path }: ClientProgram,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  use: (pipes: { readonly input: Writable; readonly output: Readable }) => Promise<void>,
  failed: (error: unknown) => E
): Effect.Effect<void, E> =>
  Effect.tryPromise({
    try: async (signal) => {
      const child = spawn(path, args, { env, signal, stdio: ["pipe", "pipe", "pipe"], windowsHide: true })
      let said = ""
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        if (said.length < errorBytesMax) said += text
      })
      child.stdin.on("error", () => {})
      const ended = new Promise<string | undefined>((resolve) => {
        child.once("error", (error) => resolve(error.message))
        child.once("close", (code, by) =>
          resolve(code === 0 ? undefined : reasonOf(said, by === null ? `exit code ${code}` : by)))
      })
      try {
        await use({ input: child.stdin, output: child.stdout })
      } catch (error) {
        // A program that ended, or is about to, has closed its pipe; how it ended decides.
        const isClosedPipe = ["EPIPE", "ERR_STREAM_DESTROYED"].includes((error as NodeJS.ErrnoException).code ?? "")
        if (!isClosedPipe) {
          child.kill()
          await ended
          throw error
        }
      }
      const problem = await ended
      if (problem !== undefined) {
        throw new Error(problem)
      }
    },
    catch: failed
  })

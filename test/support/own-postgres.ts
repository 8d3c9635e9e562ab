/**
 * A PostgreSQL server of the machine with its client programs, for tests of `pg_dump` and `pg_restore`: the embedded one
 * has neither. Its role for hubs has the rights that the documentation gives it, and no more.
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { chownSync, existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { spawnProgram } from "./hub-program.ts"
import { installCommand, type Missing } from "./requirements.mjs"
import { scratchFolder } from "./scratch.ts"

const versions = "/usr/lib/postgresql"
const nobody = 65_534

/** The programs of the newest version. */
const programs = (): string | undefined => {
  if (!existsSync(versions)) return undefined
  return readdirSync(versions)
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => join(versions, version, "bin"))
    .find((folder) => ["initdb", "postgres", "pg_dump"].every((name) => existsSync(join(folder, name))))
}

export const missingOwnPostgres = (): Missing | undefined =>
  programs() === undefined
    ? { reason: "PostgreSQL is not installed", provide: installCommand(["postgresql"]) }
    : undefined

/** PostgreSQL does not run as root. */
const unprivileged = process.getuid?.() === 0
  ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--"]
  : []

export interface OwnPostgres {
  /** Creates an empty database, and returns its `DATABASE_URL`. */
  readonly create: (database: string) => Effect.Effect<string>
}

export const ownPostgres = Effect.gen(function*() {
  const folder = programs() ?? ""
  const data = yield* Effect.acquireRelease(
    Effect.sync(() => scratchFolder("own-pg-")),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
  )
  if (unprivileged.length > 0) chownSync(data, nobody, nobody)
  const [program = "", ...args] = [...unprivileged, join(folder, "initdb"), "-D", data, "-U", "postgres"]
  const made = spawnSync(program, [...args, "-E", "UTF8", "--locale=C", "--auth=trust"], { cwd: "/", encoding: "utf8" })
  if (made.status !== 0) return yield* Effect.die(new Error(`initdb: ${made.stderr}`))
  const server = yield* spawnProgram(
    [
      ...unprivileged,
      join(folder, "postgres"),
      "-D",
      data,
      ...["listen_addresses=", `unix_socket_directories=${data}`, "port=5432"].flatMap((setting) => ["-c", setting])
    ],
    { LC_ALL: "C" },
    { cwd: "/" }
  )
  // Fast: it does not wait for clients.
  yield* Effect.addFinalizer(() => server.kill("SIGINT"))
  yield* server.line(/ready to accept connections/)
  const asAdmin = (database: string, ...statements: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const target = { path: join(data, ".s.PGSQL.5432"), username: "postgres", database }
      const admin = yield* singleConnection(target, "test")
      for (const statement of statements) yield* admin.unsafe(statement)
    }).pipe(Effect.scoped, Effect.orDie)
  yield* asAdmin("postgres", "create role countersign login")
  return {
    create: (database) =>
      asAdmin("postgres", `create database ${database} encoding 'UTF8'`).pipe(
        Effect.andThen(asAdmin(
          database,
          "grant usage, create on schema public to countersign",
          "create extension pg_trgm",
          "create extension btree_gin",
          "create extension unaccent"
        )),
        Effect.as(`postgres:///${database}?${new URLSearchParams({ host: data, port: "5432", user: "countersign" })}`)
      )
  } satisfies OwnPostgres
})

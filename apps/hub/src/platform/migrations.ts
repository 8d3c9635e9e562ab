/**
 * Migrations: `resources/migrations/NNNN_name.sql`, run in order, under a lock for one hub at a time: those between two
 * online ones in one transaction, and `NNNN_name.online.sql` outside of one. A migration with the statement
 * `\include ../functions` applies the files of `resources/functions`, whose `README.md` has the rules.
 * `contract-migrations.ts` runs those that remove something.
 */
import { apiVersion } from "@countersign/domain/discovery"
import { Effect, Layer, Schedule, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Database, singleConnection, sqlStateOf } from "./db.ts"
import { unhurried } from "./pool.ts"

export const migrationsFolder = new URL("../../../../resources/migrations/", import.meta.url)
const functionsDirectory = new URL("../../../../resources/functions/", import.meta.url)

/** The statement of a migration that creates or replaces every function of `resources/functions`. */
const includeFunctions = "\\include ../functions"

/** Statements are separated by `;` and an empty line, outside of dollar quotes. */
export const splitStatements = (text: string): ReadonlyArray<string> => {
  const statements: Array<string> = []
  let open = ""
  for (const part of text.split(/;\r?\n\s*\n/)) {
    open = open === "" ? part : `${open};\n\n${part}`
    if ((open.match(/\$\$/g)?.length ?? 0) % 2 === 1) continue
    if (open.replace(/--.*$/gm, "").trim() !== "") statements.push(open)
    open = ""
  }
  return statements
}

/** The definitions of all functions, in the order of their paths. */
export const functionDefinitions = (): ReadonlyArray<{ readonly file: string; readonly text: string }> =>
  readdirSync(functionsDirectory, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => ({ file, text: readFileSync(new URL(join(".", file), functionsDirectory), "utf8") }))

const onlineEnding = ".online.sql"
const migrationFiles = (folder: URL) =>
  readdirSync(folder).filter((name) => /^\d{4}_\w+(?:\.online)?\.sql$/.test(name)).sort()

/** The number of this hub's last migration. */
export const newestMigration = (folder: URL = migrationsFolder): number =>
  Number(migrationFiles(folder).at(-1)?.slice(0, 4) ?? 0)

/** The number of the database's last migration; 0 before the first start of a hub. */
export const standingMigration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ found: boolean }>`select to_regclass('migrations') is not null as found`
  if (table?.found !== true) return 0
  const [row] = yield* sql<{ at: number }>`select coalesce(max(migration_id), 0)::int as at from migrations`
  return row?.at ?? 0
})

interface Migration {
  readonly id: number
  readonly name: string
  readonly isOnline: boolean
  /** Read when it runs: a start without pending migrations reads only the names of the files. */
  readonly statements: () => ReadonlyArray<string>
}

export const statementsOf = (text: string): ReadonlyArray<string> =>
  splitStatements(text).flatMap((statement) =>
    statement.trim().replace(/;$/, "") === includeFunctions
      ? functionDefinitions().flatMap(({ text }) => splitStatements(text))
      : [statement]
  )

const readMigrations = (folder: URL): ReadonlyArray<Migration> =>
  migrationFiles(folder).map((file) => {
    const isOnline = file.endsWith(onlineEnding)
    return {
      id: Number(file.slice(0, 4)),
      name: file.slice("NNNN_".length, isOnline ? -onlineEnding.length : -".sql".length),
      isOnline,
      statements: () => statementsOf(readFileSync(new URL(file, folder), "utf8"))
    }
  })

/** The database belongs to a newer hub, which may decide about money in ways that this one does not know. */
export class NewerDatabase extends Schema.TaggedError<NewerDatabase>()("NewerDatabase", { message: Schema.String }) {}

const numbersOf = (version: string): ReadonlyArray<number> => version.split(".").map(Number)

const isVersion = (text: string): boolean => /^\d+\.\d+\.\d+$/.test(text)

/** Whether a version is at least another one. */
const isAtLeast = (version: string, least: string): boolean => {
  const [own, wanted] = [numbersOf(version), numbersOf(least)]
  const at = own.findIndex((number, index) => number !== wanted[index])
  return at < 0 || own[at]! > wanted[at]!
}

/** Whether a database at a newer migration allows hubs of this version. */
export const allowsVersion = (minVersion: string | null, version: string = apiVersion): boolean =>
  minVersion !== null && isVersion(minVersion) && isAtLeast(version, minVersion)

export interface Requirements {
  readonly migration: number
  /** Of `hub`: the oldest hub that works with migrations that it does not know. */
  readonly minVersion: string | null
  /** The oldest hub that works without what contract migrations removed. */
  readonly contractVersion: string | null
}

/** Why a hub of this version must not use a database; `undefined` if it may. */
export const newerDatabaseProblem = (
  { contractVersion, migration, minVersion }: Requirements,
  newest: number = newestMigration()
): string | undefined => {
  if (contractVersion !== null && !allowsVersion(contractVersion)) {
    return `the database works with hubs from ${contractVersion} on, and this hub is ${apiVersion}`
  }
  return migration <= newest || allowsVersion(minVersion)
    ? undefined
    : `the database is at migration ${migration}, and this hub ${apiVersion} supports migrations up to ${newest}`
}

/** The version that contract migrations require; null without one. */
const contractVersionOf = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ found: boolean }>`select to_regclass('contract_migrations') is not null as found`
  if (table?.found !== true) return null
  const [row] = yield* sql<{ least: string | null }>`
    select array_to_string(max(string_to_array(min_version, '.')::int[]), '.') as least from contract_migrations`
  return row?.least ?? null
})

/** Fails if the database is newer than this hub and does not allow its version. Spec: reference/operation.md "Versions". */
export const refuseNewerDatabase = Effect.fnUntraced(function*(newest: number = newestMigration()) {
  const sql = yield* SqlClient.SqlClient
  const migration = yield* standingMigration
  if (migration === 0) return
  const contractVersion = yield* contractVersionOf
  const [hub] = migration <= newest
    ? []
    : yield* sql<{ least: string | null }>`select to_jsonb(hub)->>'min_version' as least from hub`
  const problem = newerDatabaseProblem({ migration, minVersion: hub?.least ?? null, contractVersion }, newest)
  if (problem === undefined) return
  return yield* new NewerDatabase({
    message:
      `This hub is too old: ${problem}. Start the newer version again, or restore a backup from before its upgrade`
  })
})

/** A statement of a migration that gets no lock in this time fails, and lets the statements of other hubs go on. */
const lockTimeout = "3s"
const lockTries = 20
const lockPauseMillis = 500
/** 55P03: the lock was not available in time. */
const isLockTimeout = ({ cause }: { readonly cause?: unknown }): boolean => sqlStateOf(cause) === "55P03"

/** Runs those that the database lacks, all in one transaction. */
const runTogether = (migrations: ReadonlyArray<Migration>) => {
  const record = Object.fromEntries(
    migrations.map(({ id, name, statements }) => [
      `${String(id).padStart(4, "0")}_${name}`,
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe(`set local lock_timeout = '${lockTimeout}'`)
        for (const statement of statements()) yield* sql.unsafe(statement)
      })
    ])
  )
  return Migrator.make({})({ loader: Migrator.fromRecord(record), table: "migrations" }).pipe(
    Effect.retry({ while: isLockTimeout, schedule: Schedule.spaced(lockPauseMillis), times: lockTries })
  )
}

/** The keys of the lock for online migrations. */
const onlineLock = [4781, 1] as const

/**
 * Runs one outside of a transaction, on its own connection and without a time limit, because it may build an index for an
 * hour. After a failure the next start runs all of its statements again.
 */
const runOnline = ({ id, name, statements }: Migration) =>
  Effect.gen(function*() {
    if ((yield* standingMigration) >= id) return []
    const { target } = yield* Database
    const sql = yield* singleConnection(target, "countersign-migration", { statement_timeout: "0" })
    // Asked again and again: a waiting session would keep an old snapshot and delay an index build.
    yield* sql<{ got: boolean }>`select pg_try_advisory_lock(${onlineLock[0]}, ${onlineLock[1]}) as got`.pipe(
      Effect.repeat({ until: ([row]) => row?.got === true, schedule: Schedule.spaced("200 millis") })
    )
    const [done] = yield* sql`select 1 from migrations where migration_id >= ${id}`
    if (done !== undefined) return []
    for (const statement of statements()) yield* sql.unsafe(statement)
    yield* sql`insert into migrations (migration_id, name) values (${id}, ${name})`
    return [[id, name]] as const
  }).pipe(
    Effect.scoped,
    Effect.mapError((cause) =>
      new Migrator.MigrationError({ kind: "Failed", cause, message: `Migration "${id}_${name}" failed` })
    )
  )

/** Brings the database to the version of the folder; the names of the migrations that ran. */
export const migrateFrom = Effect.fnUntraced(function*(folder: URL) {
  const migrations = readMigrations(folder)
  const newest = migrations.at(-1)?.id ?? 0
  yield* refuseNewerDatabase(newest)
  const sql = yield* SqlClient.SqlClient
  const standing = yield* standingMigration
  if (standing < newest) {
    const [column] = yield* sql`select 1 from information_schema.columns
      where table_schema = current_schema() and table_name = 'hub' and column_name = 'min_version'`
    if (column !== undefined) yield* sql`update hub set min_version = null where min_version is not null`
  }
  const ran: Array<readonly [id: number, name: string]> = []
  let together: Array<Migration> = []
  for (const migration of migrations) {
    if (!migration.isOnline) together.push(migration)
    else if (migration.id > standing) {
      ran.push(...yield* runTogether(together), ...yield* runOnline(migration))
      together = []
    }
  }
  ran.push(...yield* runTogether(together))
  return ran
})

/** Brings the database to this version; the names of the migrations that ran. */
export const migrate = Effect.suspend(() => migrateFrom(migrationsFolder))

export const migrationsLayer = Layer.effectDiscard(unhurried(migrate))

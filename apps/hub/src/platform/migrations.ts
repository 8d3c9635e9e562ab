/**
 * Migrations: `resources/migrations/NNNN_name.sql`, run in order, in one transaction, under a lock for one hub at a
 * time. A migration with the statement `\include ../functions` applies the files of `resources/functions`, whose
 * `README.md` has the rules.
 */
import { apiVersion } from "@countersign/domain/discovery"
import { Effect, Layer, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { unhurried } from "./pool.ts"

const directory = new URL("../../../../resources/migrations/", import.meta.url)
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

const migrationFiles = () => readdirSync(directory).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort()

/** The number of this hub's last migration. */
export const newestMigration = (): number => Number(migrationFiles().at(-1)?.slice(0, 4) ?? 0)

/** The number of the database's last migration; 0 before the first start of a hub. */
export const standingMigration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ found: boolean }>`select to_regclass('migrations') is not null as found`
  if (table?.found !== true) return 0
  const [row] = yield* sql<{ at: number }>`select coalesce(max(migration_id), 0)::int as at from migrations`
  return row?.at ?? 0
})

const load = Effect.sync(() => {
  const record: Record<string, Effect.Effect<void, unknown, SqlClient.SqlClient>> = {}
  for (const file of migrationFiles()) {
    const statements = splitStatements(readFileSync(new URL(file, directory), "utf8")).flatMap((statement) =>
      statement.trim().replace(/;$/, "") === includeFunctions
        ? functionDefinitions().flatMap(({ text }) => splitStatements(text))
        : [statement]
    )
    record[file.replace(/\.sql$/, "")] = Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      for (const statement of statements) yield* sql.unsafe(statement)
    })
  }
  return record
})

/** The database belongs to a newer hub, which may decide about money in ways that this one does not know. */
export class NewerDatabase extends Schema.TaggedError<NewerDatabase>()("NewerDatabase", { message: Schema.String }) {}

const numbersOf = (version: string): ReadonlyArray<number> => version.split(".").map(Number)

/** Whether a database at a newer migration allows hubs of this version. */
export const allowsVersion = (minVersion: string | null, version: string = apiVersion): boolean => {
  if (minVersion === null || !/^\d+\.\d+\.\d+$/.test(minVersion)) return false
  const [own, least] = [numbersOf(version), numbersOf(minVersion)]
  const at = own.findIndex((number, index) => number !== least[index])
  return at < 0 || own[at]! > least[at]!
}

/** Why a hub of this version must not use a database at this migration; `undefined` if it may. */
export const newerDatabaseProblem = (migration: number, minVersion: string | null): string | undefined =>
  migration <= newestMigration() || allowsVersion(minVersion)
    ? undefined
    : `the database is at migration ${migration}, and this hub ${apiVersion} supports migrations up to ${newestMigration()}`

/** Fails if the database is newer than this hub and does not allow its version. Spec: reference/operation.md "Versions". */
export const refuseNewerDatabase = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const migration = yield* standingMigration
  if (migration <= newestMigration()) return
  const [hub] = yield* sql<{ least: string | null }>`select to_jsonb(hub)->>'min_version' as least from hub`
  const problem = newerDatabaseProblem(migration, hub?.least ?? null)
  if (problem === undefined) return
  return yield* new NewerDatabase({
    message:
      `This hub is too old: ${problem}. Start the newer version again, or restore a backup from before its upgrade`
  })
})

/** Brings the database to this version; the names of the migrations that ran. */
export const migrate = Effect.gen(function*() {
  yield* refuseNewerDatabase
  const sql = yield* SqlClient.SqlClient
  if ((yield* standingMigration) < newestMigration()) {
    const [column] = yield* sql`select 1 from information_schema.columns
      where table_schema = current_schema() and table_name = 'hub' and column_name = 'min_version'`
    if (column !== undefined) yield* sql`update hub set min_version = null where min_version is not null`
  }
  return yield* Migrator.make({})({ loader: Migrator.fromRecord(yield* load), table: "migrations" })
})

export const migrationsLayer = Layer.effectDiscard(unhurried(migrate))

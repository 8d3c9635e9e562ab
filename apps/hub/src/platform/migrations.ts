/**
 * Migrations: `resources/migrations/NNNN_name.sql`, run in order, in one transaction, under a lock for one hub at a
 * time. A migration with the statement `\include ../functions` applies the files of `resources/functions`, whose
 * `README.md` has the rules.
 */
import { Effect, Layer } from "effect"
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

/** The names of the migrations that ran. */
export const migrate = Effect.flatMap(
  load,
  (record) => Migrator.make({})({ loader: Migrator.fromRecord(record), table: "migrations" })
)

export const migrationsLayer = Layer.effectDiscard(unhurried(migrate))

/**
 * Migrations that remove something which older hubs use: `resources/migrations/contract/NNNN_name.sql`, in a separate
 * sequence of numbers. The first line is `-- min_version 0.3.0`, the oldest hub that works without it. Each waits until no older
 * hub is alive, while the hubs serve. Spec: reference/operation.md "Versions".
 */
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { migrationsFolder, statementsOf } from "./migrations.ts"

export const contractFolder = new URL("contract/", migrationsFolder)
const pauseMillis = 15_000

interface ContractMigration {
  readonly id: number
  readonly name: string
  readonly minVersion: string
  readonly statements: ReadonlyArray<string>
}

/** @throws Error when a file does not begin with its version */
const readContracts = (folder: URL): ReadonlyArray<ContractMigration> =>
  !existsSync(folder) ? [] : readdirSync(folder).filter((file) => /^\d{4}_\w+\.sql$/.test(file)).sort().map((file) => {
    const text = readFileSync(new URL(file, folder), "utf8")
    const [, minVersion] = /^-- min_version (\d+\.\d+\.\d+)\r?\n/.exec(text) ?? []
    if (minVersion === undefined) throw new Error(`${file} does not begin with "-- min_version" and a version`)
    return {
      id: Number(file.slice(0, 4)),
      name: file.slice(5, -".sql".length),
      minVersion,
      statements: statementsOf(text)
    }
  })

export interface Contracted {
  readonly ran: ReadonlyArray<string>
  /** The next one, and the versions of the hubs that it waits for; null: of a hub that does not report one. */
  readonly waits?: { readonly name: string; readonly versions: ReadonlyArray<string | null> }
}

/** Runs the pending ones in order, until one has to wait for an older hub. */
export const contract = Effect.fnUntraced(function*(folder: URL = contractFolder) {
  const contracts = readContracts(folder)
  const ran: Array<string> = []
  if (contracts.length === 0) return { ran } satisfies Contracted
  const sql = yield* SqlClient.SqlClient
  for (const { id, minVersion, name, statements } of contracts) {
    const versions = yield* sql.withTransaction(Effect.gen(function*() {
      yield* sql.unsafe("set local lock_timeout = '3s'")
      // No hub registers meanwhile: an older one that is starting sees the row below, and ends.
      yield* sql`lock table owners in share row exclusive mode`
      const [done] = yield* sql`select 1 from contract_migrations where migration_id = ${id}`
      if (done !== undefined) return undefined
      const older = yield* sql<{ version: string | null }>`select distinct version from owners
        where not ended and (version is null
          or string_to_array(version, '.')::int[] < string_to_array(${minVersion}::text, '.')::int[])`
      if (older.length > 0) return older.map(({ version }) => version)
      for (const statement of statements) yield* sql.unsafe(statement)
      yield* sql`insert into contract_migrations (migration_id, name, min_version) values (${id}, ${name}, ${minVersion})`
      yield* sql`update hub set min_version = ${minVersion}
        where string_to_array(min_version, '.')::int[] < string_to_array(${minVersion}::text, '.')::int[]`
      return []
    }))
    if (versions === undefined) continue
    if (versions.length > 0) return { ran, waits: { name, versions } } satisfies Contracted
    ran.push(name)
  }
  return { ran } satisfies Contracted
})

/** For a serving hub: tries until none is pending. A failure is logged, and the hub continues to serve. */
export const contractsLayer = Layer.effectDiscard(
  Effect.suspend(() => contract()).pipe(
    Effect.map(({ waits }) => waits === undefined),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("a contract migration failed and will be repeated", cause), false)
    ),
    Effect.repeat({ until: (isOver) => isOver, schedule: Schedule.spaced(pauseMillis) }),
    Effect.forkScoped
  )
)

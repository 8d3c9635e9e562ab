/**
 * The PostgreSQL of this hub: the embedded one by default, otherwise the server of `DATABASE_URL`, refused when it
 * cannot meet our guarantees.
 */
import { Effect, Layer, Option } from "effect"
import { SettingError, Settings } from "../config.ts"
import { Database, type DatabaseTarget, singleConnection } from "./db.ts"
import { connectOrStart, startEmbedded } from "./postgres/embedded.ts"

const versionMin = 150_000

/** Error codes of the system, and of a server that starts, stops, or has no connection left. */
const mayPass = (code: unknown): boolean => /^(?:E|08|53|57)/.test(String(code ?? ""))

/**
 * Fails if the server cannot meet our guarantees. A session lock must outlive two transactions on one connection: behind
 * a transaction pooler it does not, and two hubs could own the same holds.
 */
export const checkServer = Effect.fnUntraced(function*(target: DatabaseTarget) {
  const refuse = (problem: string) => new SettingError("DATABASE_URL", problem)
  const sql = yield* singleConnection(target, "countersign-check").pipe(
    Effect.catch((error) => {
      const { cause } = error.reason as { readonly cause?: { readonly message?: string; readonly code?: unknown } }
      const problem = `cannot be reached: ${String(cause?.message ?? error.reason._tag)}`
      return Effect.fail(new SettingError("DATABASE_URL", problem, { mayPass: mayPass(cause?.code) }))
    })
  )
  const answer = <A>(work: Effect.Effect<A, unknown>) =>
    Effect.mapError(work, () => refuse("does not respond like a PostgreSQL server"))
  const [server] = yield* answer(
    sql<
      { version: number; fsync: string; recovering: boolean }
    >`select current_setting('server_version_num')::int as version,
      current_setting('fsync') as fsync, pg_is_in_recovery() as recovering`
  )
  if (server === undefined || server.version < versionMin) {
    return yield* Effect.fail(
      refuse(`names PostgreSQL ${Math.floor((server?.version ?? 0) / 10_000)}; it must be 15 or later`)
    )
  }
  if (server.recovering) return yield* Effect.fail(refuse("names a standby; it must be the primary"))
  if (server.fsync !== "on") {
    return yield* Effect.fail(refuse("names a server with fsync off: a crash there could lose money. Turn it on"))
  }
  const [rights] = yield* answer(sql<{ role: string; schema: string | null; create: boolean }>`
    select current_user as role, current_schema() as schema,
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as create`)
  if (rights?.create !== true) {
    const { role, schema } = { role: rights?.role ?? "", schema: rights?.schema ?? "public" }
    return yield* Effect.fail(
      refuse(
        `names the role ${role}, which needs CREATE on schema ${schema}: ` +
          `grant usage, create on schema ${schema} to "${role}"`
      )
    )
  }
  const key = Math.floor(Math.random() * 0x7fffffff)
  const session = yield* answer(sql<{ pid: number }>`select pg_backend_pid() as pid, pg_advisory_lock(4779, ${key})`)
  for (let look = 0; look < 2; look++) {
    const [held] = yield* answer(sql<{ pid: number; held: boolean }>`
      select pg_backend_pid() as pid, exists (
        select 1 from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
          and classid = 4779 and objid = ${key}::oid and granted) as held`)
    if (held?.held !== true || held.pid !== session[0]?.pid) {
      return yield* Effect.fail(
        refuse(
          "is behind a transaction pooler: a session lock ended with its transaction. " +
            "Use the address of the server, or of a session pooler"
        )
      )
    }
  }
  yield* answer(sql`select pg_advisory_unlock(4779, ${key})`)
}, Effect.scoped)

/** For a serving hub: it owns the embedded server. */
export const databaseLayer = Layer.effect(
  Database,
  Effect.gen(function*() {
    const settings = yield* Settings
    if (Option.isSome(settings.databaseUrl)) {
      const target = { url: settings.databaseUrl.value }
      yield* checkServer(target)
      return Database.of({ target, embedded: false, announceDraining: Effect.void })
    }
    const server = yield* startEmbedded({
      dataDir: settings.dataDir,
      tuning: { memoryMib: settings.postgresMemoryMib }
    })
    return Database.of({ target: server.connection, embedded: true, announceDraining: server.announceDraining })
  })
)

/** For a command beside it: the running hub's server, otherwise a separate one until the command ends. */
export const commandDatabaseLayer = Layer.effect(
  Database,
  Effect.gen(function*() {
    const settings = yield* Settings
    if (Option.isSome(settings.databaseUrl)) {
      return Database.of({
        target: { url: settings.databaseUrl.value },
        embedded: false,
        announceDraining: Effect.void
      })
    }
    const server = yield* connectOrStart({
      dataDir: settings.dataDir,
      tuning: { memoryMib: settings.postgresMemoryMib }
    })
    return Database.of({ target: server.connection, embedded: true, announceDraining: Effect.void })
  })
)

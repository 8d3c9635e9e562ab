/**
 * One embedded PostgreSQL for the whole run, or the server at `TEST_PG_SOCKET` if it is set (user `TEST_PG_USER`,
 * default `postgres`). The template is a migrated database with its partitions, which take a hub two thirds of the
 * statements of its first start; each test database is a copy of it.
 */
import { Database, Db, singleConnection } from "@countersign/hub/platform/db"
import { migrate } from "@countersign/hub/platform/migrations"
import { Partitions } from "@countersign/hub/platform/partitions"
import { poolLayer } from "@countersign/hub/platform/pool"
import { startEmbedded } from "@countersign/hub/platform/postgres/embedded"
import { Effect, Exit, Layer, Logger, Redacted, Scope } from "effect"
import { rmSync } from "node:fs"
import { targetOf } from "./pg.ts"
import { scratchFolder } from "./scratch.ts"

/**
 * A plan for the values of each call took a third of the server's time, and no database of a test is large enough to
 * need it. What defines "committed" stays, because hubs check it.
 */
const settings = {
  wal_compression: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  autovacuum: "off",
  plan_cache_mode: "force_generic_plan"
}

const serve = Effect.gen(function*() {
  const dataDir = yield* Effect.acquireRelease(
    Effect.sync(() => scratchFolder("cs-test-pg-")),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  )
  // The hubs of all workers share it.
  const { connection } = yield* startEmbedded({ dataDir, tuning: { connections: 300, settings } })
  process.env["TEST_PG_ENDS"] = "with the run"
  process.env["TEST_PG_USER"] = connection.username
  if ("path" in connection) process.env["TEST_PG_SOCKET"] = connection.path
  else {
    process.env["TEST_PG_PORT"] = String(connection.port)
    process.env["TEST_PG_PASSWORD"] = Redacted.value(connection.password)
  }
})

const asAdmin = (statement: string) =>
  Effect.scoped(Effect.flatMap(singleConnection(targetOf("postgres"), "test"), (admin) => admin.unsafe(statement)))

const template = Effect.acquireRelease(
  Effect.gen(function*() {
    const name = `t_template_${process.pid}_${Math.random().toString(36).slice(2, 8)}`
    yield* asAdmin(`create database ${name}`)
    yield* Effect.scoped(Layer.build(
      Partitions.layer.pipe(
        Layer.provide(Layer.effectDiscard(migrate)),
        Layer.provide(Db.layer),
        Layer.provide(poolLayer),
        Layer.provide(
          Layer.succeed(Database, { target: targetOf(name), embedded: false, announceDraining: Effect.void })
        )
      )
    ))
    process.env["TEST_PG_TEMPLATE"] = name
    return name
  }),
  (name) => Effect.ignore(asAdmin(`drop database if exists ${name} with (force)`))
)

export default async (): Promise<() => Promise<void>> => {
  const scope = await Effect.runPromise(Scope.make())
  const started = (process.env["TEST_PG_SOCKET"] === undefined ? Effect.andThen(serve, template) : template).pipe(
    Scope.provide(scope),
    Effect.provide(Logger.layer([]))
  )
  const end = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    await Effect.runPromise(Effect.asVoid(started))
  } catch (error) {
    await end()
    throw error
  }
  return end
}

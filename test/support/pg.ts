/**
 * A real PostgreSQL for tests: one embedded server for the whole run (`global-setup.ts`), a separate database for each
 * test file. This module makes the layers; the setup puts the server's address into the environment.
 */
import type { DatabaseTarget } from "@countersign/hub/platform/db"
import { Database, Db, singleConnection } from "@countersign/hub/platform/db"
import { migrate } from "@countersign/hub/platform/migrations"
import { poolLayer, PoolSize } from "@countersign/hub/platform/pool"
import { Effect, Layer, Redacted } from "effect"
import { dirname, extname } from "node:path"

const env = (name: string) => process.env[`TEST_PG_${name}`]

export const targetOf = (database: string): DatabaseTarget & { readonly database: string } => {
  const path = env("SOCKET")
  const username = env("USER") ?? "postgres"
  if (path !== undefined) return { path, username, database }
  const port = env("PORT")
  if (port === undefined) {
    throw new Error("no PostgreSQL for tests: run them by vitest at the project's root, whose set-up starts one")
  }
  return { host: "127.0.0.1", port: Number(port), username, password: Redacted.make(env("PASSWORD") ?? ""), database }
}

/** The same as a `DATABASE_URL`, for hubs in separate processes. */
export const urlOf = (database: string): string => {
  const { username } = targetOf(database) as { readonly username: string }
  const path = env("SOCKET")
  if (path === undefined) return `postgres://${username}:${env("PASSWORD")}@127.0.0.1:${env("PORT")}/${database}`
  const query = new URLSearchParams({ host: dirname(path), port: extname(path).slice(1), user: username })
  return `postgres:///${database}?${query}`
}

let made = 0
let dropping: Promise<void> = Promise.resolve()

const drop = (database: string) =>
  Effect.gen(function*() {
    const admin = yield* singleConnection(targetOf("postgres"), "test")
    yield* admin.unsafe(`drop database if exists ${database} with (force)`)
  }).pipe(Effect.scoped, Effect.ignore)

/**
 * A drop waits for a checkpoint. If the cluster ends with the run, no test waits for it: databases are dropped one at a
 * time in the background.
 */
const release = (database: string): Effect.Effect<void> =>
  env("ENDS") === undefined
    ? drop(database)
    : Effect.sync(() => void (dropping = dropping.then(() => Effect.runPromise(drop(database)))))

/** A fresh, migrated database that is dropped with the scope. */
export const freshDatabase = Effect.acquireRelease(
  Effect.gen(function*() {
    const name = `t_${process.pid}_${++made}_${Math.random().toString(36).slice(2, 8)}`
    const admin = yield* singleConnection(targetOf("postgres"), "test")
    const template = env("TEMPLATE")
    yield* admin.unsafe(
      `create database ${name}${template === undefined ? "" : ` template ${template} strategy file_copy`}`
    )
    return targetOf(name)
  }).pipe(Effect.scoped, Effect.orDie),
  ({ database }) => release(database)
)

/** Of each pool in tests: a connection plans every statement for itself, and few tests use more at once. */
export const connectionsInTests = Layer.succeed(PoolSize, 5)

/** SqlClient, PgClient, Db and Database over a fresh, migrated database. */
export const PgTest = Layer.unwrap(
  Effect.map(freshDatabase, (target) =>
    Layer.effectDiscard(Effect.orDie(migrate)).pipe(
      Layer.provideMerge(Db.layer),
      Layer.provideMerge(poolLayer),
      Layer.provide(connectionsInTests),
      Layer.provideMerge(Layer.succeed(Database, { target, embedded: false, announceDraining: Effect.void })),
      Layer.orDie
    ))
)

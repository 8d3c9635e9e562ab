/**
 * A real PostgreSQL for tests: one embedded server for the whole run (`globalSetup`), a database of its own for each test file. `pg.ts`
 * makes the layers; the server's socket comes from the environment that the set-up fills.
 */
import type { DatabaseTarget } from "@countersign/hub/platform/db"
import { Database, Db, poolLayer, singleConnection } from "@countersign/hub/platform/db"
import { migrate } from "@countersign/hub/platform/migrations"
import { Effect, Layer } from "effect"

const socket = (): string => {
  const path = process.env["TEST_PG_SOCKET"]
  if (path === undefined) throw new Error("TEST_PG_SOCKET is not set: run the tests by npm test, whose set-up starts the server")
  return path
}

export const targetOf = (database: string): DatabaseTarget => ({ path: socket(), username: "postgres", database })

let made = 0

/** A fresh, migrated database that is dropped with the scope. */
export const freshDatabase = Effect.acquireRelease(
  Effect.gen(function*() {
    const name = `t_${process.pid}_${++made}_${Math.random().toString(36).slice(2, 8)}`
    const admin = yield* singleConnection(targetOf("postgres"), "test")
    yield* admin.unsafe(`create database ${name}`)
    return targetOf(name)
  }).pipe(Effect.scoped, Effect.orDie),
  (target) =>
    Effect.gen(function*() {
      const admin = yield* singleConnection(targetOf("postgres"), "test")
      yield* admin.unsafe(`drop database if exists ${(target as { database: string }).database} with (force)`)
    }).pipe(Effect.scoped, Effect.ignore)
)

/** SqlClient, PgClient, Db and Database over a fresh, migrated database. */
export const PgTest = Layer.unwrap(Effect.map(freshDatabase, (target) =>
  Layer.effectDiscard(Effect.orDie(migrate)).pipe(
    Layer.provideMerge(Db.layer),
    Layer.provideMerge(poolLayer),
    Layer.provideMerge(Layer.succeed(Database, { target, embedded: false, announceDraining: Effect.void })),
    Layer.orDie
  )))

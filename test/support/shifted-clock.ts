/**
 * A PostgreSQL clock that tests can set for one database: `clock_timestamp()` and `now()` in its `public` schema
 * precede the built-in ones in its search path, so that every statement and function of the hub reads the shifted time.
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { freshDatabase, targetOf } from "./pg.ts"

export interface ShiftedClock {
  readonly database: ReturnType<typeof targetOf>
  /** Sets how far the clock is ahead; behind if negative. */
  readonly shift: (millis: number) => Effect.Effect<void>
  /** Shifts the clock of this process too, as on a machine that runs both hub and database. */
  readonly shiftMachine: (millis: number) => Effect.Effect<void>
  readonly sql: SqlClient.SqlClient
}

/** A fresh, migrated database with a separate clock, dropped with the scope. */
export const shiftedClock: Effect.Effect<ShiftedClock, never, Scope.Scope> = Effect.gen(function*() {
  const database = yield* freshDatabase
  const sql = yield* singleConnection(database, "test-clock")
  yield* sql.unsafe(`create table test_clock (ahead interval not null)`)
  yield* sql.unsafe(`insert into test_clock values (interval '0')`)
  yield* sql.unsafe(`create function public.clock_timestamp() returns timestamptz language plpgsql stable as
    $$ begin return pg_catalog.clock_timestamp() + (select ahead from public.test_clock); end $$`)
  yield* sql.unsafe(`create function public.now() returns timestamptz language plpgsql stable as
    $$ begin return pg_catalog.now() + (select ahead from public.test_clock); end $$`)
  yield* sql.unsafe(`alter database ${database.database} set search_path = public, pg_catalog`)
  const shift = (millis: number) =>
    Effect.orDie(Effect.asVoid(sql`update test_clock set ahead = ${millis}::float8 * interval '1 millisecond'`))
  const realNow = Date.now
  yield* Effect.addFinalizer(() => Effect.sync(() => void (Date.now = realNow)))
  return {
    database,
    sql,
    shift,
    shiftMachine: (millis: number) =>
      Effect.andThen(
        Effect.sync(() => void (Date.now = () => realNow() + millis)),
        shift(millis)
      )
  }
}).pipe(Effect.orDie)

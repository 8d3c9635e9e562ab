import { apiVersion } from "@countersign/domain/discovery"
import { contract } from "@countersign/hub/platform/contract-migrations"
import { allowsVersion, migrate, migrateFrom, newestMigration } from "@countersign/hub/platform/migrations"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { inDatabase } from "../../support/health.ts"
import { HubTest, startHub, TestHub } from "../../support/hub.ts"
import { freshDatabase } from "../../support/pg.ts"
import { scratchFolder } from "../../support/scratch.ts"

/** A folder of migrations. */
const folderOf = (files: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = scratchFolder("migrations-")
      for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
      return { path, url: pathToFileURL(`${path}/`) }
    }),
    ({ path }) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
const query = <A extends object>(statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.orDie(sql.unsafe<A>(statement)))

describe("hub.min_version", () => {
  it("allows hubs of that version and later ones", () => {
    for (const least of [apiVersion, "0.0.9", "0.1.12"]) assert.isTrue(allowsVersion(least), least)
    for (const least of [null, "", "1", "0.2", "0.2.1", "0.10.0", "1.0.0", "newest"]) {
      assert.isFalse(allowsVersion(least, "0.2.0"), String(least))
    }
  })
})

layer(HubTest(), { excludeTestServices: true })("a database of a newer hub", (it) => {
  it.effect("is refused by an older one, which is not ready, unless hub.min_version allows it", () =>
    Effect.gen(function*() {
      const { api, run, target } = yield* TestHub
      const change = (statement: string) =>
        run(Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.orDie(sql.unsafe(statement))))
      yield* change("insert into migrations (migration_id, name) values (9999, 'newer')")
      const refused = yield* inDatabase(target, Effect.flip(migrate))
      assert.include(
        String(refused),
        `the database is at migration 9999, and this hub ${apiVersion} supports migrations up to ${newestMigration()}`
      )
      const unready = yield* api("GET", "/ready")
      assert.strictEqual(unready.status, 503)
      assert.include(unready.body.error.message, "migrations: the database is at migration 9999")
      yield* change(`update hub set min_version = '${apiVersion}'`)
      assert.deepStrictEqual(yield* inDatabase(target, migrate), [])
      assert.strictEqual((yield* api("GET", "/ready")).status, 200)
    }))

  it.effect("loses hub.min_version when a hub runs migrations that do not set it", () =>
    Effect.gen(function*() {
      const { run, target } = yield* TestHub
      const minVersion = run(Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => Effect.orDie(sql<{ min_version: string | null }>`select min_version from hub`)
      ))
      yield* run(Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.orDie(sql`delete from migrations where migration_id in (9999, ${newestMigration()})`)))
      yield* Effect.ignore(inDatabase(target, migrate))
      assert.deepStrictEqual(yield* minVersion, [{ min_version: null }])
    }))
})

describe("an online migration", () => {
  it.live(
    "that fails half-way is repeated by the next start, and two starts at the same time run it once",
    () =>
      Effect.gen(function*() {
        const target = yield* freshDatabase
        const { url } = yield* folderOf({
          "9001_things.sql": "create table things (x int not null);\n\ninsert into things values (1), (1), (2)",
          "9002_index.online.sql": "drop index concurrently if exists things_x;\n\n" +
            "create unique index concurrently things_x on things (x)",
          "9003_more.sql": "alter table things add column y int"
        })
        const start = Effect.exit(inDatabase(target, migrateFrom(url)))
        const state = inDatabase(
          target,
          query<{ at: number; valid: boolean | null }>(
            "select (select max(migration_id) from migrations) as at, " +
              "(select indisvalid from pg_index where indexrelid = to_regclass('things_x')) as valid"
          )
        )
        const failed = yield* start
        assert.include(String(failed), "9002_index")
        // The earlier migration is kept, and the failed build left its index.
        assert.deepStrictEqual(yield* state, [{ at: 9001, valid: false }])
        yield* inDatabase(target, query("delete from things where ctid = (select min(ctid) from things)"))
        const both = yield* Effect.all([start, start], { concurrency: "unbounded" })
        const ran = both.flatMap((exit) => exit._tag === "Success" ? exit.value.map(([id]) => id) : [-1])
        assert.deepStrictEqual(ran.sort(), [9002, 9003])
        assert.deepStrictEqual(yield* state, [{ at: 9003, valid: true }])
      }),
    240_000
  )
})

describe("a contract migration", () => {
  it.live(
    "waits for the end of an older hub, runs after it, and refuses hubs of its version from then on",
    () =>
      Effect.gen(function*() {
        const target = yield* freshDatabase
        const { url } = yield* folderOf({
          "0001_no_start.sql": "-- min_version 99.0.0\nalter table owners drop column started_at"
        })
        const run = inDatabase(target, contract(url))
        yield* Effect.scoped(Effect.gen(function*() {
          const older = yield* startHub({ database: target })
          assert.deepStrictEqual(yield* run, { ran: [], waits: { name: "no_start", versions: [apiVersion] } })
          assert.strictEqual((yield* older.api("GET", "/ready")).status, 200)
        }))
        assert.deepStrictEqual(yield* run, { ran: ["no_start"] })
        assert.deepStrictEqual(yield* run, { ran: [] })
        const problem = `works with hubs from 99.0.0 on, and this hub is ${apiVersion}`
        assert.include(String(yield* inDatabase(target, Effect.flip(migrate))), problem)
      }),
    240_000
  )

  it.live(
    "waits for a hub that reports no version, and makes a running older hub not ready",
    () =>
      Effect.gen(function*() {
        const hub = yield* startHub()
        const { url } = yield* folderOf({ "0001_nothing.sql": "-- min_version 99.0.0\nselect 1" })
        yield* hub.run(query("update owners set version = null"))
        const waiting = yield* inDatabase(hub.target, contract(url))
        assert.deepStrictEqual(waiting.waits?.versions, [null])
        // As if its lock and its lease had ended, while its process lives. It may register again before the first try.
        const tried = hub.run(query("update owners set ended = true")).pipe(
          Effect.andThen(inDatabase(hub.target, contract(url)))
        )
        const { ran } = yield* Effect.repeat(tried, { until: ({ waits }) => waits === undefined })
        assert.deepStrictEqual(ran, ["nothing"])
        const unready = yield* hub.api("GET", "/ready")
        assert.strictEqual(unready.status, 503)
        assert.include(unready.body.error.message, "works with hubs from 99.0.0 on")
      }),
    240_000
  )
})

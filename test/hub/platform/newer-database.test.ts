import { apiVersion } from "@countersign/domain/discovery"
import { allowsVersion, migrate, newestMigration } from "@countersign/hub/platform/migrations"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inDatabase } from "../../support/health.ts"
import { HubTest, TestHub } from "../../support/hub.ts"

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

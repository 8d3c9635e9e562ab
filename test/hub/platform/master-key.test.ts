import { parseConfig, SettingError, Settings } from "@countersign/hub/config"
import { MasterKey, masterKeyFile } from "@countersign/hub/platform/master-key"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgTest } from "../../support/pg.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "countersign-key-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The result of a start with these settings: the key in base64, or the error. */
const start = (dataDir: string, key?: string) =>
  Effect.map(MasterKey, ({ key }) => Buffer.from(Redacted.value(key)).toString("base64")).pipe(
    Effect.provide(
      Layer.fresh(MasterKey.layer).pipe(Layer.provide(Settings.layerOf(
        parseConfig({ HUB_DATA_DIR: dataDir, ...(key === undefined ? {} : { HUB_MASTER_KEY: key }) }, {
          projectDir: dataDir,
          terminal: false
        })
      )))
    )
  )
const forget = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from hub`)

layer(PgTest, { excludeTestServices: true })("the master key", (it) => {
  it.effect("is created on the first start, private to its owner, and the same on the next", () =>
    Effect.gen(function*() {
      yield* forget
      const dir = join(yield* folder, "deeper", "data")
      const key = yield* start(dir)
      assert.lengthOf(Buffer.from(key, "base64"), 32)
      assert.strictEqual(readFileSync(masterKeyFile(dir), "utf8").trim(), key)
      assert.strictEqual(statSync(masterKeyFile(dir)).mode & 0o777, 0o600)
      assert.deepStrictEqual(readdirSync(dir), ["master.key"])
      assert.strictEqual(yield* start(dir), key)
      chmodSync(masterKeyFile(dir), 0o644)
      assert.strictEqual(yield* start(dir), key)
      assert.strictEqual(statSync(masterKeyFile(dir)).mode & 0o777, 0o600)
    }))

  it.effect("of the setting takes precedence over the file, and no file is written then", () =>
    Effect.gen(function*() {
      yield* forget
      const dir = yield* folder
      const key = randomBytes(32).toString("base64")
      assert.strictEqual(yield* start(dir, key), key)
      assert.isFalse(existsSync(masterKeyFile(dir)))
    }))

  it.effect("of another database stops the start with a line that names the setting, and shows no key", () =>
    Effect.gen(function*() {
      yield* forget
      const dir = yield* folder
      const key = yield* start(dir)
      const wrong = randomBytes(32).toString("base64")
      const error = yield* Effect.flip(start(dir, wrong))
      assert.instanceOf(error, SettingError)
      assert.strictEqual(error.message, "HUB_MASTER_KEY is not the key that this database's secrets are sealed with")
      writeFileSync(masterKeyFile(dir), `${wrong}\n`)
      const swapped = yield* Effect.flip(start(dir))
      assert.include(swapped.message, masterKeyFile(dir))
      assert.notInclude(swapped.message, wrong)
      assert.strictEqual(yield* start(dir, key), key)
    }))

  it.effect("that is missing is never replaced for a database that needs it", () =>
    Effect.gen(function*() {
      yield* forget
      const dir = yield* folder
      yield* start(dir)
      rmSync(masterKeyFile(dir))
      assert.match((yield* Effect.flip(start(dir))).message, /^HUB_MASTER_KEY is not set and .*master\.key is gone/)
      assert.isFalse(existsSync(masterKeyFile(dir)))
      for (const text of ["", "short", randomBytes(33).toString("base64")]) {
        writeFileSync(masterKeyFile(dir), text)
        assert.match((yield* Effect.flip(start(dir))).message, /does not hold 32 bytes/)
      }
    }))

  it.effect("is the same for concurrent starts", () =>
    Effect.gen(function*() {
      yield* forget
      const dir = yield* folder
      const keys = yield* Effect.all(Array.from({ length: 6 }, () => start(dir)), { concurrency: "unbounded" })
      assert.lengthOf(new Set(keys), 1)
      yield* forget
      const settings = Array.from({ length: 4 }, () => randomBytes(32).toString("base64"))
      const exits = yield* Effect.all(settings.map((key) => Effect.exit(start(dir, key))), { concurrency: "unbounded" })
      assert.lengthOf(exits.filter((exit) => exit._tag === "Success"), 1)
    }))
})

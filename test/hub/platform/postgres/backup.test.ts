import { backup, restore, walSegments } from "@countersign/hub/platform/postgres/backup"
import { type EmbeddedConnection, startEmbedded } from "@countersign/hub/platform/postgres/embedded"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { createHash } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { client, hubProcess, temporaryDirectory, until } from "./hub-fixture.ts"

const ask = (connection: EmbeddedConnection, query: string) =>
  Effect.scoped(Effect.flatMap(client(connection), (sql) => sql.unsafe<Record<string, number>>(query)))

describe("a backup", () => {
  it.live("under write load contains every earlier commit, only whole transactions, and no damage", () =>
    Effect.gen(function*() {
      const root = yield* temporaryDirectory
      const [dataDir, restored, file] = [join(root, "data"), join(root, "restored"), join(root, "hub.tar")]
      const postgres = yield* startEmbedded({ dataDir })
      const sql = yield* client(postgres.connection)
      yield* sql`create table account (id int primary key, cents bigint not null)`
      yield* sql`create table moved (n bigint generated always as identity primary key, note text not null)`
      yield* sql`insert into account select i, 1000 from generate_series(1, 100) i`
      let committed = 0
      const load = Effect.gen(function*() {
        const mine = yield* client(postgres.connection)
        while (true) {
          yield* mine.withTransaction(Effect.gen(function*() {
            const [from, to] = [committed % 100 + 1, (committed * 7 + 3) % 100 + 1]
            yield* mine`update account set cents = cents - 5 where id = ${from}`
            yield* mine`insert into moved (note) select repeat(md5(random()::text), 20) from generate_series(1, 20)`
            yield* mine`update account set cents = cents + 5 where id = ${to}`
          }))
          committed++
        }
      }).pipe(Effect.scoped)
      const writers = yield* Effect.forkChild(Effect.all([load, load], { concurrency: "unbounded" }))
      yield* until(() => committed > 200)
      const [before] = yield* ask(postgres.connection, "select count(*)::int as n from moved")
      const during = committed
      yield* backup({ dataDir, toFile: file })
      assert.isAbove(committed, during, "nothing was written during the backup")
      const [after] = yield* ask(postgres.connection, "select count(*)::int as n from moved")
      yield* Fiber.interrupt(writers)

      yield* restore({ fromFile: file, dataDir: restored })
      const copy = yield* startEmbedded({ dataDir: restored })
      const [total] = yield* ask(copy.connection, "select sum(cents)::int as cents, count(*)::int as n from account")
      assert.deepStrictEqual(total, { cents: 100_000, n: 100 })
      const [moved] = yield* ask(copy.connection, "select count(*)::int as n, (count(*) % 20)::int as torn from moved")
      assert.strictEqual(moved?.["torn"], 0)
      assert.isAtLeast(moved?.["n"] ?? 0, before?.["n"] ?? Infinity)
      assert.isAtMost(moved?.["n"] ?? Infinity, after?.["n"] ?? 0)
      const copied = yield* client(copy.connection)
      yield* copied`create extension amcheck`
      yield* copied`select bt_index_check(c.oid, true)::text from pg_class c join pg_am a on a.oid = c.relam
        where a.amname = 'btree' and c.relpersistence = 'p'`
      const heap = yield* copied`select v.msg from pg_class c, verify_heapam(c.oid) v
        where c.relkind in ('r', 't') and c.relpersistence = 'p'`
      assert.deepStrictEqual(heap, [])
      yield* copied`insert into moved (note) values ('it can be written')`
      const damaged = yield* copied`select datname from pg_stat_database where checksum_failures > 0`
      assert.deepStrictEqual(damaged, [])
    }))

  it.live("of a directory with or without a running hub restores the same rows and the files beside them", () =>
    Effect.gen(function*() {
      const root = yield* temporaryDirectory
      const dataDir = join(root, "data")
      yield* Effect.scoped(Effect.gen(function*() {
        const postgres = yield* startEmbedded({ dataDir })
        yield* ask(
          postgres.connection,
          "create table kept as select i, md5(i::text) as t from generate_series(1, 20000) i"
        )
      }))
      mkdirSync(join(dataDir, "objects", "ab"), { recursive: true })
      writeFileSync(join(dataDir, "objects", "ab", "ö".repeat(60)), "object")
      writeFileSync(join(dataDir, "master.key"), "secret")
      yield* backup({ dataDir, toFile: join(root, "cold.tar") })
      const hub = yield* hubProcess(dataDir)
      yield* hub.next("serving")
      yield* backup({ dataDir, toFile: join(root, "warm.tar"), exclude: ["master.key"] })
      yield* hub.write("select 1 as still")
      assert.deepStrictEqual((yield* hub.next("rows"))["rows"], [{ still: 1 }])

      for (const name of ["cold", "warm"]) {
        assert.strictEqual(statSync(join(root, `${name}.tar`)).mode & 0o777, 0o600)
        yield* restore({ fromFile: join(root, `${name}.tar`), dataDir: join(root, name) })
        const key = name === "cold" ? ["master.key"] : []
        assert.deepStrictEqual(readdirSync(join(root, name)).sort(), ["hub.lock", ...key, "objects", "postgres"])
        assert.strictEqual(readFileSync(join(root, name, "objects", "ab", "ö".repeat(60)), "utf8"), "object")
        const rows = yield* Effect.scoped(
          Effect.flatMap(startEmbedded({ dataDir: join(root, name) }), ({ connection }) =>
            ask(
              connection,
              "select count(*)::int as n, count(*) filter (where t = md5(i::text))::int as same from kept"
            ))
        )
        assert.deepStrictEqual(rows, [{ n: 20_000, same: 20_000 }])
      }
    }))

  it.live("does not replace an existing file, and leaves none behind when it fails", () =>
    Effect.gen(function*() {
      const root = yield* temporaryDirectory
      const dataDir = join(root, "data")
      writeFileSync(join(root, "taken.tar"), "mine")
      const taken = yield* Effect.flip(backup({ dataDir, toFile: join(root, "taken.tar") }))
      assert.match(taken.message, /already exists/)
      assert.strictEqual(readFileSync(join(root, "taken.tar"), "utf8"), "mine")
      const nowhere = yield* Effect.flip(backup({ dataDir, toFile: join(root, "missing", "hub.tar") }))
      assert.strictEqual(nowhere.reason, "backup_failed")
      assert.deepStrictEqual(readdirSync(root).filter((name) => name.endsWith(".partial")), [])
    }))
})

describe("a restore", () => {
  const shared = mkdtempSync(join(tmpdir(), "cs-test-"))
  beforeAll(() => Effect.runPromise(backup({ dataDir: join(shared, "data"), toFile: join(shared, "hub.tar") })))
  afterAll(() => rmSync(shared, { recursive: true, force: true }))
  const aBackup = Effect.gen(function*() {
    const root = yield* temporaryDirectory
    const file = join(root, "hub.tar")
    copyFileSync(join(shared, "hub.tar"), file)
    return { root, file }
  })

  it.live("goes into an empty directory only", () =>
    Effect.gen(function*() {
      const { file, root } = yield* aBackup
      const error = yield* Effect.flip(restore({ fromFile: file, dataDir: join(shared, "data") }))
      assert.strictEqual(error.reason, "restore_refused")
      assert.match(error.message, /is not empty/)
      yield* restore({ fromFile: file, dataDir: join(root, "running") })
      yield* startEmbedded({ dataDir: join(root, "running") })
      const busy = yield* Effect.flip(restore({ fromFile: file, dataDir: join(root, "running") }))
      assert.strictEqual(busy.reason, "data_directory_in_use")
    }))

  it.live.each(
    [
      ["cut short", (file: string) => truncateSync(file, statSync(file).size - 4096)],
      ["changed in one byte of a table", (file: string) => {
        const bytes = readFileSync(file)
        const at = Math.floor(bytes.length / 2)
        bytes[at] = (bytes[at] ?? 0) ^ 1
        writeFileSync(file, bytes)
      }],
      ["not an archive", (file: string) => writeFileSync(file, "hello".repeat(1000))],
      ["empty", (file: string) => writeFileSync(file, "")]
    ] as const
  )("refuses a file that is %s, and leaves the directory empty", ([, damage]) =>
    Effect.gen(function*() {
      const { file, root } = yield* aBackup
      damage(file)
      const target = join(root, "target")
      const error = yield* Effect.flip(restore({ fromFile: file, dataDir: target }))
      assert.strictEqual(error.reason, "restore_refused", error.message)
      assert.deepStrictEqual(readdirSync(target), ["hub.lock"])
    }))

  it.live("refuses an archive that would write outside the directory, even if its digest is right", () =>
    Effect.gen(function*() {
      const { file, root } = yield* aBackup
      const bytes = readFileSync(file)
      // the second entry's name, its checksum, and the digest at the end, all adjusted
      const at = 1024
      const header = bytes.subarray(at, at + 512)
      header.fill(0, 0, 100)
      header.write("postgres/../../escaped", 0)
      header.write(" ".repeat(8), 148)
      header.write(`${header.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0")}\0 `, 148)
      const digestAt = bytes.length - 4 * 512
      bytes.write(createHash("sha256").update(bytes.subarray(0, digestAt)).digest("hex"), digestAt + 512)
      writeFileSync(file, bytes)
      const error = yield* Effect.flip(restore({ fromFile: file, dataDir: join(root, "target") }))
      assert.match(error.message, /an entry that no backup has/)
      assert.isFalse(existsSync(join(root, "escaped")))
    }))

  it.live("that was interrupted is never started as a new, empty hub", () =>
    Effect.gen(function*() {
      const root = yield* temporaryDirectory
      mkdirSync(join(root, "restore.new"))
      const error = yield* Effect.flip(Effect.scoped(startEmbedded({ dataDir: root })))
      assert.match(error.message, /restore .* was interrupted/)
    }))
})

describe("the log files of a backup", () => {
  it("range from the segment of the first byte to that of the last, across the border of a log", () => {
    const segment = 16n * 1024n * 1024n
    assert.deepStrictEqual(walSegments(1, 0x2000028n, 0x2000100n, segment), ["000000010000000000000002"])
    assert.deepStrictEqual(walSegments(1, 0x2000028n, 0x3000000n, segment), ["000000010000000000000002"])
    assert.deepStrictEqual(walSegments(2, 0xFE000028n, 0x1_01000001n, segment), [
      "0000000200000000000000FE",
      "0000000200000000000000FF",
      "000000020000000100000000",
      "000000020000000100000001"
    ])
  })
})

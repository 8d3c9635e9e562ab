import { connectOrStart, startEmbedded } from "@countersign/hub/platform/postgres/embedded"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { client, hubProcess, isRunning, processesIn, temporaryDirectory, until } from "./hub-fixture.ts"

describe("the first and the second start", () => {
  it.live("creates a database that keeps commits over a stop", () =>
    Effect.gen(function*() {
      const root = yield* temporaryDirectory
      const dataDir = join(root, "not", "made", "yet")
      yield* Effect.scoped(Effect.gen(function*() {
        const postgres = yield* startEmbedded({ dataDir })
        const sql = yield* client(postgres.connection)
        yield* sql`create table kept (n int)`
        yield* sql`insert into kept values (7)`
      }))
      const postgres = yield* startEmbedded({ dataDir })
      const sql = yield* client(postgres.connection)
      assert.deepStrictEqual(yield* sql`select n from kept`, [{ n: 7 }])
    }))

  it.live("is in UTF8 with the C locale, with checksums and fsync, on a private socket and no TCP", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      const postgres = yield* startEmbedded({ dataDir })
      const sql = yield* client(postgres.connection)
      const [row] = yield* sql<Record<string, string>>`select current_setting('server_encoding') as encoding,
        (select datcollate from pg_database where datname = current_database()) as collation,
        current_setting('data_checksums') as checksums, current_setting('fsync') as fsync,
        current_setting('full_page_writes') as pages, current_setting('synchronous_commit') as commits,
        current_setting('listen_addresses') as addresses,
        current_setting('max_wal_size') as wal, current_setting('checkpoint_timeout') as checkpoint,
        current_setting('wal_compression') as compression, current_setting('unix_socket_permissions') as socket,
        pg_size_bytes(current_setting('shared_memory_size')) between pg_size_bytes('240MB') and pg_size_bytes('256MB') as memory,
        current_database() as database`
      assert.deepStrictEqual(row as unknown, {
        encoding: "UTF8",
        collation: "C",
        checksums: "on",
        fsync: "on",
        pages: "on",
        commits: "on",
        addresses: "",
        wal: "1GB",
        checkpoint: "5min",
        compression: "pglz",
        socket: "0700",
        memory: true,
        database: "countersign"
      })
      assert.strictEqual(statSync(postgres.cluster).mode & 0o777, 0o700)
      assert.strictEqual(statSync(dataDir).mode & 0o007, 0)
    }))

  it.live("takes no more shared memory than allowed", () =>
    Effect.gen(function*() {
      const memoryMib = 64
      const { connection } = yield* startEmbedded({ dataDir: yield* temporaryDirectory, tuning: { memoryMib } })
      const sql = yield* client(connection)
      const [row] = yield* sql<
        { mib: number }
      >`select pg_size_bytes(current_setting('shared_memory_size')) / 1048576 as mib`
      assert.isAtMost(row!.mib, memoryMib)
      assert.isAtLeast(row!.mib, memoryMib * 0.75)
    }))

  it.live("listens in a short directory when the data directory's path is too long for a socket, and removes it afterwards", () =>
    Effect.gen(function*() {
      const root = yield* temporaryDirectory
      let short = ""
      yield* Effect.scoped(Effect.gen(function*() {
        const { connection } = yield* startEmbedded({ dataDir: join(root, "d".repeat(100)) })
        short = "path" in connection ? connection.path : ""
        assert.isBelow(short.length, 100)
        const sql = yield* client(connection)
        assert.deepStrictEqual(yield* sql`select 1 as one`, [{ one: 1 }])
      }))
      assert.isFalse(existsSync(join(short, "..")))
    }))

  it.live("leaves no process, no note, and no socket behind", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      const { cluster, pid } = yield* Effect.scoped(Effect.gen(function*() {
        const postgres = yield* startEmbedded({ dataDir })
        assert.isAbove(processesIn(postgres.cluster).length, 1)
        return { cluster: postgres.cluster, pid: yield* postgres.pid }
      }))
      assert.isFalse(isRunning(pid ?? 0))
      assert.deepStrictEqual(processesIn(cluster), [])
      for (const name of ["hub.json", "postgres/postmaster.pid", "postgres/.s.PGSQL.5432"]) {
        assert.isFalse(existsSync(join(dataDir, name)), name)
      }
    }))

  it.live("succeeds after an interrupted first start", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      const first = yield* Effect.forkChild(Effect.scoped(startEmbedded({ dataDir })))
      const drafts = () => readdirSync(dataDir).filter((name) => name.startsWith("postgres.new"))
      yield* until(() => drafts().some((name) => existsSync(join(dataDir, name, "PG_VERSION"))))
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(processesIn(join(dataDir, "postgres")), [])
      const postgres = yield* startEmbedded({ dataDir })
      const sql = yield* client(postgres.connection)
      assert.deepStrictEqual(yield* sql`select 1 as one`, [{ one: 1 }])
      assert.deepStrictEqual(drafts(), [])
    }))
})

describe("an unusable data directory", () => {
  const refusal = (dataDir: string) => Effect.flip(Effect.scoped(startEmbedded({ dataDir })))

  it.live("is reported when another major version wrote it, and stays unchanged", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      mkdirSync(join(dataDir, "postgres"))
      writeFileSync(join(dataDir, "postgres", "PG_VERSION"), "17\n")
      const error = yield* refusal(dataDir)
      assert.strictEqual(error.reason, "version_mismatch")
      assert.match(error.message, /PostgreSQL 17.*has PostgreSQL 18/)
      assert.strictEqual(readFileSync(join(dataDir, "postgres", "PG_VERSION"), "utf8"), "17\n")
    }))

  it.live("is reported when it contains something else", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      mkdirSync(join(dataDir, "postgres"))
      writeFileSync(join(dataDir, "postgres", "holiday.txt"), "sun")
      const error = yield* refusal(dataDir)
      assert.strictEqual(error.reason, "data_directory_unusable")
      assert.match(error.message, /are not a PostgreSQL database/)
    }))

  it.live("is reported at once when it was copied while its server ran, with both directories", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryDirectory
      const original = yield* startEmbedded({ dataDir: join(folder, "data") })
      cpSync(join(folder, "data"), join(folder, "copy"), {
        recursive: true,
        filter: (path) => !path.includes(".s.PGSQL")
      })
      const error = yield* Effect.flip(startEmbedded({ dataDir: join(folder, "copy") }))
      assert.strictEqual(error.reason, "data_directory_unusable")
      assert.include(error.message, `${join(folder, "copy", "postgres", "postmaster.pid")} names the process`)
      assert.include(
        error.message,
        `which serves ${original.cluster}: this directory was copied while its database ran`
      )
      assert.notInclude(error.message, "\n")
    }))

  it.live("is reported when it is a file", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      writeFileSync(join(dataDir, "file"), "")
      const error = yield* refusal(join(dataDir, "file"))
      assert.strictEqual(error.reason, "data_directory_unusable")
      assert.match(error.message, /is not a directory/)
    }))

  it.live("is reported when the cluster is damaged", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      yield* Effect.scoped(startEmbedded({ dataDir }))
      writeFileSync(join(dataDir, "postgres", "global", "pg_control"), "no")
      const error = yield* refusal(dataDir)
      assert.strictEqual(error.reason, "start_failed")
      assert.match(error.message, /pg_control/)
      assert.notInclude(error.message, "\n")
    }))
})

describe("two processes on one data directory", () => {
  it.live("a second hub stops with an error that names the first one", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      yield* startEmbedded({ dataDir })
      const second = yield* hubProcess(dataDir)
      const refused = yield* second.next("refused")
      assert.strictEqual(refused["reason"], "data_directory_in_use")
      assert.include(refused["detail"], `process id ${process.pid}`)
    }))

  it.live("a start during another hub's drain waits for its end", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      const first = yield* hubProcess(dataDir)
      const { postgres } = yield* first.next("serving")
      process.kill(first.pid, "SIGTERM")
      yield* first.next("draining")
      const second = yield* Effect.forkChild(startEmbedded({ dataDir }))
      yield* first.write("select 1 as still")
      assert.deepStrictEqual((yield* first.next("rows"))["rows"], [{ still: 1 }])
      yield* first.write("exit")
      assert.deepStrictEqual(yield* first.exit, { code: 0, signal: null })
      const own = yield* Fiber.join(second)
      assert.notStrictEqual(yield* own.pid, postgres)
    }))

  it.live("a subcommand uses the running hub's server, and a separate one without a hub", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      const ask = Effect.scoped(Effect.gen(function*() {
        const { connection, shared } = yield* connectOrStart({ dataDir })
        const sql = yield* client(connection)
        return [shared, (yield* sql<{ at: Date }>`select pg_postmaster_start_time() as at`)[0]?.at.getTime()] as const
      }))
      assert.strictEqual((yield* ask)[0], false)
      yield* Effect.scoped(Effect.gen(function*() {
        const hub = yield* startEmbedded({ dataDir })
        const sql = yield* client(hub.connection)
        const [row] = yield* sql<{ at: Date }>`select pg_postmaster_start_time() as at`
        assert.deepStrictEqual(yield* ask, [true, row?.at.getTime()])
      }))
      assert.strictEqual((yield* ask)[0], false)
    }))
})

describe.runIf(process.platform === "linux")("the server's process", () => {
  it.live("runs in a separate session", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      const postgres = yield* startEmbedded({ dataDir })
      const pid = (yield* postgres.pid) ?? 0
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
      assert.strictEqual(Number(fields[2]), pid)
      assert.strictEqual(Number(fields[3]), pid)
      assert.strictEqual(readlinkSync(`/proc/${pid}/cwd`), postgres.cluster)
    }))
})

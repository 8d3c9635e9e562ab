import { locateBinaries, programPath } from "@countersign/hub/platform/postgres/binaries"
import { connectOrStart, type EmbeddedConnection, startEmbedded } from "@countersign/hub/platform/postgres/embedded"
import { planLaunch } from "@countersign/hub/platform/postgres/launch"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { spawn } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { client, hubProcess, isRunning, processesIn, temporaryDirectory, until } from "./hub-fixture.ts"

/** Queries with new connections until the server answers. */
const eventually = (connection: EmbeddedConnection, query: string) =>
  Effect.scoped(Effect.flatMap(client(connection), (sql) => sql.unsafe(query))).pipe(
    Effect.retry(Schedule.spaced("50 millis"))
  )

describe("a killed server", () => {
  it.live("serves again at the same address, nothing committed is lost, and its caller gets no signal to stop", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      const postgres = yield* startEmbedded({ dataDir })
      yield* eventually(postgres.connection, "create table kept as select generate_series(1, 1000) as n")
      for (const round of [1, 2, 3]) {
        const pid = (yield* postgres.pid) ?? 0
        yield* eventually(postgres.connection, `insert into kept values (${1000 + round})`)
        process.kill(pid, "SIGKILL")
        yield* until(() => !isRunning(pid))
        const counted = yield* eventually(postgres.connection, "select count(*)::int as n from kept")
        assert.deepStrictEqual(counted, [{ n: 1000 + round }])
        assert.notStrictEqual(yield* postgres.pid, pid)
      }
    }))

  it.live("leaves no process when stopped during its restart", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      const cluster = yield* Effect.scoped(Effect.gen(function*() {
        const postgres = yield* startEmbedded({ dataDir })
        const pid = (yield* postgres.pid) ?? 0
        process.kill(pid, "SIGKILL")
        yield* until(() => !isRunning(pid))
        return postgres.cluster
      }))
      yield* until(() => processesIn(cluster).length === 0)
      yield* startEmbedded({ dataDir })
    }))
})

describe.each(["pdeathsig", "pipe"] as const)("the hub is killed, and its server is tied to it by %s", (tether) => {
  it.live.runIf(process.platform !== "win32" && (tether === "pipe" || process.platform === "linux"))(
    "the server ends, and the next start serves what was committed",
    () =>
      Effect.gen(function*() {
        const dataDir = yield* temporaryDirectory
        const hub = yield* hubProcess(dataDir, { tether })
        const serving = yield* hub.next("serving")
        yield* hub.write("select 1 as one")
        yield* hub.next("rows")
        process.kill(hub.pid, "SIGKILL")
        yield* until(() => !isRunning(Number(serving["postgres"])))
        yield* until(() => processesIn(join(dataDir, "postgres")).length === 0)
        const postgres = yield* startEmbedded({ dataDir })
        assert.deepStrictEqual(yield* eventually(postgres.connection, "select 1 as one"), [{ one: 1 }])
      })
  )

  it.live("makes a simultaneous start wait for the old server's end", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      const hub = yield* hubProcess(dataDir, { tether })
      const serving = yield* hub.next("serving")
      process.kill(-hub.pid, "SIGKILL")
      const postgres = yield* startEmbedded({ dataDir })
      assert.isFalse(isRunning(Number(serving["postgres"])))
      assert.deepStrictEqual(yield* eventually(postgres.connection, "select 1 as one"), [{ one: 1 }])
    }))
})

describe("a signal to the hub's whole process group", () => {
  it.live("does not reach the server: the hub drains with its database, then both end", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      const hub = yield* hubProcess(dataDir)
      const serving = yield* hub.next("serving")
      yield* hub.write("select pg_postmaster_start_time()::text as at")
      const before = yield* hub.next("rows")
      process.kill(-hub.pid, "SIGTERM")
      yield* hub.next("draining")
      process.kill(-hub.pid, "SIGTERM")
      yield* hub.write("select pg_postmaster_start_time()::text as at")
      assert.deepStrictEqual((yield* hub.next("rows"))["rows"], before["rows"])
      assert.isTrue(isRunning(Number(serving["postgres"])))
      yield* hub.write("exit")
      assert.deepStrictEqual(yield* hub.exit, { code: 0, signal: null })
      assert.isFalse(isRunning(Number(serving["postgres"])))
    }))
})

describe("remains of earlier runs", () => {
  const stopped = Effect.gen(function*() {
    const dataDir = yield* temporaryDirectory
    yield* Effect.scoped(startEmbedded({ dataDir }))
    return dataDir
  })
  const pidFile = (pid: number, cluster: string) =>
    `${pid}\n${cluster}\n1700000000\n5432\n${cluster}\n\n  5432001         0\nready   \n`

  it.live("a postmaster.pid of an ended process does not prevent a start", () =>
    Effect.gen(function*() {
      const dataDir = yield* stopped
      const gone = spawn("true")
      yield* Effect.callback<void>((resume) => void gone.once("close", () => resume(Effect.void)))
      writeFileSync(join(dataDir, "postgres", "postmaster.pid"), pidFile(gone.pid ?? 0, join(dataDir, "postgres")))
      const postgres = yield* startEmbedded({ dataDir })
      assert.deepStrictEqual(yield* eventually(postgres.connection, "select 1 as one"), [{ one: 1 }])
    }))

  it.live.runIf(process.platform === "linux")(
    "a postmaster.pid with the number of another program affects neither",
    () =>
      Effect.gen(function*() {
        // not as another account first: PostgreSQL itself detects the difference only where it may not signal that
        // program
        const rootWays = ["namespace", "account", "copy"] as const
        const dataDir = yield* temporaryDirectory
        yield* Effect.scoped(startEmbedded({ dataDir, rootWays }))
        const other = yield* Effect.acquireRelease(
          Effect.sync(() => spawn("sleep", ["600"], { stdio: "ignore" })),
          (child) => Effect.sync(() => child.kill("SIGKILL"))
        )
        writeFileSync(join(dataDir, "postgres", "postmaster.pid"), pidFile(other.pid ?? 0, join(dataDir, "postgres")))
        const postgres = yield* startEmbedded({ dataDir, rootWays })
        assert.deepStrictEqual(yield* eventually(postgres.connection, "select 1 as one"), [{ one: 1 }])
        assert.isTrue(isRunning(other.pid ?? 0))
      })
  )

  it.live.runIf(process.platform === "linux")(
    "an untied server of a killed hub is ended first",
    () =>
      Effect.gen(function*() {
        const dataDir = yield* stopped
        const cluster = join(dataDir, "postgres")
        const launch = planLaunch(locateBinaries(), { dataDir })
        const orphan = yield* Effect.acquireRelease(
          Effect.sync(() => {
            const program = programPath(launch.binaries, "postgres")
            const [command = "", ...args] = [
              ...launch.prefix,
              program,
              "-D",
              cluster,
              "-k",
              cluster,
              "-c",
              "listen_addresses="
            ]
            return spawn(command, args, { ...launch.spawnAs, cwd: "/", detached: true, stdio: "ignore" })
          }),
          (child) => Effect.sync(() => child.kill("SIGKILL"))
        )
        const file = join(cluster, "postmaster.pid")
        yield* until(() => existsSync(file) && /ready/.test(readFileSync(file, "utf8")))
        const postgres = yield* startEmbedded({ dataDir })
        yield* until(() => !isRunning(orphan.pid ?? 0))
        assert.notStrictEqual(yield* postgres.pid, orphan.pid)
        assert.deepStrictEqual(yield* eventually(postgres.connection, "select 1 as one"), [{ one: 1 }])
      })
  )

  it.live("a killed hub's note misleads no subcommand", () =>
    Effect.gen(function*() {
      const dataDir = yield* temporaryDirectory
      const hub = yield* hubProcess(dataDir)
      yield* hub.next("serving")
      process.kill(hub.pid, "SIGKILL")
      yield* hub.exit
      assert.isTrue(existsSync(join(dataDir, "hub.json")))
      const own = yield* connectOrStart({ dataDir })
      assert.isFalse(own.shared)
      assert.deepStrictEqual(yield* eventually(own.connection, "select 1 as one"), [{ one: 1 }])
    }))
})

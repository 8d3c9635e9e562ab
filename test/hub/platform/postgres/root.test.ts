/**
 * PostgreSQL refuses to run as root; these are the ways in which root runs it nevertheless. Skipped for ordinary users.
 */
import { locateBinaries, programPath } from "@countersign/hub/platform/postgres/binaries"
import { type EmbeddedConnection, startEmbedded } from "@countersign/hub/platform/postgres/embedded"
import { planLaunch } from "@countersign/hub/platform/postgres/launch"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { cp } from "node:fs/promises"
import { dirname, join } from "node:path"
import { client, hubProcess, isRunning, processesIn, temporaryDirectory, until } from "./hub-fixture.ts"

const ask = (connection: EmbeddedConnection, query: string) =>
  Effect.scoped(Effect.flatMap(client(connection), (sql) => sql.unsafe(query)))
const uidOf = (pid: number) => Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
const mapOf = (pid: number | "self") => readFileSync(`/proc/${pid}/uid_map`, "utf8")
const inOwnNamespace = (pid: number) => mapOf(pid) !== mapOf("self")

/** The messages that an effect logs. */
const recordedLines = () => {
  const lines: Array<string> = []
  return { lines, logger: Logger.layer([Logger.make(({ message }) => lines.push([message].flat().join(" ")))]) }
}

/** Other accounts may enter it. */
const openDirectory = Effect.map(temporaryDirectory, (root) => {
  chmodSync(root, 0o755)
  return root
})
const asRoot = process.platform === "linux" && process.getuid?.() === 0
/** Another account cannot run a checkout below a closed directory in place. */
const reaches = () => {
  const program = programPath(locateBinaries().directory, "postgres")
  return spawnSync(program, ["--version"], { uid: 65534, gid: 65534, cwd: "/" }).status === 0
}
const reachable = asRoot && reaches()

/** Like root's home: no other account can pass. */
const closedDirectory = Effect.map(temporaryDirectory, (root) => {
  const closed = join(root, "closed")
  mkdirSync(closed, { mode: 0o700 })
  chmodSync(root, 0o700)
  return closed
})

describe.runIf(asRoot)("as root", () => {
  it.live.runIf(reachable)(
    "an unprivileged account runs the server on its own files, and may only pass through the data directory",
    () =>
      Effect.gen(function*() {
        const dataDir = join(yield* openDirectory, "data")
        const { lines, logger } = recordedLines()
        const postgres = yield* startEmbedded({ dataDir }).pipe(Effect.provide(logger))
        const pid = (yield* postgres.pid) ?? 0
        assert.strictEqual(uidOf(pid), 65534)
        assert.include(
          lines,
          `PostgreSQL does not run as root: it runs as the user id 65534, which owns ${postgres.cluster}`
        )
        assert.strictEqual(statSync(postgres.cluster).uid, 65534)
        const { mode, uid } = statSync(dataDir)
        assert.deepStrictEqual([uid, mode & 0o777], [0, 0o710])
      })
  )

  it.live("below a closed directory the server runs in a user namespace, files stay root's, and it ends with its hub", () =>
    Effect.gen(function*() {
      const dataDir = join(yield* closedDirectory, "data")
      const hub = yield* hubProcess(dataDir)
      const pid = Number((yield* hub.next("serving"))["postgres"])
      assert.isTrue(inOwnNamespace(pid))
      assert.strictEqual(statSync(join(dataDir, "postgres", "PG_VERSION")).uid, 0)
      process.kill(hub.pid, "SIGKILL")
      yield* until(() => !isRunning(pid))
      yield* until(() => processesIn(join(dataDir, "postgres")).length === 0)
      const { lines, logger } = recordedLines()
      const again = yield* startEmbedded({ dataDir }).pipe(Effect.provide(logger))
      assert.deepStrictEqual(yield* ask(again.connection, "select 1 as one"), [{ one: 1 }])
      assert.include(
        lines,
        `PostgreSQL does not run as root: it runs in a separate user namespace, and root owns ${again.cluster}`
      )
    }))

  it.live("puts the data elsewhere where neither works, finds it again, and keeps using it when another way would work", () =>
    Effect.gen(function*() {
      const copyDir = join(yield* openDirectory, "copies")
      const dataDir = join(yield* closedDirectory, "data")
      const once = (query: string, ways: ReadonlyArray<"account" | "namespace" | "copy">) =>
        Effect.scoped(Effect.gen(function*() {
          const postgres = yield* startEmbedded({ dataDir, copyDir, rootWays: ways })
          assert.isTrue(postgres.cluster.startsWith(copyDir))
          return yield* ask(postgres.connection, query)
        }))
      yield* once("create table kept as select 7 as n", ["account", "copy"])
      for (const ways of [["account", "copy"], ["namespace"], ["account", "copy"]] as const) {
        assert.deepStrictEqual(yield* once("select n from kept", ways), [{ n: 7 }])
      }
      assert.isFalse(existsSync(join(dataDir, "postgres")))
    }))

  it.live("copies binaries that the account cannot reach once and runs them from there", () =>
    Effect.gen(function*() {
      const open = yield* openDirectory
      const closed = yield* closedDirectory
      const binaries = locateBinaries()
      const hidden = { ...binaries, directory: join(closed, "native") }
      yield* Effect.promise(() => cp(binaries.directory, hidden.directory, { recursive: true, verbatimSymlinks: true }))
      mkdirSync(join(open, "data"))
      const options = { dataDir: join(open, "data"), copyDir: join(open, "copies"), ways: ["account", "copy"] as const }
      const first = planLaunch(hidden, options)
      assert.deepStrictEqual([first.way, dirname(first.binaries)], ["copy", join(open, "copies")])
      assert.deepStrictEqual(planLaunch(hidden, options), first)
      assert.strictEqual(readdirSync(join(open, "copies")).length, 1)
    }))

  it.live.runIf(reachable)(
    "a database created in one way is served in the next, which takes over its files",
    () =>
      Effect.gen(function*() {
        const dataDir = join(yield* openDirectory, "data")
        const owners: Array<number> = []
        for (const way of ["account", "namespace", "account"] as const) {
          yield* Effect.scoped(Effect.gen(function*() {
            const postgres = yield* startEmbedded({ dataDir, rootWays: [way] })
            yield* ask(postgres.connection, "create table if not exists kept as select 7 as n")
            assert.deepStrictEqual(yield* ask(postgres.connection, "select n from kept"), [{ n: 7 }])
            owners.push(statSync(join(postgres.cluster, "base")).uid)
          }))
        }
        assert.deepStrictEqual(owners, [65534, 0, 65534])
      })
  )

  it.live.runIf(reachable)("a data directory of an ordinary user is served as that user", () =>
    Effect.gen(function*() {
      const root = yield* temporaryDirectory
      chmodSync(root, 0o755)
      const dataDir = join(root, "data")
      mkdirSync(dataDir, { mode: 0o700 })
      const daemon = 1
      chownSync(dataDir, daemon, daemon)
      const postgres = yield* startEmbedded({ dataDir })
      assert.strictEqual(uidOf((yield* postgres.pid) ?? 0), daemon)
      assert.deepStrictEqual([statSync(dataDir).uid, statSync(dataDir).mode & 0o777], [daemon, 0o700])
    }))

  it.live.runIf(reachable)(
    "a data directory of an unknown user is served where others may enter it",
    () =>
      Effect.gen(function*() {
        const root = yield* temporaryDirectory
        chmodSync(root, 0o755)
        const dataDir = join(root, "data")
        mkdirSync(dataDir, { mode: 0o755 })
        chownSync(dataDir, 54_321, 54_321)
        const postgres = yield* startEmbedded({ dataDir })
        assert.strictEqual(uidOf((yield* postgres.pid) ?? 0), 65534)
        assert.strictEqual(statSync(postgres.cluster).mode & 0o777, 0o700)
      })
  )

  it.live("reports the solution in one line when no way works", () =>
    Effect.gen(function*() {
      const dataDir = join(yield* closedDirectory, "data")
      const error = yield* Effect.flip(Effect.scoped(startEmbedded({ dataDir, rootWays: ["account"] })))
      assert.strictEqual(error.reason, "data_directory_unusable")
      assert.match(error.message, /does not run as root.*HUB_DATA_DIR/)
    }))
})

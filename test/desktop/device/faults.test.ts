/** The agent against a real hub when machines fail: crashed hubs, crashed agents, copies, and clock jumps. */
import { processesOf } from "@countersign/desktop/device/programs/process-tree"
import { openStateFolder } from "@countersign/desktop/device/state"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { atWork, paired, program, until } from "../../support/device-agent.ts"
import { spawnHub } from "../../support/hub-program.ts"
import { cookieOf, expectStatus, HubTest, TestHub } from "../../support/hub.ts"
import { freshDatabase } from "../../support/pg.ts"
import { allow, operatorOf } from "./world.ts"

const freePort = Effect.promise(async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
})

const credentials = { email: "owner@countersign.test", password: "correct horse battery" }

layer(HubTest(), { excludeTestServices: true })("the device agent and failing machines", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const place = yield* paired(hub, hub.owner)
    const ran = join(place.root, "ran")
    /** Prints a line at its start, and ends when the file `go` exists. */
    const waiting = place.script(
      "waiting",
      `echo ran >> ${ran}; echo begun; while [ ! -e ${join(place.root, "go")} ]; do sleep 0.05; done; echo ended`
    )
    place.rules([allow(waiting), allow("true"), allow("echo", "**")])
    const begun = until(Effect.sync(() => existsSync(ran)), (made) => made)
    const go = Effect.sync(() => writeFileSync(join(place.root, "go"), ""))
    const timesRun = () => readFileSync(ran, "utf8").split("\n").length - 1
    return { ...hub, hub, place, waiting, begun, go, timesRun, ...operatorOf(hub, hub.owner) }
  })

  it.effect(
    "a hub that is killed while commands run finds them again: one that ended meanwhile, and one that continues",
    () =>
      Effect.gen(function*() {
        const target = yield* freshDatabase
        const env = {
          HUB_PORT: String(yield* freePort),
          HUB_OWNER_EMAIL: credentials.email,
          HUB_OWNER_PASSWORD: credentials.password
        }
        const first = yield* spawnHub({ database: target, env })
        const owner = {
          cookie: cookieOf(expectStatus(yield* first.api("POST", "/auth/login", { body: credentials }), 200))
        }
        const place = yield* paired(first, owner)
        const scriptFor = (name: string) => {
          const [ran, go] = [join(place.root, `ran-${name}`), join(place.root, `go-${name}`)]
          const path = place.script(
            name,
            `echo ran >> ${ran}; echo begun; while [ ! -e ${go} ]; do sleep 0.05; done; echo ended`
          )
          return { path, ran, go: Effect.sync(() => writeFileSync(go, "")) }
        }
        const [one, two] = [scriptFor("one"), scriptFor("two")]
        place.rules([allow(one.path), allow(two.path)])
        for (const name of ["a", "b"]) mkdirSync(join(place.root, name))
        const { lines, session } = yield* atWork(first, owner, place)
        const before = operatorOf(first, owner)
        const ended = yield* before.queue(session, [one.path], { working_directory: join(place.root, "a") })
        const goesOn = yield* before.queue(session, [two.path], { working_directory: join(place.root, "b") })
        yield* before.running(ended)
        yield* before.running(goesOn)
        yield* first.kill("SIGKILL", "group")
        yield* first.ended
        yield* one.go
        yield* until(
          Effect.sync(() => lines),
          (lines) => lines.some(({ command_id, event }) => event === "command_ended" && command_id === ended)
        )
        const second = yield* spawnHub({ database: target, env })
        const after = operatorOf(second, owner)
        assert.deepInclude(yield* after.end(ended), { outcome: "succeeded" })
        assert.deepInclude(yield* after.read(goesOn), { status: "running" })
        yield* two.go
        assert.deepInclude(yield* after.end(goesOn), { outcome: "succeeded" })
        for (const id of [ended, goesOn]) assert.strictEqual(yield* after.text(id), "begun\nended\n")
        for (const { ran } of [one, two]) assert.strictEqual(readFileSync(ran, "utf8"), "ran\n")
      })
  )

  it.effect("a wiped journal makes nothing run again: acknowledged commands are interrupted, others are offered", () =>
    Effect.gen(function*() {
      const { begun, end, online, place, queue, timesRun, waiting } = yield* world
      place.rules([allow(waiting), allow("true")], { concurrency: 1 })
      const first = yield* program(["run", "--data-dir", place.folder.path])
      const session = yield* online(place.id)
      const id = yield* queue(session, [waiting])
      yield* begun
      first.child.kill("SIGKILL")
      yield* first.ended
      for (const ending of ["", "-wal", "-shm"]) {
        rmSync(`${place.folder.file("journal.sqlite")}${ending}`, { force: true })
      }
      const next = yield* queue(session, ["true"])
      const second = yield* program(["run", "--data-dir", place.folder.path])
      assert.deepInclude(yield* end(next), { outcome: "succeeded" })
      assert.deepInclude(yield* end(id), { status: "done", outcome: "interrupted" })
      assert.strictEqual(timesRun(), 1)
      second.child.kill("SIGTERM")
      assert.strictEqual((yield* second.ended).code, 0)
    }))

  it.effect(
    "of a folder and its copy the newer start wins: the older kills its trees and exits with 5, and takes over only with --take-over",
    () =>
      Effect.gen(function*() {
        const { begun, end, hub, online, owner, place, queue, timesRun, waiting } = yield* world
        const copied = join(place.root, "..", "copied")
        // Copied before the command begins: a copy that has it in its journal would kill its processes, as both run on
        // one machine.
        execFileSync("cp", ["-a", place.folder.path, copied])
        const first = yield* program(["run", "--data-dir", place.folder.path])
        const id = yield* queue(yield* online(place.id), [waiting])
        yield* begun
        const scope = yield* Scope.make()
        const copy = { ...place, folder: openStateFolder(copied) }
        const second = yield* Scope.provide(atWork(hub, owner, copy), scope)
        assert.strictEqual((yield* first.ended).code, 5)
        assert.deepStrictEqual(processesOf(id, undefined), [])
        assert.deepInclude(yield* end(id), { status: "done", outcome: "interrupted" })
        assert.strictEqual(timesRun(), 1)
        assert.deepInclude(yield* end(yield* queue(second.session, ["true"])), { outcome: "succeeded" })
        const again = yield* program(["run", "--data-dir", place.folder.path])
        assert.strictEqual((yield* again.ended).code, 5)
        assert.match(again.printed(), /--take-over/)
        const back = yield* atWork(hub, owner, place, { takeOver: true })
        assert.strictEqual(yield* second.ended, 5)
        yield* Scope.close(scope, Exit.void)
        assert.deepInclude(yield* end(yield* queue(back.session, ["true"])), { outcome: "succeeded" })
      })
  )

  it.effect("a clock jump does not end or lose a command: the agent uses monotonic time", () =>
    Effect.gen(function*() {
      const { begun, end, go, online, place, queue, read, timesRun, waiting } = yield* world
      const clock = join(place.root, "clock")
      const aside = join(place.root, "aside")
      mkdirSync(aside)
      const jump = (days: number) => Effect.sync(() => writeFileSync(clock, String(days * 86_400_000)))
      yield* jump(0)
      const preload = pathToFileURL(join(import.meta.dirname, "../../support/jumping-clock.ts")).href
      const agent = yield* program(["run", "--data-dir", place.folder.path], {
        node: ["--import", preload],
        env: { JUMPING_CLOCK: clock }
      })
      const session = yield* online(place.id)
      const id = yield* queue(session, [waiting], { timeout_seconds: 600 })
      yield* begun
      for (const days of [30, -60, 0.5]) {
        yield* jump(days)
        // Other commands run meanwhile.
        assert.deepInclude(yield* end(yield* queue(session, ["true"], { working_directory: aside })), {
          outcome: "succeeded"
        }, String(days))
      }
      assert.deepInclude(yield* read(id), { status: "running", lost: false })
      // The log uses the system clock and shows the jump.
      assert.match(
        readFileSync(place.folder.file("device.log"), "utf8"),
        new RegExp(`"at":"${new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 8)}`)
      )
      yield* go
      assert.deepInclude(yield* end(id), { outcome: "succeeded" })
      assert.strictEqual(timesRun(), 1)
      agent.child.kill("SIGTERM")
      assert.strictEqual((yield* agent.ended).code, 0)
    }))
})

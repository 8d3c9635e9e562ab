/**
 * The agent at the limits of a machine: a full disk, a flood of output, oversized results, and links that change during
 * access.
 */
import { makePlaces } from "@countersign/desktop/device/files/places"
import { Refusal } from "@countersign/desktop/device/results/refusal"
import { toolOf } from "@countersign/desktop/device/tools/registry"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { atWork, paired, program, temporary, until } from "../../support/device-agent.ts"
import { HubTest, TestHub } from "../../support/hub.ts"
import { requireFor } from "../../support/required.ts"
import { allow, operatorOf } from "./world.ts"

/** A file system of one mebibyte; none where this user may not mount one. */
const smallDisk = Effect.gen(function*() {
  const path = yield* temporary
  return yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", path]).status === 0 ? path : undefined
    ),
    (mounted) => Effect.sync(() => mounted === undefined ? undefined : spawnSync("umount", ["-l", mounted]))
  )
})

const residentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024

layer(HubTest(), { excludeTestServices: true })("the device agent at its limits", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const place = yield* paired(hub, hub.owner)
    return { ...hub, hub, place, ...operatorOf(hub, hub.owner) }
  })

  it.effect("on a full disk no command begins without a journal entry, running ones succeed, and new ones run when there is space", (context) =>
    Effect.gen(function*() {
      const disk = yield* smallDisk
      if (disk === undefined) {
        return requireFor(context, {
          reason: "this user cannot mount a file system",
          provide: "run as root with CAP_SYS_ADMIN"
        })
      }
      const hub = yield* TestHub
      const { end, queue, running, text } = operatorOf(hub, hub.owner)
      const place = yield* paired(hub, hub.owner, disk)
      // The program's other files are on another disk.
      const elsewhere = yield* temporary
      const go = join(elsewhere, "go")
      const waiting = place.script("waiting", `while [ ! -e ${go} ]; do sleep 0.05; done; echo ended`)
      const touch = place.script("touching", `touch ${join(elsewhere, "touched")}`)
      place.rules([allow(waiting), allow(touch), allow("true")], { sandbox: "off" })
      mkdirSync(join(place.root, "aside"))
      const { lines, session } = yield* atWork(hub, hub.owner, place)
      const id = yield* queue(session, [waiting])
      yield* running(id)
      const filler = join(disk, "filler")
      const fill = Effect.sync(() =>
        assert.notStrictEqual(spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=4k"]).status, 0)
      )
      yield* fill
      const refused = yield* end(yield* queue(session, [touch], { working_directory: join(place.root, "aside") }))
      assert.deepStrictEqual([refused.outcome, refused.error.code], ["failed", "journal_failed"])
      assert.isFalse(existsSync(join(elsewhere, "touched")))
      writeFileSync(go, "")
      assert.deepInclude(yield* end(id), { outcome: "succeeded" })
      assert.strictEqual(yield* text(id), "ended\n")
      assert.isTrue(lines.some(({ event }) => event === "journal_failed"))
      rmSync(filler)
      assert.deepInclude(yield* end(yield* queue(session, [touch])), { outcome: "succeeded" })
    }))

  it.effect("a result too large for a frame is cut, and the device stays connected", () =>
    Effect.gen(function*() {
      const { end, hub, owner, place, queue } = yield* world
      place.rules([{ effect: "allow", tool: "fs.list" }, allow("true")])
      const many = join(place.root, "many")
      mkdirSync(many)
      // Three bytes per character: fewer characters than the limit, more bytes than a frame accepts.
      for (let at = 0; at < 4_000; at++) writeFileSync(join(many, `${"漢".repeat(80)}${at}`), "")
      const { session } = yield* atWork(hub, owner, place)
      const { body } = yield* hub.api("POST", `/devices/sessions/${session}/commands`, {
        cookie: owner.cookie,
        body: { tool: "fs.list", input: { path: "many" } }
      })
      const ended = yield* end(body.id)
      assert.strictEqual(ended.outcome, "succeeded")
      assert.isTrue(ended.result.truncated)
      assert.deepInclude(yield* end(yield* queue(session, ["true"])), { outcome: "succeeded" })
    }))

  it.effect(
    "D20: a flood of output does not grow the agent's memory, and another command runs meanwhile",
    () =>
      Effect.gen(function*() {
        const { end, online, output, place, queue, read, running } = yield* world
        const go = join(place.root, "stop")
        // A hundred thousand lines a second, as far as the machine is fast enough.
        const flood = place.script(
          "flood",
          `while [ ! -e ${go} ]; do yes ${"x".repeat(79)} | head -c 800000; sleep 0.1; done`
        )
        place.rules([allow(flood), allow("echo", "**")])
        mkdirSync(join(place.root, "aside"))
        const agent = yield* program(["run", "--data-dir", place.folder.path])
        const session = yield* online(place.id)
        // Excludes the one-time cost of running any command from the measurement.
        assert.deepInclude(yield* end(yield* queue(session, ["echo", "hello"])), { outcome: "succeeded" })
        const idle = residentBytes(agent.child.pid!)
        const id = yield* queue(session, [flood])
        yield* running(id)
        let most = 0
        // Until it has printed enough to measure: the offset counts all printed output, kept or dropped.
        yield* until(
          Effect.map(read(id), ({ output_bytes }) => {
            most = Math.max(most, residentBytes(agent.child.pid!))
            return output_bytes
          }),
          (bytes) => bytes > 40_000_000
        )
        assert.deepInclude(
          yield* end(yield* queue(session, ["echo", "hello"], { working_directory: join(place.root, "aside") })),
          { outcome: "succeeded" }
        )
        writeFileSync(go, "")
        const ended = yield* end(id)
        assert.deepInclude(ended, { outcome: "succeeded" })
        most = Math.max(most, residentBytes(agent.child.pid!))
        assert.isBelow((most - idle) / 2 ** 20, 60)
        // The head is complete, and so is the end.
        const [first] = yield* output(id)
        assert.strictEqual(first.offset, 0)
        assert.isAbove(ended.dropped_bytes, 30_000_000)
      })
  )

  it.effect("D14: a link that is swapped continuously during reads and writes never leads out of the root", () =>
    Effect.gen(function*() {
      const home = yield* temporary
      const root = join(home, "root")
      for (const folder of [root, join(root, "inside"), join(home, "outside")]) mkdirSync(folder)
      writeFileSync(join(root, "inside", "file"), "mine")
      writeFileSync(join(home, "outside", "file"), "secret")
      const swapper = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, [
            "-e",
            `
        const { renameSync, symlinkSync } = require("node:fs")
        for (let n = 0; ; n++) {
          symlinkSync(n % 2 === 0 ? "inside" : "../outside", "draft")
          renameSync("draft", "link")
          if (n === 10) process.stdout.write("swapping")
        }`
          ], { cwd: root, stdio: ["ignore", "pipe", "ignore"] })
        ),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      yield* Effect.promise(() => new Promise((done) => swapper.stdout.once("data", done)))
      const places = makePlaces([root], [])
      const counts = new Map<string, number>()
      const use = async (tool: "fs.read" | "fs.write", input: object): Promise<string> => {
        const directory = places.directory(root)
        try {
          const prepared = toolOf(tool)({
            command: "cmd_test",
            input,
            directory,
            places,
            copies: home,
            rules: { version: 1, rules: [] },
            isAgent: false
          })
          try {
            const { result } = await prepared.run({
              print: () => {},
              stop: new AbortController().signal,
              kill: new AbortController().signal,
              consented: false
            })
            return (result as { readonly content?: string }).content ?? "written"
          } finally {
            prepared.close?.()
          }
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          return error.code
        } finally {
          directory.close()
        }
      }
      for (let at = 0; at < 1_500; at++) {
        const read = yield* Effect.promise(() => use("fs.read", { path: "link/file" }))
        const written = yield* Effect.promise(() => use("fs.write", { path: "link/file", content: "mine" }))
        for (const word of [read, written]) counts.set(word, (counts.get(word) ?? 0) + 1)
        assert.notStrictEqual(read, "secret")
      }
      assert.strictEqual(readFileSync(join(home, "outside", "file"), "utf8"), "secret")
      // Both cases occurred.
      assert.isAbove(counts.get("mine") ?? 0, 0)
      assert.isAbove(counts.get("outside_root") ?? 0, 0)
      assert.strictEqual(execFileSync("ls", [join(home, "outside")], { encoding: "utf8" }), "file\n")
    }))
})

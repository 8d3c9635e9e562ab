/**
 * The device agent against a real hub over a real socket: what it runs, what it refuses, and how it stops. Spec:
 * reference/devices.md "Security rules".
 */
import { processesOf } from "@countersign/desktop/device/programs/process-tree"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { atWork, missingSandbox, paired, program, until } from "../../support/device-agent.ts"
import { expectStatus, HubTest, TestHub } from "../../support/hub.ts"
import { requireFor } from "../../support/required.ts"

layer(HubTest(), { excludeTestServices: true })("the device agent", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const place = yield* paired(hub, hub.owner)
    const as = { cookie: hub.owner.cookie }
    const queue = (session: string, argv: ReadonlyArray<string>, more: object = {}, input: object = {}) =>
      Effect.map(
        hub.api("POST", `/devices/sessions/${session}/commands`, {
          ...as,
          body: { tool: "shell.run", input: { argv, ...input }, ...more }
        }),
        (answer) => expectStatus(answer, 201).body.id as string
      )
    const read = (id: string) => Effect.map(hub.api("GET", `/devices/commands/${id}`, as), ({ body }) => body)
    const end = (id: string) =>
      until(read(id), ({ status }) => status === "done" || status === "cancelled" || status === "expired")
    const running = (id: string) => until(read(id), ({ status }) => status === "running")
    const output = (id: string) => Effect.map(hub.api("GET", `/devices/commands/${id}/output`, as), ({ body }) => body)
    return { ...hub, hub, as, place, queue, read, end, running, output }
  })
  const allow = (...argv: ReadonlyArray<string>) => ({ effect: "allow", tool: "shell.run", argv })

  it.effect("runs what its rules allow and reports output, in order, and exit code", () =>
    Effect.gen(function*() {
      const { end, hub, output, owner, place, queue } = yield* world
      const talk = place.script("talk", "pwd; echo zażółć; cat; exit 3")
      place.rules([allow("true"), allow(talk)])
      const { session } = yield* atWork(hub, owner, place)
      assert.deepInclude(yield* end(yield* queue(session, ["true"])), {
        status: "done",
        outcome: "succeeded",
        exit_code: 0,
        output_bytes: 0
      })
      const id = yield* queue(session, [talk], {}, { stdin: "from stdin" })
      assert.deepInclude(yield* end(id), { outcome: "failed", exit_code: 3 })
      const { data } = yield* output(id)
      assert.strictEqual(
        data.map((chunk: { data: string }) => chunk.data).join(""),
        `${place.root}\nzażółć\nfrom stdin`
      )
    }))

  it.effect("runs commands that print NUL, one after another, and reports their bytes unchanged", () =>
    Effect.gen(function*() {
      const { end, hub, output, owner, place, queue, as } = yield* world
      const print = place.script("print", "printf 'a\\0b'; printf 'c\\0d' >&2")
      place.rules([allow(print), { effect: "allow", tool: "fs.read" }])
      writeFileSync(join(place.root, "bytes"), "x\0y")
      const { session } = yield* atWork(hub, owner, place)
      // More than a device runs at a time: a command that did not settle would keep its slot.
      for (let at = 0; at < 6; at++) {
        const id = yield* queue(session, [print])
        assert.deepInclude(yield* end(id), { outcome: "succeeded", dropped_bytes: 0 })
        const { data } = yield* output(id)
        for (const [stream, printed] of [["stdout", "a\0b"], ["stderr", "c\0d"]]) {
          const chunks: ReadonlyArray<{ stream: string; data: string; encoding: BufferEncoding }> = data
          const bytes = Buffer.concat(
            chunks.filter((chunk) => chunk.stream === stream).map((chunk) => Buffer.from(chunk.data, chunk.encoding))
          )
          assert.strictEqual(bytes.toString(), printed)
        }
      }
      const read = yield* hub.api("POST", `/devices/sessions/${session}/commands`, {
        ...as,
        body: { tool: "fs.read", input: { path: "bytes" } }
      })
      assert.deepInclude((yield* end(read.body.id)).result, {
        encoding: "base64",
        content: Buffer.from("x\0y").toString("base64")
      })
    }))

  it.effect("D13, D17: programs get a short environment, and output never contains the device's key", () =>
    Effect.gen(function*() {
      const { end, hub, output, owner, place, queue } = yield* world
      const show = place.script(
        "show",
        `env; cat ${
          place.folder.file("device.key")
        } | fold -w 20 | while read -r part; do printf %s "$part"; done; base64 -w 0 ${place.folder.file("device.key")}`
      )
      place.rules([{ ...allow(show), env: ["GREETING"] }], { sandbox: "off" })
      const key = readFileSync(place.folder.file("device.key"), "utf8").trim()
      const { session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, [show], {}, { env: { GREETING: "hello" } })
      assert.deepInclude(yield* end(id), { outcome: "succeeded" })
      const printed = (yield* output(id)).data.map((chunk: { data: string }) => chunk.data).join("")
      assert.include(printed, "GREETING=hello")
      assert.include(printed, "[masked]")
      assert.notInclude(printed, key)
      assert.notInclude(printed, Buffer.from(key).toString("base64").slice(0, 32))
      const names = printed.split("\n").flatMap((line: string) => /^([A-Z_]+)=/.exec(line)?.[1] ?? [])
      assert.isEmpty(
        names.filter((name: string) =>
          ![
            "PATH",
            "HOME",
            "USER",
            "LOGNAME",
            "TMPDIR",
            "TERM",
            "PWD",
            "OLDPWD",
            "_",
            "SHLVL",
            "LANG",
            "LC_ALL",
            "LC_CTYPE",
            "TZ",
            "GREETING",
            "COUNTERSIGN_COMMAND_ID"
          ].includes(name)
        )
      )
      const preloaded = yield* end(yield* queue(session, [show], {}, { env: { LD_PRELOAD: "/tmp/x.so" } }))
      assert.deepInclude(preloaded, { outcome: "denied" })
      assert.strictEqual(preloaded.error.code, "environment_refused")
    }))

  it.effect("D7, D10: denies by rule and without an approver, never allows a shell, and allows nothing with a broken rules file", () =>
    Effect.gen(function*() {
      const { end, hub, owner, place, queue } = yield* world
      const touch = place.script("touch-it", `touch ${join(place.root, "touched")}`)
      place.rules([allow("true"), allow(touch), { effect: "deny", tool: "shell.run", argv: [touch, "**"] }])
      const { lines, session } = yield* atWork(hub, owner, place)
      const outcomeOf = function*(argv: ReadonlyArray<string>) {
        const { error, outcome } = yield* end(yield* queue(session, argv))
        return [outcome, error?.code]
      }
      assert.deepStrictEqual(yield* outcomeOf([touch]), ["denied", "denied_by_rule"])
      assert.deepStrictEqual(yield* outcomeOf(["uname"]), ["denied", "no_one_to_ask"])
      assert.deepStrictEqual(yield* outcomeOf(["sh", "-c", "true"]), ["denied", "no_one_to_ask"])
      assert.deepStrictEqual(yield* outcomeOf(["no-such-program"]), ["failed", "not_found"])
      place.rules([allow("sh", "-c", "true")])
      assert.deepStrictEqual(yield* outcomeOf(["sh", "-c", "true"]), ["denied", "rules_invalid"])
      assert.deepStrictEqual(yield* outcomeOf(["true"]), ["denied", "rules_invalid"])
      assert.isFalse(existsSync(join(place.root, "touched")))
      // D21: the log contains the denial and has mode 0600.
      assert.isTrue(lines.some(({ event, verdict }) => event === "command_judged" && verdict === "deny"))
      assert.strictEqual(statSync(place.folder.file("device.log")).mode & 0o777, 0o600)
      assert.include(readFileSync(place.folder.file("device.log"), "utf8"), "denied_by_rule")
    }))

  const stubborn =
    "trap '' INT TERM; setsid sh -c 'trap \"\" INT TERM HUP; sleep 300; sleep 300' & sleep 300; sleep 300; sleep 300"

  it.effect("D18: a cancel ends the whole tree of a forking child that ignores signals", () =>
    Effect.gen(function*() {
      const { api, as, end, hub, owner, place, queue, running } = yield* world
      const script = place.script("stubborn", stubborn)
      place.rules([allow(script)], { sandbox: "off" })
      const { session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, [script])
      yield* running(id)
      yield* until(Effect.sync(() => processesOf(id, undefined).length), (count) => count >= 3)
      expectStatus(yield* api("POST", `/devices/commands/${id}/cancel`, as), 200)
      assert.deepInclude(yield* end(id), { status: "cancelled", outcome: "cancelled" })
      assert.deepStrictEqual(processesOf(id, undefined), [])
    }))

  it.effect("ends and reports a command that runs longer than its timeout", () =>
    Effect.gen(function*() {
      const { end, hub, owner, place, queue } = yield* world
      place.rules([allow("sleep", "*")])
      const { session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, ["sleep", "300"], { timeout_seconds: 1 })
      const ended = yield* end(id)
      assert.deepInclude(ended, { outcome: "timed_out" })
      assert.strictEqual(ended.error.code, "timed_out")
      assert.deepStrictEqual(processesOf(id, undefined), [])
    }))

  it.effect("D14: refuses at execution a link that was swapped out of the root", () =>
    Effect.gen(function*() {
      const { end, hub, owner, place, queue } = yield* world
      place.rules([allow("pwd")])
      mkdirSync(join(place.root, "inside"))
      const link = join(place.root, "link")
      symlinkSync(join(place.root, "inside"), link)
      const { session } = yield* atWork(hub, owner, place)
      assert.deepInclude(yield* end(yield* queue(session, ["pwd"], { working_directory: link })), {
        outcome: "succeeded"
      })
      rmSync(link)
      symlinkSync("/", link)
      const refused = yield* end(yield* queue(session, ["pwd"], { working_directory: link }))
      assert.deepStrictEqual([refused.outcome, refused.error.code], ["denied", "outside_root"])
    }))

  it.effect("D16: a required sandbox restricts writes to the roots and hides the agent's own data; without a sandbox nothing runs", (context) =>
    Effect.gen(function*() {
      const { end, hub, output, owner, place, queue } = yield* world
      const outside = join(place.root, "..", "outside")
      const script = place.script("escape", `touch inside; touch ${outside}; ls -A ${place.folder.path}; echo end`)
      place.rules([allow(script)], { sandbox: "required" })
      const { session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, [script])
      const ended = yield* end(id)
      assert.isFalse(existsSync(outside))
      if (missingSandbox() !== undefined) {
        assert.deepStrictEqual([ended.outcome, ended.error.code], ["denied", "sandbox_missing"])
        return requireFor(context, missingSandbox())
      }
      assert.strictEqual(ended.outcome, "succeeded")
      const { data } = yield* output(id)
      assert.strictEqual(
        data.filter(({ stream }: { stream: string }) => stream === "stdout").map((chunk: { data: string }) =>
          chunk.data
        ).join(""),
        "end\n"
      )
      assert.isTrue(existsSync(join(place.root, "inside")))
    }))

  it.effect("kills its trees, deletes its key, and exits with 77 when it is revoked while a command runs", () =>
    Effect.gen(function*() {
      const { api, as, hub, owner, place, queue, read, running } = yield* world
      const script = place.script("stubborn", stubborn)
      place.rules([allow(script)], { sandbox: "off" })
      const { ended, session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, [script])
      yield* running(id)
      yield* until(Effect.sync(() => processesOf(id, undefined).length), (count) => count >= 3)
      expectStatus(yield* api("DELETE", `/devices/${place.id}`, as), 204)
      assert.strictEqual(yield* ended, 77)
      assert.deepStrictEqual(processesOf(id, undefined), [])
      assert.isFalse(existsSync(place.folder.file("device.key")))
      assert.deepInclude(yield* read(id), { status: "done", outcome: "interrupted" })
    }))

  it.effect("drains: running commands finish, no new one begins, and it exits with 0", () =>
    Effect.gen(function*() {
      const { end, hub, owner, place, queue, read, running } = yield* world
      const wait = place.script("wait", `while [ ! -e ${join(place.root, "go")} ]; do sleep 0.05; done`)
      place.rules([allow(wait), allow("true")])
      const { drain, ended, session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, [wait])
      yield* running(id)
      drain()
      yield* until(hub.api("GET", `/devices/${place.id}`, { cookie: owner.cookie }), ({ body }) =>
        body.state === "draining")
      const second = yield* queue(session, ["true"])
      mkdirSync(join(place.root, "go"))
      assert.strictEqual(yield* ended, 0)
      assert.deepInclude(yield* end(id), { outcome: "succeeded" })
      assert.strictEqual((yield* read(second)).status, "queued")
      // After the restart it runs the pending command.
      yield* atWork(hub, owner, place)
      assert.deepInclude(yield* end(second), { outcome: "succeeded" })
    }))

  it.effect("D19: killed between start and done, it reports interrupted, leaves no process, and runs nothing twice", () =>
    Effect.gen(function*() {
      const { end, hub, owner, place, queue, running } = yield* world
      const script = place.script("count", `echo ran >> ${join(place.root, "ran")}; sleep 300`)
      place.rules([allow(script)], { sandbox: "off" })
      const first = yield* program(["run", "--data-dir", place.folder.path])
      const online = yield* until(
        hub.api("GET", `/devices/${place.id}`, { cookie: owner.cookie }),
        ({ body }) => body.presence === "online"
      )
      const id = yield* queue(online.body.session.id, [script])
      yield* running(id)
      yield* until(Effect.sync(() => existsSync(join(place.root, "ran"))), (made) => made)
      first.child.kill("SIGKILL")
      yield* first.ended
      assert.isNotEmpty(processesOf(id, undefined))
      yield* atWork(hub, owner, place)
      assert.deepInclude(yield* end(id), { status: "done", outcome: "interrupted" })
      assert.deepStrictEqual(processesOf(id, undefined), [])
      assert.strictEqual(readFileSync(join(place.root, "ran"), "utf8"), "ran\n")
    }))

  it.effect("of two copies the older exits with 5, and only a person brings it back", () =>
    Effect.gen(function*() {
      const { api, hub, owner, place } = yield* world
      const { ended } = yield* atWork(hub, owner, place)
      const key = readFileSync(place.folder.file("device.key"), "utf8").trim()
      const other = { status: "online", instance_id: "copied", boot_id: "another" }
      expectStatus(yield* api("POST", `/devices/${place.id}/heartbeat`, { key, body: other }), 200)
      assert.strictEqual(yield* ended, 5)
      const again = yield* program(["run", "--data-dir", place.folder.path])
      assert.strictEqual((yield* again.ended).code, 5)
      yield* atWork(hub, owner, place, { takeOver: true })
    }))
})

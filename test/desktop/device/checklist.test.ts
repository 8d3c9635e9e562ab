/**
 * Security rules of devices that no other file tests: the agent against a real hub. Spec: reference/devices.md
 * "Security rules".
 */
import { processesOf } from "@countersign/desktop/device/programs/process-tree"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { atWork, paired } from "../../support/device-agent.ts"
import { expectStatus, HubTest, TestHub } from "../../support/hub.ts"
import { allow, operatorOf } from "./world.ts"

layer(HubTest(), { excludeTestServices: true })("security rules of the device agent", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const place = yield* paired(hub, hub.owner)
    return { ...hub, hub, place, ...operatorOf(hub, hub.owner) }
  })

  it.effect("D5: no grant or message of the hub changes the device's rules", () =>
    Effect.gen(function*() {
      const { api, end, hub, owner, place, queue } = yield* world
      place.rules([allow("true")])
      const file = place.folder.file("device.rules.json")
      const before = [readFileSync(file, "utf8"), statSync(file).mtimeMs]
      const { session } = yield* atWork(hub, owner, place)
      expectStatus(
        yield* api("PATCH", `/devices/${place.id}`, {
          cookie: owner.cookie,
          body: { granted: ["shell.run", "fs.write"], agents: "*" }
        }),
        200
      )
      assert.deepInclude(yield* end(yield* queue(session, ["uname"])), { outcome: "denied" })
      const { body } = expectStatus(
        yield* api("POST", `/devices/sessions/${session}/commands`, {
          cookie: owner.cookie,
          body: { tool: "fs.write", input: { path: file, content: "{\"version\":1,\"rules\":[]}" } }
        }),
        201
      )
      assert.deepInclude(yield* end(body.id), { outcome: "denied" })
      assert.deepStrictEqual([readFileSync(file, "utf8"), statSync(file).mtimeMs], before)
    }))

  it.effect("D6: a command is a list of arguments that no shell interprets, whatever they contain", () =>
    Effect.gen(function*() {
      const { end, hub, owner, place, queue, text } = yield* world
      place.rules([allow("printf", "**")])
      const { session } = yield* atWork(hub, owner, place)
      const words = [
        "$(touch made)",
        "`touch made`",
        "; touch made",
        "&& touch made",
        "| touch made",
        "> made",
        "*",
        "~",
        "$HOME",
        "a  b",
        "'",
        "\"",
        "\\n",
        "\n"
      ]
      const id = yield* queue(session, ["printf", "<%s>", ...words])
      assert.deepInclude(yield* end(id), { outcome: "succeeded" })
      assert.strictEqual(yield* text(id), words.map((word) => `<${word}>`).join(""))
      assert.isFalse(existsSync(join(place.root, "made")))
    }))

  it.effect("D8: a chain of commands is a shell command, and no rule for one of its parts allows it", () =>
    Effect.gen(function*() {
      const { end, hub, owner, place, queue, text } = yield* world
      place.rules([allow("true"), allow("echo", "**")])
      const { session } = yield* atWork(hub, owner, place)
      for (
        const chain of [
          "true && echo x",
          "true; echo x",
          "echo x | echo y",
          "echo $(true)",
          "echo x > made",
          "true &",
          "echo 'unparsable"
        ]
      ) {
        const ended = yield* end(yield* queue(session, ["sh", "-c", chain]))
        assert.deepStrictEqual([ended.outcome, ended.error.code], ["denied", "no_one_to_ask"], chain)
      }
      // As arguments of an allowed command they are literal.
      const id = yield* queue(session, ["echo", "x", "&&", "touch", "made"])
      assert.deepInclude(yield* end(id), { outcome: "succeeded" })
      assert.strictEqual(yield* text(id), "x && touch made\n")
      assert.isFalse(existsSync(join(place.root, "made")))
    }))

  it.effect("D12: reads the rules again when a command's turn comes", () =>
    Effect.gen(function*() {
      const { end, hub, owner, place, queue, read, running } = yield* world
      const wait = place.script("wait", `while [ ! -e ${join(place.root, "go")} ]; do sleep 0.05; done`)
      place.rules([allow(wait), allow("true")])
      const { session } = yield* atWork(hub, owner, place)
      const first = yield* queue(session, [wait])
      yield* running(first)
      // It is acknowledged and allowed by now, and waits for the directory.
      const second = yield* queue(session, ["true"])
      place.rules([allow(wait), { effect: "deny", tool: "shell.run", argv: ["true"] }])
      assert.notStrictEqual((yield* read(second)).status, "done")
      writeFileSync(join(place.root, "go"), "")
      assert.deepInclude(yield* end(first), { outcome: "succeeded" })
      const ended = yield* end(second)
      assert.deepStrictEqual([ended.outcome, ended.error.code], ["denied", "denied_by_rule"])
    }))

  it.effect("D18: children that daemonize, ignore every signal, and outlive their parent end with the command", () =>
    Effect.gen(function*() {
      const { end, hub, owner, place, queue } = yield* world
      // The program itself succeeds at once; its children are in separate sessions.
      const left =
        "setsid sh -c \"trap '' INT TERM HUP QUIT; (trap '' TERM; setsid sleep 300 &) ; sleep 300\" >/dev/null 2>&1 &"
      const script = place.script("leaving", `${left}\n${left}\nexit 0`)
      place.rules([allow(script)], { sandbox: "off" })
      const { session } = yield* atWork(hub, owner, place)
      const id = yield* queue(session, [script])
      assert.deepInclude(yield* end(id), { outcome: "succeeded" })
      assert.deepStrictEqual(processesOf(id, undefined), [])
    }))

  it.effect("D21: the local log is append-only, has mode 0600, and contains denials", () =>
    Effect.gen(function*() {
      const { end, hub, owner, place, queue } = yield* world
      place.rules([allow("true"), { effect: "deny", tool: "shell.run", argv: ["uname", "**"] }])
      const { session } = yield* atWork(hub, owner, place)
      const log = place.folder.file("device.log")
      let before = ""
      for (const argv of [["true"], ["uname", "-a"], ["id"], ["no-such-program"]]) {
        yield* end(yield* queue(session, argv))
        const now = readFileSync(log, "utf8")
        assert.isTrue(now.startsWith(before))
        assert.isAbove(now.length, before.length)
        before = now
      }
      assert.strictEqual(statSync(log).mode & 0o777, 0o600)
      const lines = before.trim().split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        lines.filter(({ event }) => event === "command_ended").map(({ error, outcome }) => [outcome, error?.code]),
        [["succeeded", undefined], ["denied", "denied_by_rule"], ["denied", "no_one_to_ask"], ["failed", "not_found"]]
      )
      assert.isTrue(lines.every(({ at }) => !Number.isNaN(Date.parse(at))))
    }))
})

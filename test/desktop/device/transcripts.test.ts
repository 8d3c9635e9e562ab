/** Command output kept on the device itself: complete, masked, mode 0600, for 7 days and 256 MiB. D20, D21. */
import {
  listTranscripts,
  printTranscripts,
  readTranscript,
  visible
} from "@countersign/desktop/device/transcript-reader"
import { openTranscripts, type TranscriptsOptions } from "@countersign/desktop/device/transcripts"
import { assert, describe, it as pure, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { atWork, paired, program, until } from "../../support/device-agent.ts"
import { expectStatus, HubTest, TestHub } from "../../support/hub.ts"

const home = mkdtempSync(join(tmpdir(), "device-transcripts-"))
afterAll(() => rmSync(home, { recursive: true }))

let made = 0
const place = () => join(home, `folder-${made++}`)
const opened = (folder: string, options: Partial<TranscriptsOptions> = {}) => {
  const problems: Array<string> = []
  return {
    problems,
    kept: openTranscripts(folder, {
      mask: (text) => text.replaceAll("hidden", "[masked]"),
      onProblem: (id) => problems.push(id),
      ...options
    })
  }
}
const facts = { tool: "shell.run", what: "{\"argv\":[\"x\",\"hidden\"]}", requested_by: "Ann" }

const printed = async (folder: string, id: string): Promise<string> => {
  let text = ""
  for await (const entry of readTranscript(folder, id)) if (entry.type === "output") text += entry.data
  return text
}

describe("a device's record of its commands' output", () => {
  pure("contains the output unchanged, with the command and its result, and has mode 0600", async () => {
    const folder = place()
    const { kept, problems } = opened(folder)
    kept.begin("cmd_1", facts)
    kept.write("cmd_1", "stdout", Buffer.from("zażółć\n"))
    kept.write("cmd_1", "stderr", Buffer.from([0xff, 0x00]))
    // While it runs.
    assert.deepInclude(listTranscripts(folder)[0], { id: "cmd_1", end: undefined })
    kept.end("cmd_1", { outcome: "failed", exit_code: 3 })
    kept.begin("cmd_2", facts)
    const [second, first] = listTranscripts(folder)
    assert.strictEqual(second?.id, "cmd_2")
    assert.deepInclude(first?.begin, { ...facts, what: "{\"argv\":[\"x\",\"[masked]\"]}" })
    assert.deepInclude(first?.end, { outcome: "failed", exit_code: 3 })
    assert.strictEqual(statSync(folder).mode & 0o777, 0o700)
    for (const name of readdirSync(folder)) assert.strictEqual(statSync(join(folder, name)).mode & 0o777, 0o600)
    const texts: Array<string | Uint8Array> = []
    const streams = {
      out: (text: string | Uint8Array) => texts.push(text),
      err: (text: string | Uint8Array) => texts.push(text),
      terminal: false
    }
    await printTranscripts(folder, "cmd_1", streams)
    assert.deepStrictEqual(texts.slice(1, 3), ["zażółć\n", Buffer.from([0xff, 0x00])])
    assert.match(String(texts[0]), /asked by Ann/)
    assert.match(String(texts[3]), /failed, exit code 3/)
    assert.isEmpty(problems)
    kept.close()
  })

  pure("stays below its limit: the oldest output is deleted first, and the beginning of a flood", async () => {
    const folder = place()
    const { kept } = opened(folder, { bytesMax: 1_000_000, pieceMax: 100_000 })
    const on = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    kept.begin("cmd_old", facts)
    kept.write("cmd_old", "stdout", Buffer.from("old"))
    kept.end("cmd_old", { outcome: "succeeded" })
    kept.begin("cmd_slow", facts)
    kept.begin("cmd_flood", facts)
    for (let at = 0; at < 3_000; at++) {
      kept.write("cmd_flood", "stdout", Buffer.from(`${at} ${"x".repeat(1_000)}\n`))
      assert.isAtMost(on(), 1_000_000)
    }
    kept.write("cmd_slow", "stdout", Buffer.from("still here"))
    kept.end("cmd_flood", { outcome: "succeeded" })
    assert.isFalse(readdirSync(folder).some((name) => name.startsWith("cmd_old")))
    const lines = (await printed(folder, "cmd_flood")).trimEnd().split("\n").map((line) => Number(line.split(" ")[0]))
    assert.strictEqual(lines.at(-1), 2_999)
    assert.deepStrictEqual(lines, lines.map((_, at) => lines[0]! + at))
    assert.isAbove(lines.length, 700)
    assert.strictEqual(await printed(folder, "cmd_slow"), "still here")
    for await (const first of readTranscript(folder, "cmd_flood")) {
      assert.strictEqual(first.type, "cut")
      break
    }
    kept.close()
    // A later start with a lower limit deletes more, and counts the disk space of empty files.
    const { kept: later } = opened(folder, { bytesMax: 300_000, pieceMax: 100_000 })
    assert.isAtMost(on(), 300_000)
    for (let at = 0; at < 100; at++) {
      later.begin(`cmd_short${at}`, facts)
      later.end(`cmd_short${at}`, { outcome: "succeeded" })
    }
    assert.isAtMost(readdirSync(folder).length, 75)
    later.close()
  })

  pure("is deleted after 7 days", () => {
    const folder = place()
    const { kept } = opened(folder)
    for (const id of ["cmd_1", "cmd_2"]) {
      kept.begin(id, facts)
      kept.end(id, { outcome: "succeeded" })
    }
    kept.close()
    const before = (days: number) => new Date(Date.now() - days * 86_400_000)
    utimesSync(join(folder, "cmd_1.000000.jsonl"), before(8), before(8))
    utimesSync(join(folder, "cmd_2.000000.jsonl"), before(6), before(6))
    opened(folder).kept.close()
    assert.deepStrictEqual(listTranscripts(folder).map(({ id }) => id), ["cmd_2"])
  })

  pure("is optional: a failed write is reported once for each command and stops nothing", () => {
    const folder = place()
    writeFileSync(folder, "a file, no folder")
    const { kept, problems } = opened(folder)
    kept.begin("cmd_1", facts)
    for (let at = 0; at < 10; at++) kept.write("cmd_1", "stdout", Buffer.from("x"))
    kept.end("cmd_1", { outcome: "succeeded" })
    kept.close()
    assert.deepStrictEqual(problems, ["", "cmd_1"])
  })

  pure("never writes another file, whatever the command id", () => {
    const folder = place()
    const { kept } = opened(folder)
    for (const id of ["../cmd_1", "cmd_1/../../x", "", "cmd_\n", "CON"]) {
      kept.begin(id, facts)
      kept.write(id, "stdout", Buffer.from("x"))
      kept.end(id, { outcome: "succeeded" })
    }
    kept.close()
    assert.isEmpty(readdirSync(folder))
  })

  pure("prints no control characters and no reversed text on a terminal", () => {
    assert.strictEqual(visible("a\tb\n\u001b[2J\u202e"), "a\tb\n\\u001b[2J\\u202e")
  })
})

layer(HubTest(), { excludeTestServices: true })("the agent's record of output", (it) => {
  it.effect(
    "is complete where the hub received only beginning and end, and masked; `log` prints it",
    () =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        const place = yield* paired(hub, hub.owner)
        const as = { cookie: hub.owner.cookie }
        const lines = 200_000
        const flood = place.script(
          "flood",
          `cat ${place.folder.file("device.key")}; seq -f 'line %.0f of a flood that does not pause' 1 ${lines}`
        )
        place.rules([{ effect: "allow", tool: "shell.run", argv: [flood] }], { sandbox: "off" })
        const { session } = yield* atWork(hub, hub.owner, place)
        const { id } = expectStatus(
          yield* hub.api("POST", `/devices/sessions/${session}/commands`, {
            ...as,
            body: { tool: "shell.run", input: { argv: [flood] } }
          }),
          201
        ).body
        const ended = yield* until(
          Effect.map(hub.api("GET", `/devices/commands/${id}`, as), ({ body }) => body),
          ({ status }) => status === "done"
        )
        assert.deepInclude(ended, { outcome: "succeeded" })
        assert.isAbove(ended.dropped_bytes, 0)

        const folder = place.folder.file("output")
        assert.strictEqual(
          yield* Effect.promise(() => printed(folder, id)),
          `[masked]\n${
            Array.from({ length: lines }, (_, at) => `line ${at + 1} of a flood that does not pause\n`).join("")
          }`
        )
        const key = readFileSync(place.folder.file("device.key"), "utf8").trim()
        for (const name of readdirSync(folder)) assert.notInclude(readFileSync(join(folder, name), "utf8"), key)
        const list = yield* program(["log", "--data-dir", place.folder.path])
        assert.strictEqual((yield* list.ended).code, 0)
        assert.match(list.printed(), new RegExp(`${id}  succeeded 0  \\d+ MiB  .*flood`))
        const one = yield* program(["log", id, "--data-dir", place.folder.path])
        assert.strictEqual((yield* one.ended).code, 0)
        assert.match(one.printed(), /line 1 of[^]*line 200000 of/)
        const none = yield* program(["log", "cmd_0", "--data-dir", place.folder.path])
        assert.strictEqual((yield* none.ended).code, 1)
        assert.isTrue(existsSync(folder))
      })
  )
})

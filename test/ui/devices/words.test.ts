import { runningMax as runningMaxOfContract } from "@countersign/domain/device-protocol"
import { tools } from "@countersign/domain/device-tools"
import { CommandStatus, DeviceState, labelsMax as labelsMaxOfContract } from "@countersign/domain/devices"
import { bytesText } from "@countersign/ui/devices/bytes-text"
import { argvOf, lineOf, quoted } from "@countersign/ui/devices/command-line"
import { causeOf, sentenceOf, stateOf } from "@countersign/ui/devices/command-words"
import { labelPattern, labelsIn, labelsMax, loadOf, runningMax, toolsWords } from "@countersign/ui/devices/device-words"
import { devicesWithNewOffers } from "@countersign/ui/devices/new-offers"
import { codeIn, shownCode } from "@countersign/ui/devices/pairing-code"
import { splitWords } from "@countersign/ui/devices/split-words"
import { draftOf, emptyDraft, inputOf, variablesIn } from "@countersign/ui/devices/tool-input"
import type { Command } from "@countersign/ui/hub/queries"
import { commandsText } from "@countersign/ui/text/commands"
import { devicesText } from "@countersign/ui/text/devices"
import { describe, expect, test } from "vitest"

test("every state, status, and tool of the contract has a text", () => {
  expect(Object.keys(devicesText.states).sort()).toEqual([...DeviceState.literals].sort())
  expect(Object.keys(commandsText.statuses).sort()).toEqual([...CommandStatus.literals].sort())
  expect(Object.keys(devicesText.tools).sort()).toEqual([...tools].sort())
  expect([runningMax, labelsMax]).toEqual([runningMaxOfContract, labelsMaxOfContract])
})

describe("a pairing code", () => {
  test.each([
    ["k7m4-q2zx", "K7M4Q2ZX"],
    [" K7M4 Q2ZX ", "K7M4Q2ZX"],
    ["o1il-0000", "01110000"],
    ["K7M4-Q2", "K7M4Q2"],
    ["", ""]
  ])("%j is read as %j", (typed, code) => expect(codeIn(typed)).toBe(code))
  test("is shown as the computer shows it", () => expect(shownCode("K7M4Q2ZX")).toBe("K7M4-Q2ZX"))
})

describe("a pasted line", () => {
  test.each([
    ["git log --oneline -n 5", ["git", "log", "--oneline", "-n", "5"]],
    ["grep 'a b' \"c \\\"d\\\"\" e\\ f", ["grep", "a b", "c \"d\"", "e f"]],
    ["echo '' \"\"", ["echo", "", ""]],
    ["find . \\\n  -name x", ["find", ".", "-name", "x"]],
    ["a'b'c", ["abc"]],
    ["   ", []]
  ])("splits %j", (line, words) => expect(splitWords(line)).toEqual({ words, acts: [], openQuote: false }))
  test("reports shell syntax", () => {
    expect(splitWords("cat *.log | grep $NAME > out && rm `x` &").acts).toEqual([
      "pattern",
      "pipe",
      "variable",
      "redirect",
      "chain",
      "background",
      "substitution"
    ])
    expect(splitWords("echo '$HOME | x'").acts).toEqual([])
  })
  test("reports a quote that is not closed", () => expect(splitWords("echo 'a b").openQuote).toBe(true))
  test("round-trips with quoted words", () => {
    const argv = ["sh", "-c", "it's; \"fine\" $HOME", "", "--x=1,2"]
    expect(splitWords(argv.map(quoted).join(" ")).words).toEqual(argv)
  })
})

const command = (more: Partial<Command>): Command =>
  ({
    id: "cmd_1",
    session_id: "dss_1",
    device_id: "dev_1",
    tool: "shell.run",
    input: { argv: ["df", "-h"] },
    requested_by: { type: "user", id: "usr_1", name: "Ada" },
    status: "queued",
    timeout_seconds: 30,
    queued_at: "2026-11-21T12:00:00Z",
    lost: false,
    output_bytes: 0,
    dropped_bytes: 0,
    ...more
  }) as Command
const started_at = "2026-11-21T12:00:01Z"

describe("the status of a command", () => {
  const { head: sentences } = commandsText
  const away = { presence: "offline", state: "active" } as const
  const there = { presence: "online", state: "active" } as const
  test.each<[string, Partial<Command>, string]>([
    ["queued", {}, sentences.queued],
    ["running", { status: "running", started_at }, sentences.running],
    ["lost", { status: "running", started_at, lost: true }, sentences.lost],
    ["being cancelled", { status: "running", started_at, cancel_requested_at: started_at }, sentences.cancelling],
    ["ended well", { status: "done", outcome: "succeeded", started_at }, sentences.succeeded],
    [
      "ended well before the cancel",
      { status: "done", outcome: "succeeded", cancel_requested_at: started_at },
      sentences.succeededCancel
    ],
    ["denied", { status: "done", outcome: "denied" }, sentences.denied],
    ["timed out", { status: "done", outcome: "timed_out", started_at }, sentences.timed_out("30 seconds")],
    ["interrupted", { status: "done", outcome: "interrupted", started_at }, sentences.interrupted],
    ["cancelled before it began", { status: "cancelled", outcome: "cancelled" }, sentences.cancelledUnstarted],
    ["cancelled", { status: "cancelled", outcome: "cancelled", started_at }, sentences.cancelled],
    [
      "cancelled without a word",
      { status: "cancelled", outcome: "cancelled", started_at, unconfirmed: true },
      sentences.unconfirmed
    ],
    ["expired", { status: "expired" }, sentences.expired]
  ])(
    "describes a command: %s",
    (_, more, sentence) => expect(sentenceOf(commandsText, command(more), there)).toBe(sentence)
  )
  test("names the cause of the delay while it is queued", () => {
    expect(sentenceOf(commandsText, command({}), away)).toBe(sentences.queuedOffline)
    expect(sentenceOf(commandsText, command({}), { presence: "online", state: "paused" })).toBe(sentences.queuedPaused)
  })
  test("has a different text for each status", () => {
    const texts = (
      [
        {},
        { status: "leased" },
        { status: "awaiting_consent" },
        { status: "running" },
        { status: "running", lost: true },
        { status: "running", cancel_requested_at: started_at },
        { status: "done", outcome: "succeeded" },
        { status: "done", outcome: "denied" },
        { status: "done", outcome: "failed" },
        { status: "expired" },
        { status: "cancelled" }
      ] as ReadonlyArray<Partial<Command>>
    ).map((more) => stateOf(commandsText, command(more)).text)
    expect(new Set(texts).size).toBe(texts.length)
  })
  test("has a cause in words for known codes only", () => {
    expect(causeOf(commandsText, { error: { code: "denied_by_rule", message: "x" } })).toBe(
      commandsText.causes.denied_by_rule
    )
    expect(causeOf(commandsText, { error: { code: "toString", message: "x" } })).toBeUndefined()
    expect(causeOf(commandsText, {})).toBeUndefined()
  })
  test("fits in one line", () => {
    expect(lineOf(command({ input: { argv: ["echo", "a b", ""] } }))).toBe("echo 'a b' ''")
    expect(lineOf(command({ tool: "fs.search", input: { path: "/srv", pattern: "x+" } }))).toBe("fs.search x+ /srv")
    expect(argvOf(command({ input: { argv: [1] } as never }))).toBeUndefined()
  })
})

describe("a device", () => {
  const device = { capabilities: ["shell.run", "fs.read", "fs.write"], granted: ["fs.read"], state: "active" } as const
  test("requests again only capabilities that it announced after the last grant", () => {
    const entry = (action: string, at: number, data: object, id = "dev_1") =>
      ({ action, subject: { type: "device", id }, data, created_at: `2026-11-21T12:00:0${at}.000Z` }) as never
    const offers = [entry("device.offers_changed", 5, {})]
    const grant = (at: number, data: object = { granted: ["fs.read"] }) => entry("device.updated", at, data)
    expect([...devicesWithNewOffers(offers, [grant(3)], true)]).toEqual(["dev_1"])
    expect([...devicesWithNewOffers(offers, [grant(7), grant(3)], true)]).toEqual([])
    expect([...devicesWithNewOffers(offers, [grant(7, { name: "renamed" })], true)]).toEqual(["dev_1"])
    expect([...devicesWithNewOffers(offers, [grant(7, { name: "renamed" })], false)]).toEqual([])
  })
  test("has a short text for its tools", () => {
    expect(toolsWords(devicesText, { ...device, granted: [] })).toBe("nothing")
    expect(toolsWords(devicesText, device)).toBe("fs.read")
    expect(toolsWords(devicesText, { ...device, granted: [...device.capabilities] })).toBe("all 3 tools")
  })
  test("shows its load only if it reported both figures", () => {
    expect(loadOf({ load: { busy: 0.456, processors: 8 } })).toEqual({ busy: "0.5", processors: 8 })
    expect(loadOf({ load: { busy: 1 } })).toBeUndefined()
  })
  test("has labels that match the contract's pattern", () => {
    expect(labelsIn(" gpu, eu-west  gpu ")).toEqual(["gpu", "eu-west"])
    expect(["gpu", "Eu", "-x", "a".repeat(64)].map((label) => labelPattern.test(label))).toEqual([
      true,
      false,
      false,
      false
    ])
  })
})

describe("the input of a tool", () => {
  test("is undefined until it is complete", () => {
    expect(inputOf("shell.run", emptyDraft)).toBeUndefined()
    expect(inputOf("shell.run", { ...emptyDraft, program: "df", variables: "no variable" })).toBeUndefined()
    expect(inputOf("http.get", { ...emptyDraft, url: "file:///etc/passwd" })).toBeUndefined()
    expect(inputOf("fs.search", { ...emptyDraft, path: "." })).toBeUndefined()
    expect(inputOf("system.info", emptyDraft)).toEqual({})
  })
  test("keeps empty words and values", () => {
    expect(inputOf("shell.run", { ...emptyDraft, program: "echo", words: ["", " x "], variables: "A=\nB=c=d" }))
      .toEqual({
        argv: ["echo", "", " x "],
        env: { A: "", B: "c=d" }
      })
    expect(variablesIn("1A=x")).toBeUndefined()
  })
  test("of an earlier command round-trips", () => {
    const input = { argv: ["echo", "a b"], env: { A: "1" }, stdin: "in" }
    expect(inputOf("shell.run", draftOf({ input }))).toEqual(input)
  })
})

test("sizes are shown in the largest fitting unit", () => {
  const format = (bytes: number) => bytesText(commandsText.bytes, bytes)
  expect([0, 999, 1_000, 1_200_000, 999_960, 3_000_000_000].map(format)).toEqual([
    "0 B",
    "999 B",
    "1.0 kB",
    "1.2 MB",
    "1.0 MB",
    "3.0 GB"
  ])
})

import type { OutputChunk } from "@countersign/domain/devices"
import { hueOf, makeAnsiReader } from "@countersign/ui/devices/ansi"
import { type Line, makeOutputLog, textOf } from "@countersign/ui/devices/output-log"
import { breaks, heightMax, makeRowIndex, rowsInSight } from "@countersign/ui/devices/output-rows"
import { describe, expect, test } from "vitest"

/** Chunks as the hub sends them: in order, each stream with its own offset. */
const printer = () => {
  const log = makeOutputLog()
  const at = { stdout: 0, stderr: 0 }
  let seq = 0
  const print = (
    stream: OutputChunk["stream"],
    data: string,
    { skip = 0, encoding = "utf8" as OutputChunk["encoding"] } = {}
  ) => {
    const bytes = Buffer.from(data, encoding === "base64" ? "base64" : "utf8").length
    const chunk = { seq: seq++, stream, data, encoding, offset: at[stream] + skip, created_at: "2026-11-21T12:00:00Z" }
    at[stream] += skip + bytes
    log.push(chunk)
    return chunk
  }
  return { log, print, total: () => at.stdout + at.stderr }
}
const texts = (lines: ReadonlyArray<Line>) =>
  lines.map((line) => (line.kind === "gap" ? `gap of ${line.bytes}` : `${line.stream}: ${line.text}`))

describe("command output", () => {
  test("lists lines in the order of their completion, each of one stream", () => {
    const { log, print } = printer()
    print("stdout", "one\ntw")
    print("stderr", "warning\n")
    print("stdout", "o\nthree")
    expect(texts(log.lines)).toEqual(["stdout: one", "stderr: warning", "stdout: two"])
    expect(texts(log.open())).toEqual(["stdout: three"])
    log.end(999)
    expect(texts(log.lines).slice(3)).toEqual(["stdout: three", "gap of 978"])
  })

  test("ignores repeated chunks", () => {
    const { log, print } = printer()
    const first = print("stdout", "one\n")
    print("stdout", "two\n")
    log.push(first)
    expect(texts(log.lines)).toEqual(["stdout: one", "stdout: two"])
    expect(log.seq()).toBe(1)
  })

  test("reports the number of missing bytes in place", () => {
    const { log, print, total } = printer()
    print("stdout", "begin\nhalf a li")
    print("stdout", "the end\n", { skip: 1_200_000 })
    log.end(total())
    expect(texts(log.lines)).toEqual(["stdout: begin", "stdout: half a li", "gap of 1200000", "stdout: the end"])
    expect(textOf(log.lines, (bytes) => `${bytes} missing`)).toBe("begin\nhalf a li\n[1200000 missing]\nthe end\n")
  })

  test("counts bytes, not characters", () => {
    const { log, print } = printer()
    print("stdout", "grüße 漢字\n")
    print("stdout", "on\n")
    expect(texts(log.lines)).toEqual(["stdout: grüße 漢字", "stdout: on"])
  })

  test("shows invalid UTF-8 with replacement characters", () => {
    const { log, print } = printer()
    print("stdout", Buffer.from([0xff, 0xfe, 0x41, 0x0a]).toString("base64"), { encoding: "base64" })
    expect(texts(log.lines)).toEqual(["stdout: ��A"])
  })

  test("keeps text before a lone carriage return; joins a line break split between chunks", () => {
    const { log, print } = printer()
    print("stdout", "10 %\r50 %\r")
    print("stdout", "100 %\r")
    print("stdout", "\nnext\r\nlast\n")
    expect(texts(log.lines)).toEqual([
      "stdout: 10 %\r",
      "stdout: 50 %\r",
      "stdout: 100 %",
      "stdout: next",
      "stdout: last"
    ])
  })

  test("replaces tabs by spaces, and splits a long line into pieces that belong together", () => {
    const { log, print, total } = printer()
    print("stdout", "a\tb\n")
    print("stdout", "x".repeat(10_000))
    log.end(total())
    const [first, ...rest] = log.lines
    expect(first).toMatchObject({ text: "a       b" })
    expect(rest.map((line) => line.kind === "text" && [line.text.length <= 4_096, line.goesOn])).toEqual([
      [true, true],
      [true, true],
      [true, false]
    ])
    expect(textOf(log.lines, String)).toBe(`a       b\n${"x".repeat(10_000)}\n`)
  })
})

describe("colors", () => {
  const read = (...parts: ReadonlyArray<string>) => {
    const reader = makeAnsiReader()
    return [...parts.flatMap((part) => reader.read(part)), ...reader.end()]
  }
  test("carry over from one piece to the next, also across a split sequence", () => {
    expect(read("plain \u001b[1;3", "1mred\n", "still\u001b[0m not")).toEqual([
      { text: "plain ", look: undefined },
      { text: "red\n", look: { ink: "red", strong: true } },
      { text: "still", look: { ink: "red", strong: true } },
      { text: " not", look: undefined }
    ])
  })
  test("cannot hide text: concealed text and black on black stay visible", () => {
    expect(read("\u001b[8mhidden\u001b[0m\u001b[30;40mblack")).toEqual([
      { text: "hidden", look: undefined },
      { text: "black", look: undefined }
    ])
    expect(read("\u001b[31;41mred on red")).toEqual([{ text: "red on red", look: { ground: "red" } }])
  })
  test("map 256 and 16 million colors to the nearest of ours; inverted text has a background", () => {
    expect(read("\u001b[38;5;196ma\u001b[38;2;10;200;30mb\u001b[0;7mc").map(({ look }) => look)).toEqual([
      { ink: "red" },
      { ink: "green" },
      { ground: "faint" }
    ])
    expect([hueOf(250, 250, 250), hueOf(0, 0, 255), hueOf(255, 255, 0), hueOf(0, 255, 255), hueOf(255, 0, 255)])
      .toEqual([
        undefined,
        "blue",
        "yellow",
        "cyan",
        "magenta"
      ])
  })
  test("removes cursor control sequences, and keeps invalid sequences for boxing", () => {
    expect(
      read("a\u001b[2Kb\u001b]0;title\u0007c")
        .map(({ text }) => text)
        .join("")
    ).toBe("ab\u001b]0;title\u0007c")
  })
})

describe("rows", () => {
  const lines = (...all: ReadonlyArray<string>): Array<Line> =>
    all.map((text) => ({ kind: "text", stream: "stdout", text, marks: [], goesOn: false }))
  const all = () => true
  test("have the view's width and wrap longer lines", () => {
    const index = makeRowIndex(lines("x".repeat(25), "", "yz"), 10, all)
    expect(index.count()).toBe(5)
    expect(
      Array.from({ length: 5 }, (_, at) => index.row(at)).map((
        row
      ) => [row?.part, row?.runs.map(({ text }) => text).join("")])
    ).toEqual([
      [0, "x".repeat(10)],
      [1, "x".repeat(10)],
      [2, "xxxxx"],
      [0, ""],
      [0, "yz"]
    ])
    expect(index.row(5)).toBeUndefined()
  })
  test("keep colors over a wrap", () => {
    const line: Line = {
      kind: "text",
      stream: "stderr",
      text: "plain red plain",
      marks: [{ from: 6, to: 9, look: { ink: "red" } }],
      goesOn: false
    }
    const index = makeRowIndex([line], 8, all)
    expect([index.row(0), index.row(1)].map((row) => row?.runs)).toEqual([
      [
        { text: "plain ", look: undefined },
        { text: "re", look: { ink: "red" } }
      ],
      [
        { text: "d", look: { ink: "red" } },
        { text: " plain", look: undefined }
      ]
    ])
  })
  test("count later lines, and leave out a hidden stream", () => {
    const held: Array<Line> = lines("a")
    const index = makeRowIndex(held, 10, ({ stream }) => stream === "stdout")
    held.push({ kind: "text", stream: "stderr", text: "e", marks: [], goesOn: false }, ...lines("b"))
    index.grow()
    expect(index.count()).toBe(2)
    expect(index.row(1)?.runs[0]?.text).toBe("b")
  })
  test("reserve the width of wide characters and boxes", () => {
    expect(breaks("漢字漢字", 4)).toEqual([0, 2])
    expect(breaks("ab\u202ecd", 10)).toEqual([0, 2, 3])
    expect(breaks("", 10)).toEqual([0])
  })
  test("of a log beyond the browser's height limit can be scrolled to the last", () => {
    const count = 4_000_000
    const first = rowsInSight(0, 500, count, 18)
    expect(first).toMatchObject({ first: 0, height: heightMax })
    expect(rowsInSight(heightMax - 500, 500, count, 18).end).toBe(count)
    expect(rowsInSight(36, 180, 100, 18)).toMatchObject({ first: 0, end: 18, top: 0, height: 1_800 })
  })
  test("of four mebibytes render as few elements", () => {
    const { log, print, total } = printer()
    const line = `${"0123456789".repeat(8).slice(0, 79)}\n`
    for (let sent = 0; sent < 4 * 1024 * 1024; sent += 64 * 80 * 10) print("stdout", line.repeat(640))
    log.end(total())
    const index = makeRowIndex(log.lines, 120, all)
    expect(index.count()).toBe(total() / 80)
    const { end, first } = rowsInSight(20_000, 640, index.count(), 18)
    expect(end - first).toBeLessThan(60)
    expect(index.row(index.count() - 1)?.runs[0]?.text).toBe(line.trimEnd())
  })
})

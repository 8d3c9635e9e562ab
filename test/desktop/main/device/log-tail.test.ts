/** The end of the agent's log, as the screen shows it. */
import { openLog } from "@countersign/desktop/device/log"
import { linesMax, logTail, tailBytes } from "@countersign/desktop/main/device/log-tail"
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"

let folder: string
const path = (name = "device.log") => join(folder, name)
const lines = (from: number, count: number) => Array.from({ length: count }, (_, at) => `{"event":"${from + at}"}`)
const text = (all: ReadonlyArray<string>) => all.map((line) => `${line}\n`).join("")

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "log-tail-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe("the end of the log", () => {
  it("is empty without a log file, or when it cannot be read", () => {
    assert.deepStrictEqual(logTail(folder), [])
    mkdirSync(path())
    assert.deepStrictEqual(logTail(folder), [])
  })

  it("contains the previous file's lines before the current one's, newest last, up to the limit", () => {
    const log = openLog(path(), { mask: (line) => line, print: () => {} })
    log.write("started", { device_id: "dev_1" })
    log.close()
    assert.deepInclude(JSON.parse(logTail(folder).at(-1)!), { event: "started", device_id: "dev_1" })
    writeFileSync(path("device.log.1"), text(lines(0, linesMax)))
    assert.lengthOf(logTail(folder), linesMax)
    assert.deepInclude(JSON.parse(logTail(folder).at(-1)!), { event: "started" })
    assert.strictEqual(logTail(folder)[0], "{\"event\":\"1\"}")
    writeFileSync(path(), text(lines(1_000, linesMax + 5)))
    assert.deepStrictEqual(logTail(folder), lines(1_005, linesMax))
  })

  it("contains only complete lines of a large file", () => {
    const long = "x".repeat(tailBytes / 4)
    writeFileSync(path(), text(Array.from({ length: 10 }, (_, at) => `${at}${long}`)))
    appendFileSync(path(), "half")
    assert.deepStrictEqual(logTail(folder).map((line) => line[0]), ["7", "8", "9"])
  })

  it("is masked", () => {
    const token = `ghp_${"a".repeat(36)}`
    writeFileSync(path(), text([`{"argv":"${token}"}`]))
    assert.notInclude(logTail(folder)[0], token)
  })
})

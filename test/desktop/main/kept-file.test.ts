import { openConnectionLog } from "@countersign/desktop/main/connection-log/log"
import { keptFile } from "@countersign/desktop/main/platform/kept-file"
import { openProfiles } from "@countersign/desktop/main/profiles/file"
import { openWindowState } from "@countersign/desktop/main/windows/state"
import { Schema } from "effect"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"

const schema = Schema.Struct({ version: Schema.Literal(1), count: Schema.Number })
/** Too long to append a suffix, so the file cannot be renamed under any user. */
const stuck = "s".repeat(250)

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kept-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe("a kept file", () => {
  it("is read as it was written, and is undefined when it does not exist", () => {
    const file = keptFile(join(folder, "below", "a.json"), schema)
    assert.deepStrictEqual(file.read(), { value: undefined })
    file.write({ version: 1, count: 3 })
    assert.deepStrictEqual(file.read(), { value: { version: 1, count: 3 } })
  })

  it("is renamed when unreadable, each time to another name, and can be written again", () => {
    const path = join(folder, "a.json")
    const file = keptFile(path, schema)
    for (const at of [1, 2]) {
      writeFileSync(path, `broken ${at}`)
      assert.deepStrictEqual(file.read(), {
        value: undefined,
        aside: { path: `${path}.broken-${at}`, problem: "it is not JSON", stays: false }
      })
    }
    file.write({ version: 1, count: 1 })
    assert.deepStrictEqual(readdirSync(folder).sort(), ["a.json", "a.json.broken-1", "a.json.broken-2"])
  })

  it("stays unchanged when it cannot be renamed: only writes throw, until it can be read", () => {
    const path = join(folder, stuck)
    writeFileSync(path, "not ours")
    const file = keptFile(path, schema)
    assert.deepInclude(file.read().aside, { path, stays: true })
    assert.throws(() => file.write({ version: 1, count: 1 }), "stays as it is: it is not JSON")
    assert.strictEqual(readFileSync(path, "utf8"), "not ours")
    writeFileSync(path, JSON.stringify({ version: 1, count: 2 }))
    assert.deepStrictEqual(file.read(), { value: { version: 1, count: 2 } })
  })

  it("does not stop the window or the log when its path is a directory", () => {
    const path = join(folder, stuck)
    mkdirSync(path)
    const kept = openWindowState(path)
    assert.isUndefined(kept.read())
    kept.write({ x: 0, y: 0, width: 900, height: 700 }, false)
    const log = openConnectionLog({ path, now: () => 1, after: () => () => {} })
    log.write("app_started")
    log.flush()
    assert.deepStrictEqual(log.entries().map(({ event }) => event), ["log_unreadable", "app_started"])
  })

  it("reports profiles in an unusable folder, and overwrites nothing", () => {
    const place = join(folder, "file")
    writeFileSync(place, "")
    const { first, problem, write } = openProfiles(place)
    assert.deepStrictEqual(first, { version: 1, current: null, profiles: [] })
    assert.match(problem ?? "", /stays as it is \(ENOTDIR.*No hub can be added until it is mended\./u)
    assert.throws(() => write(first), "stays as it is")
  })
})

/** The journal: it lists begun commands after a crash, and one process at a time has it open. */
import { openJournal } from "@countersign/desktop/device/journal"
import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "device-journal-"))
afterAll(() => rmSync(folder, { recursive: true }))

describe("the journal of a device", () => {
  it("lists commands that began without an end, and keeps the first result of the others", () => {
    const path = join(folder, "a.sqlite")
    const before = openJournal(path)
    before.begin("cmd_1", "shell.run", 1)
    before.begin("cmd_2", "shell.run", 2)
    before.end("cmd_2", "shell.run", 2, { outcome: "succeeded", exit_code: 0 })
    before.end("cmd_2", "shell.run", 2, { outcome: "failed", exit_code: 1 })
    assert.throws(() => before.begin("cmd_1", "shell.run", 3))
    before.close()
    const after = openJournal(path)
    assert.deepStrictEqual(after.open(), [{ id: "cmd_1", lease: 1, ending: undefined }])
    assert.deepStrictEqual(after.unreported(), [{
      id: "cmd_2",
      lease: 2,
      ending: { outcome: "succeeded", exit_code: 0 }
    }])
    after.markReported("cmd_2")
    assert.deepStrictEqual(after.unreported(), [])
    assert.deepStrictEqual(after.find("cmd_2")?.ending, { outcome: "succeeded", exit_code: 0 })
    after.close()
  })

  it("reports a result that it cannot read as interrupted", () => {
    const path = join(folder, "d.sqlite")
    const before = openJournal(path)
    before.begin("cmd_1", "shell.run", 1)
    before.end("cmd_1", "shell.run", 1, { outcome: "succeeded" })
    before.close()
    const db = new DatabaseSync(path)
    db.exec("update commands set ending = '{\"outcome\":\"unknown\"}'")
    db.close()
    const after = openJournal(path)
    assert.strictEqual(after.find("cmd_1")?.ending?.outcome, "interrupted")
    assert.deepStrictEqual(after.unreported().map(({ id }) => id), ["cmd_1"])
    after.close()
  })

  it("deletes old reported commands only, whatever the machine's clock shows", () => {
    const path = join(folder, "c.sqlite")
    const before = openJournal(path)
    for (const name of ["cmd_open", "cmd_unreported", "cmd_reported"]) before.begin(name, "shell.run", 1)
    for (const name of ["cmd_unreported", "cmd_reported"]) before.end(name, "shell.run", 1, { outcome: "succeeded" })
    before.markReported("cmd_reported")
    before.close()
    const db = new DatabaseSync(path)
    db.exec("update commands set begun_at = 0")
    db.close()
    const after = openJournal(path)
    assert.deepStrictEqual(after.open().map(({ id }) => id), ["cmd_open"])
    assert.deepStrictEqual(after.unreported().map(({ id }) => id), ["cmd_unreported"])
    assert.isUndefined(after.find("cmd_reported"))
    after.close()
  })

  it("has mode 0600 and refuses a second process", () => {
    const path = join(folder, "b.sqlite")
    const first = openJournal(path)
    assert.throws(() => openJournal(path), /already runs with this folder/)
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    first.close()
    openJournal(path).close()
  })
})

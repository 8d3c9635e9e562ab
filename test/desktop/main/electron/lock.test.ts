/** What is known of a locked screen: the session's manager of Linux is a stand-in, started as the real one would be. */
import { screenLock } from "@countersign/desktop/main/electron/lock"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

let folder: string
const heard = () => readFileSync(join(folder, "heard"), "utf8").trim().split("\n").at(-1)
/** A `loginctl` that does so, the only program there is. */
const managed = (text: string) => {
  writeFileSync(join(folder, "loginctl"), `#!/bin/sh\necho "$@" >> ${join(folder, "heard")}\n${text}\n`)
  chmodSync(join(folder, "loginctl"), 0o755)
}
const look = (environment: NodeJS.ProcessEnv = {}, { idle = "active", platform = "linux" as NodeJS.Platform } = {}) =>
  screenLock({ platform, environment: { PATH: folder, ...environment }, idleState: () => idle })()

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loginctl-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("a locked screen", () => {
  it("D10: is what the session's manager says", async () => {
    managed("echo yes")
    assert.deepStrictEqual(await look({ XDG_SESSION_ID: "c2" }), { locked: true, told: true })
    assert.strictEqual(heard(), "show-session c2 -p LockedHint --value")
    managed("echo no")
    assert.deepStrictEqual(await look({ XDG_SESSION_ID: "--help" }), { locked: false, told: true })
    assert.strictEqual(heard(), "show-session auto -p LockedHint --value")
  })

  it.each([["fails", "echo yes; exit 1"], ["says nothing", "exit 0"], ["says something else", "echo maybe"], [
    "hangs",
    "exec /bin/sleep 600"
  ]])(
    "D10: a manager that %s has told nothing",
    async (_, text) => {
      managed(text)
      assert.deepStrictEqual(await look(), { locked: false, told: false })
      assert.deepStrictEqual(await look({}, { idle: "locked" }), { locked: true, told: true })
    },
    30_000
  )

  it("D10: is not told where there is no manager, and known from Electron elsewhere", async () => {
    rmSync(join(folder, "loginctl"))
    assert.deepStrictEqual(await look(), { locked: false, told: false })
    assert.deepStrictEqual(await look({}, { platform: "darwin" }), { locked: false, told: true })
    assert.deepStrictEqual(await look({}, { platform: "win32", idle: "locked" }), { locked: true, told: true })
  })
})

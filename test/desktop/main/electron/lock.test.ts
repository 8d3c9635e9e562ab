/** Detection of a locked screen, with a stub of Linux's session manager that is started like the real one. */
import { screenLock } from "@countersign/desktop/main/electron/lock"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

let folder: string
const lastCall = () => readFileSync(join(folder, "calls"), "utf8").trim().split("\n").at(-1)
/** A `loginctl` with this script, as the only program on the path. */
const managed = (text: string) => {
  writeFileSync(join(folder, "loginctl"), `#!/bin/sh\necho "$@" >> ${join(folder, "calls")}\n${text}\n`)
  chmodSync(join(folder, "loginctl"), 0o755)
}
const check = (environment: NodeJS.ProcessEnv = {}, { idle = "active", platform = "linux" as NodeJS.Platform } = {}) =>
  screenLock({ platform, environment: { PATH: folder, ...environment }, idleState: () => idle })()

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loginctl-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("a locked screen", () => {
  it("D10: is reported by the session manager", async () => {
    managed("echo yes")
    assert.deepStrictEqual(await check({ XDG_SESSION_ID: "c2" }), { locked: true, reported: true })
    assert.strictEqual(lastCall(), "show-session c2 -p LockedHint --value")
    managed("echo no")
    assert.deepStrictEqual(await check({ XDG_SESSION_ID: "--help" }), { locked: false, reported: true })
    assert.strictEqual(lastCall(), "show-session auto -p LockedHint --value")
  })

  it.each([["fails", "echo yes; exit 1"], ["answers nothing", "exit 0"], ["answers another value", "echo maybe"], [
    "hangs",
    "exec /bin/sleep 600"
  ]])(
    "D10: counts as unreported when the manager %s",
    async (_, text) => {
      managed(text)
      assert.deepStrictEqual(await check(), { locked: false, reported: false })
      assert.deepStrictEqual(await check({}, { idle: "locked" }), { locked: true, reported: true })
    }
  )

  it("D10: is unreported without a session manager, and reported by Electron on other systems", async () => {
    rmSync(join(folder, "loginctl"))
    assert.deepStrictEqual(await check(), { locked: false, reported: false })
    assert.deepStrictEqual(await check({}, { platform: "darwin" }), { locked: false, reported: true })
    assert.deepStrictEqual(await check({}, { platform: "win32", idle: "locked" }), { locked: true, reported: true })
  })
})

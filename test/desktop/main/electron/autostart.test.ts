/**
 * Starting with the session: on Linux a file in the test's folder, on other systems a recorded call for the system's
 * list.
 */
import { desktopEntry, hasAutostart, makeAutostart } from "@countersign/desktop/main/electron/autostart"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { testWith } from "../../../support/required.ts"
import { missingProgram } from "../../../support/requirements.mjs"

let home = ""
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "autostart-"))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

type Parts = Parameters<typeof makeAutostart>[0]
const calls: Array<unknown> = []
const partsOf = (more: Partial<Parts> = {}): Parts => ({
  platform: "linux",
  environment: {},
  home,
  executable: "/opt/Countersign/countersign",
  arguments: [],
  setLoginItemSettings: (settings) => calls.push(settings),
  getLoginItemSettings: () => ({ openAtLogin: false }),
  ...more
})
const on = (more: Partial<Parts> = {}) => {
  calls.length = 0
  return makeAutostart(partsOf(more))
}
const path = () => join(home, ".config", "autostart", "countersign.desktop")
const lineOf = (name: string) => readFileSync(path(), "utf8").split("\n").find((line) => line.startsWith(`${name}=`))

describe("autostart on Linux", () => {
  it("writes, changes, keeps, and removes a file", () => {
    const set = on()
    set(true, false)
    assert.strictEqual(lineOf("Exec"), "Exec=\"/opt/Countersign/countersign\"")
    assert.strictEqual(lineOf("Type"), "Type=Application")
    set(true, true)
    assert.strictEqual(lineOf("Exec"), "Exec=\"/opt/Countersign/countersign\" \"--hidden\"")
    set(true, true)
    assert.deepStrictEqual(readdirSync(join(home, ".config", "autostart")), ["countersign.desktop"])
    set(false, true)
    set(false, false)
    assert.isFalse(existsSync(path()))
    assert.isEmpty(calls)
  })

  it("names the AppImage's own file, and the app's folder when run from sources", () => {
    on({ environment: { APPIMAGE: "/home/ada/Apps/Countersign.AppImage" }, executable: "/tmp/.mount_x/countersign" })(
      true,
      true
    )
    assert.strictEqual(lineOf("Exec"), "Exec=\"/home/ada/Apps/Countersign.AppImage\" \"--hidden\"")
    on({ executable: "/x/electron", arguments: ["/src/apps/desktop"] })(true, false)
    assert.strictEqual(lineOf("Exec"), "Exec=\"/x/electron\" \"/src/apps/desktop\"")
  })

  it("uses $XDG_CONFIG_HOME if it is absolute", () => {
    on({ environment: { XDG_CONFIG_HOME: join(home, "elsewhere") } })(true, false)
    assert.isTrue(existsSync(join(home, "elsewhere", "autostart", "countersign.desktop")))
    on({ environment: { XDG_CONFIG_HOME: "relative" } })(true, false)
    assert.isTrue(existsSync(path()))
  })

  it("throws when the file cannot be written", () => {
    mkdirSync(join(home, ".config"))
    writeFileSync(join(home, ".config", "autostart"), "")
    assert.throws(() => on()(true, false))
  })

  it("is off after an entry was removed or disabled in the desktop's settings", () => {
    const has = () => hasAutostart(partsOf())(false)
    assert.isFalse(has())
    on()(true, false)
    assert.isTrue(has())
    const text = readFileSync(path(), "utf8")
    for (const line of ["Hidden=true", "X-GNOME-Autostart-enabled=false"]) {
      writeFileSync(path(), text.replace("X-GNOME-Autostart-enabled=true", line))
      assert.isFalse(has(), line)
    }
    rmSync(path())
    assert.isFalse(has())
  })

  it("quotes special characters of a desktop entry", () => {
    const exec = (program: string) => /^Exec=(.*)$/mu.exec(desktopEntry([program]))![1]
    assert.strictEqual(exec("/a b/c"), "\"/a b/c\"")
    assert.strictEqual(exec("/100%/u"), "\"/100%%/u\"")
    // By the specification, four backslashes represent one within quotes.
    assert.strictEqual(exec("/a\\b"), "\"/a\\\\\\\\b\"")
    assert.strictEqual(exec("/\"$`"), "\"/\\\\\"\\\\$\\\\`\"")
    assert.strictEqual(exec("/a\nHidden=true"), "\"/a\\nHidden=true\"")
    assert.lengthOf(desktopEntry(["/a\nHidden=true"]).split("\n").filter((line) => line.startsWith("Hidden")), 0)
  })

  testWith(missingProgram("desktop-file-validate", "desktop-file-utils"))("is valid to desktop-file-validate", () => {
    on({ executable: "/opt/a \"b\" $c %d/x" })(true, true)
    assert.strictEqual(execFileSync("desktop-file-validate", [path()], { encoding: "utf8" }).trim(), "")
  })
})

describe("autostart on other systems", () => {
  it("is an entry in the system's list", () => {
    on({ platform: "win32" })(true, false)
    assert.deepStrictEqual(calls, [{ openAtLogin: true, path: "/opt/Countersign/countersign", args: [] }])
    on({ platform: "win32", executable: "C:\\Countersign.exe" })(true, true)
    assert.deepStrictEqual(calls, [{ openAtLogin: true, path: "C:\\Countersign.exe", args: ["--hidden"] }])
    on({ platform: "darwin" })(true, true)
    assert.deepStrictEqual(calls, [{ openAtLogin: true }])
    on({ platform: "darwin" })(false, true)
    assert.deepStrictEqual(calls, [{ openAtLogin: false }])
    assert.isEmpty(readdirSync(home))
    const asked: Array<unknown> = []
    const getLoginItemSettings = (entry?: unknown) => ({ openAtLogin: asked.push(entry) > 1 })
    assert.isFalse(hasAutostart(partsOf({ platform: "darwin", getLoginItemSettings }))(true))
    assert.isTrue(hasAutostart(partsOf({ platform: "win32", getLoginItemSettings }))(true))
    assert.deepStrictEqual(asked, [undefined, { path: "/opt/Countersign/countersign", args: ["--hidden"] }])
  })
})

import { Accelerator, SettingsPatch } from "@countersign/desktop/bridge/settings-schemas"
import { openSettings, settingsDefault } from "@countersign/desktop/main/settings/settings"
import { Result, Schema } from "effect"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "settings-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const path = () => join(folder, "settings.json")

describe("settings", () => {
  it("have quiet defaults: no autostart, no device, no crash files; notifications on", () => {
    assert.deepStrictEqual(openSettings(path()).current(), {
      version: 1,
      autostart: false,
      start_hidden: false,
      shortcut: null,
      panic_shortcut: null,
      notifications: true,
      quiet_hours: [],
      device: false,
      crash_files: false,
      update_feed: null,
      theme: "system",
      contrast: "system"
    })
    assert.isFalse(existsSync(path()))
  })

  it("survive a restart, in a file that only its owner can read, and notify subscribers", () => {
    const settings = openSettings(path())
    const notified: Array<boolean> = []
    settings.subscribe((now, before) => notified.push(before.autostart, now.autostart))
    settings.change({ autostart: true, quiet_hours: [{ days: [1, 2], from: "22:00", to: "07:00" }] })
    assert.deepStrictEqual(notified, [false, true])
    assert.deepStrictEqual(openSettings(path()).current(), settings.current())
    assert.strictEqual(statSync(path()).mode & 0o777, 0o600)
  })

  it("of an older version receive defaults for missing values", () => {
    writeFileSync(path(), JSON.stringify({ version: 1, autostart: true }))
    assert.deepStrictEqual(openSettings(path()).current(), { ...settingsDefault, autostart: true })
  })

  it("are moved unchanged when unreadable, and never overwritten", () => {
    writeFileSync(path(), "{\"version\":1,\"autostart\":\"yes\"}")
    const { aside, current } = openSettings(path())
    assert.deepStrictEqual(current(), settingsDefault)
    assert.strictEqual(readFileSync(aside!.path, "utf8"), "{\"version\":1,\"autostart\":\"yes\"}")
    assert.lengthOf(readdirSync(folder), 1)
  })

  it("refuse one shortcut for two actions, and then change nothing", () => {
    const settings = openSettings(path())
    settings.change({ shortcut: "Control+Shift+K" })
    assert.throws(() => settings.change({ panic_shortcut: "Control+Shift+K", autostart: true }), RangeError)
    assert.isFalse(settings.current().autostart)
  })

  it.each([
    ["Control+Shift+K", true],
    ["CommandOrControl+F12", true],
    ["K", false],
    ["Shift+K", false],
    ["Control+", false],
    ["Control+Shift+KK", false],
    ["Control+K\n", false]
  ])(
    "accepts the shortcut %j: %s",
    (text, taken) => {
      assert.strictEqual(Result.isSuccess(Schema.decodeUnknownResult(Accelerator)(text)), taken)
    }
  )

  it("refuse a patch with an unknown name or invalid hours", () => {
    const decode = Schema.decodeUnknownResult(SettingsPatch, { onExcessProperty: "error" })
    assert.isTrue(Result.isFailure(decode({ hub: "x" })))
    assert.isTrue(Result.isFailure(decode({ update_feed: "http://updates.example" })))
    assert.isTrue(Result.isFailure(decode({ quiet_hours: [{ days: [7], from: "22:00", to: "07:00" }] })))
    assert.isTrue(Result.isFailure(decode({ quiet_hours: [{ days: [1], from: "24:00", to: "07:00" }] })))
  })
})

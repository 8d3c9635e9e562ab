/** E18: crash files, with real files and a stub of Electron's crashReporter that records its start. */
import { beginCrashFiles, crashFilesMax, wantsCrashFiles } from "@countersign/desktop/main/electron/crash-files"
import { openSettings } from "@countersign/desktop/main/settings/settings"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"

let home = ""
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "crashes-"))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))
const folder = () => join(home, "crashes")

const begin = (on: boolean, { fails = false } = {}) => {
  const started: Array<unknown> = []
  const folders: Array<string> = []
  const files = beginCrashFiles(on, {
    folder: folder(),
    setFolder: (path) => folders.push(path),
    crashReporter: {
      start: (options) => {
        if (fails) throw new Error("no crashpad here")
        started.push(options)
      }
    }
  })
  return { files, folders, started }
}

/** In Crashpad's file layout. */
const dump = (name: string, at = 1_000, text = "MDMP") => {
  const path = join(folder(), name)
  mkdirSync(join(path, ".."), { recursive: true })
  writeFileSync(path, text)
  utimesSync(path, at, at)
}

describe("E18: crash files", () => {
  it("are off: starts no reporter and creates no folder", () => {
    const { files, folders, started } = begin(false)
    assert.isFalse(files.isKeeping)
    assert.deepStrictEqual([started, folders, files.list()], [[], [], []])
    assert.isFalse(existsSync(folder()))
  })

  it("stay on this computer when enabled, in a folder that only the owner can read", () => {
    mkdirSync(folder())
    chmodSync(folder(), 0o755)
    const { files, folders, started } = begin(true)
    assert.isTrue(files.isKeeping)
    assert.deepStrictEqual(started, [{ uploadToServer: false, compress: false }])
    assert.deepStrictEqual(folders, [folder()])
    assert.strictEqual(statSync(folder()).mode & 0o777, 0o700)
  })

  it("are listed newest first, also after they are disabled again", () => {
    dump("completed/a.dmp", 1_000)
    dump("pending/b.dmp", 2_000, "MDMP and more")
    dump("settings.dat")
    assert.deepStrictEqual(begin(false).files.list(), [
      { name: "pending/b.dmp", bytes: 13, at: 2_000_000 },
      { name: "completed/a.dmp", bytes: 4, at: 1_000_000 }
    ])
  })

  it("are removed by their listed names only, or all together", () => {
    dump("completed/a.dmp")
    dump("completed/b.dmp")
    writeFileSync(join(home, "other.dmp"), "")
    const { files } = begin(false)
    for (const name of ["../other.dmp", "completed", "completed/none.dmp", "/etc/passwd", ""]) {
      assert.isFalse(files.remove(name), name)
    }
    assert.isTrue(files.remove("completed/a.dmp"))
    assert.deepStrictEqual(files.list().map(({ name }) => name), ["completed/b.dmp"])
    files.removeAll()
    assert.isEmpty(files.list())
    assert.isTrue(existsSync(join(home, "other.dmp")))
  })

  it("are bounded: a start removes the oldest", () => {
    for (let at = 0; at < crashFilesMax + 3; at++) dump(`completed/${at}.dmp`, 1_000 + at)
    begin(true)
    assert.lengthOf(readdirSync(join(folder(), "completed")), crashFilesMax)
    assert.isFalse(existsSync(join(folder(), "completed", "2.dmp")))
  })

  it("exclude the targets of links", () => {
    dump("completed/a.dmp")
    writeFileSync(join(home, "other.dmp"), "")
    symlinkSync(join(home, "other.dmp"), join(folder(), "completed", "link.dmp"))
    assert.deepStrictEqual(begin(false).files.list().map(({ name }) => name), ["completed/a.dmp"])
  })

  it("do not stop the start when they cannot be stored, and report the problem", () => {
    const { files } = begin(true, { fails: true })
    assert.isFalse(files.isKeeping)
    assert.strictEqual(files.problem, "no crashpad here")
  })

  it("are enabled only by an explicit setting", () => {
    const path = join(home, "settings.json")
    assert.isFalse(wantsCrashFiles(path))
    for (const text of ["{", "null", "{}", "{\"crash_files\":\"yes\"}", "{\"crash_files\":false}"]) {
      writeFileSync(path, text)
      assert.isFalse(wantsCrashFiles(path), text)
    }
    rmSync(path)
    openSettings(path).change({ crash_files: true })
    assert.isTrue(wantsCrashFiles(path))
  })
})

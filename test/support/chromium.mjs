/** Where a Chromium is that tests may run. Plain JavaScript: test/run.mjs asks before there is a Node for anything else. */
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, join } from "node:path"

/** The shell without a desktop draws the same pages for half the CPU. */
const names = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "chrome"
]
const places = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium"
]

/** @param {string} path */
const runs = (path) => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/**
 * `CHROMIUM_BIN` when it is set, else the first of the usual names in `PATH`.
 * @returns {string | undefined}
 */
export const findChromium = () => {
  const told = process.env["CHROMIUM_BIN"]
  if (told !== undefined && told !== "") return runs(told) ? told : undefined
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "")
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...places].find(runs)
}

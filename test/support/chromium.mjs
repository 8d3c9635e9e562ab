/** Finds a Chromium for the tests. Plain JavaScript, because test/run.mjs calls it before Node 24 is installed. */
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, join } from "node:path"

/** The headless shell draws the same pages for half the CPU time. */
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
 * `CHROMIUM_BIN` if set, otherwise the first of the usual names in `PATH`.
 * @returns {string | undefined}
 */
export const findChromium = () => {
  const configured = process.env["CHROMIUM_BIN"]
  if (configured !== undefined && configured !== "") return runs(configured) ? configured : undefined
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "")
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...places].find(runs)
}

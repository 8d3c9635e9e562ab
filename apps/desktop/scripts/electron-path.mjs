/**
 * The path of the Electron binary, or the reason why there is none. The package is located, not imported: importing it
 * would start a download.
 */
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const howToGet =
  "run \"npx install-electron --no\" where the release downloads can be reached, or set ELECTRON_EXEC_PATH"

/** @returns {{ path: string } | { reason: string }} */
export const findElectron = (env = process.env) => {
  const given = env.ELECTRON_EXEC_PATH
  if (given) {
    return existsSync(given)
      ? { path: given }
      : { reason: `ELECTRON_EXEC_PATH is set to ${given}, which does not exist` }
  }
  let folder
  try {
    folder = dirname(createRequire(import.meta.url).resolve("electron/package.json"))
  } catch {
    return { reason: "the npm package \"electron\" is not installed (run npm ci)" }
  }
  const pathFile = join(folder, "path.txt")
  const file = existsSync(pathFile) ? readFileSync(pathFile, "utf8").trim() : ""
  const full = file === "" ? "" : join(env.ELECTRON_OVERRIDE_DIST_PATH || join(folder, "dist"), file)
  return full !== "" && existsSync(full)
    ? { path: full }
    : { reason: `the Electron binary has not been downloaded: ${howToGet}` }
}

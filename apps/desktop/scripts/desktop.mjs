/**
 * `node apps/desktop/scripts/desktop.mjs build | dev | start | package`: installs missing dependencies, then builds the
 * app with electron-vite under Node 24. All but `build` need the Electron binary; without it they print one line and
 * exit with 3.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { ensureInstalled, findNode, root } from "../../hub/scripts/installation.mjs"
import { endLike, endWith, runToEnd } from "../../hub/scripts/process.mjs"
import { findElectron } from "./electron-path.mjs"

const noElectron = 3
const electronVite = join(root, "node_modules", "electron-vite", "bin", "electron-vite.js")
/** A folder, so that Electron reads its package.json. */
const entry = ["--entry", join("apps", "desktop")]
const build = ["build", "--logLevel", "warn"]
const commands = { build, dev: ["dev", ...entry], start: ["preview", ...entry], package: build }
const withoutElectron = { dev: "start", start: "start", package: "package" }

const [name, ...rest] = process.argv.slice(2)
try {
  const command = commands[name]
  if (command === undefined) {
    throw new Error(`Usage: node apps/desktop/scripts/desktop.mjs ${Object.keys(commands).join("|")}`)
  }
  ensureInstalled({ development: true })
  if (!existsSync(electronVite)) throw new Error("electron-vite is not installed (npm ci)")
  let env = process.env
  if (name !== "build") {
    const found = findElectron()
    if (found.path === undefined) {
      console.error(`Cannot ${withoutElectron[name]} the desktop app: ${found.reason}.`)
      process.exit(noElectron)
    }
    env = { ...env, ELECTRON_EXEC_PATH: found.path }
  }
  const packaging = name === "package"
  const end = await runToEnd(findNode(), [electronVite, ...command, ...packaging ? [] : rest], { cwd: root, env })
  if (packaging && end.code === 0) {
    endLike(
      await runToEnd(findNode(), [join(root, "apps", "desktop", "scripts", "package.ts"), ...rest], { cwd: root, env })
    )
  }
  endLike(end)
} catch (error) {
  endWith(error)
}

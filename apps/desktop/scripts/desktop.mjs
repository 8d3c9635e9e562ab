/**
 * `node apps/desktop/scripts/desktop.mjs build | dev | start`: installs what is missing, then builds the app with electron-vite under
 * Node 24. `dev` and `start` need the Electron binary; without one they say so in a line and end with 3.
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
const commands = { build: ["build", "--logLevel", "warn"], dev: ["dev", ...entry], start: ["preview", ...entry] }

const [name, ...rest] = process.argv.slice(2)
try {
  const command = commands[name]
  if (command === undefined) throw new Error(`Usage: node apps/desktop/scripts/desktop.mjs ${Object.keys(commands).join("|")}`)
  ensureInstalled({ development: true })
  if (!existsSync(electronVite)) throw new Error("electron-vite is not installed (npm ci)")
  let env = process.env
  if (name !== "build") {
    const found = findElectron()
    if (found.path === undefined) {
      console.error(`Cannot start the desktop app: ${found.reason}.`)
      process.exit(noElectron)
    }
    env = { ...env, ELECTRON_EXEC_PATH: found.path }
  }
  endLike(await runToEnd(findNode(), [electronVite, ...command, ...rest], { cwd: root, env }))
} catch (error) {
  endWith(error)
}

/** `node apps/hub/scripts/hub.mjs <command…>`: installs what is missing, finds Node 24, runs the hub's command with it. */
import { join } from "node:path"
import { ensureInstalled, findNode, root } from "./installation.mjs"
import { endLike, endWith, runToEnd } from "./process.mjs"

const args = process.argv.slice(2)
const main = join(root, "apps", "hub", "src", "main.ts")
try {
  ensureInstalled({ development: false })
  const watching = args[0] === "dev"
  const program = watching ? ["--watch", "--watch-preserve-output", main, "start", ...args.slice(1)] : [main, ...args]
  endLike(await runToEnd(findNode(), program))
} catch (error) {
  endWith(error)
}

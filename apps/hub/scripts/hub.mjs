/**
 * `node apps/hub/scripts/hub.mjs <command…>`: installs missing packages, finds Node 24, and runs the hub's command with
 * it. A start first builds the console if its sources have changed; `dev` serves it from the sources instead.
 */
import { join } from "node:path"
import { ensureConsoleAtStart } from "./console.mjs"
import { develop } from "./develop.mjs"
import { ensureInstalled, findNode, hubNodeArguments, root } from "./installation.mjs"
import { endLike, endWith, runToEnd, useJsonLines } from "./process.mjs"

const args = process.argv.slice(2)
const main = join(root, "apps", "hub", "src", "main.ts")
const format = process.env.HUB_LOG_FORMAT
if (args[0] === "start" && (format === "json" || (format !== "pretty" && !process.stdout.isTTY))) useJsonLines()
try {
  ensureInstalled({ development: false })
  if (args[0] === "dev") endLike(await develop(args.slice(1)))
  if (args[0] === "start") ensureConsoleAtStart()
  endLike(await runToEnd(findNode(), [...hubNodeArguments(), main, ...args]))
} catch (error) {
  endWith(error)
}

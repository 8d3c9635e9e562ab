/**
 * `node apps/desktop/scripts/device.mjs <command…>`: installs missing dependencies, finds Node 24, and runs the device
 * agent with it.
 */
import { join } from "node:path"
import { ensureInstalled, findNode, root } from "../../hub/scripts/installation.mjs"
import { endLike, endWith, runToEnd } from "../../hub/scripts/process.mjs"

try {
  ensureInstalled({ development: false })
  // Makes Node's HTTP clients honor HTTPS_PROXY and NO_PROXY.
  const env = { NODE_USE_ENV_PROXY: "1", ...process.env }
  endLike(
    await runToEnd(findNode(), [join(root, "apps", "desktop", "src", "device", "main.ts"), ...process.argv.slice(2)], {
      env
    })
  )
} catch (error) {
  endWith(error)
}

/** `node apps/desktop/scripts/device.mjs <command…>`: installs what is missing, finds Node 24, runs the device agent with it. */
import { join } from "node:path"
import { ensureInstalled, findNode, root } from "../../hub/scripts/installation.mjs"
import { endLike, endWith, runToEnd } from "../../hub/scripts/process.mjs"

try {
  ensureInstalled({ development: false })
  // Node's own clients then honour HTTPS_PROXY and NO_PROXY.
  const env = { NODE_USE_ENV_PROXY: "1", ...process.env }
  endLike(
    await runToEnd(findNode(), [join(root, "apps", "desktop", "src", "device", "main.ts"), ...process.argv.slice(2)], {
      env
    })
  )
} catch (error) {
  endWith(error)
}

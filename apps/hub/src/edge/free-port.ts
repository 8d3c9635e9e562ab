/** `HUB_PORT=0`: a free port, chosen before the hub's address is used anywhere. */
import { createServer } from "node:net"
import type { HubConfig } from "../config.ts"

/**
 * The settings with a port that is free at this moment, also in the public URL where that was derived from it. Another
 * program may take the port before the hub does; then the start fails as with any port that is in use.
 */
export const withFreePort = (config: HubConfig): Promise<HubConfig> =>
  config.port !== 0 ? Promise.resolve(config) : new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, config.host, () => {
      const address = probe.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const publicUrl = new URL(config.publicUrl)
      if (publicUrl.port === "0") publicUrl.port = String(port)
      probe.close(() => resolve({ ...config, port, publicUrl }))
    })
  })

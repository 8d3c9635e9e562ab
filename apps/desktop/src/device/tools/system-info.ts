/** `system.info`: facts about this machine. */
import { arch, availableParallelism, freemem, hostname, loadavg, platform, release, totalmem, uptime } from "node:os"
import { appVersion } from "../../version.ts"
import { findSandbox } from "../sandbox/sandbox.ts"
import type { ToolOf } from "./tool.ts"

export const systemInfo: ToolOf<unknown> = ({ places, rules }) => ({
  deed: {},
  plan: {},
  run: async () => ({
    outcome: "succeeded",
    result: {
      hostname: hostname(),
      platform: platform(),
      release: release(),
      arch: arch(),
      processors: availableParallelism(),
      load: loadavg(),
      memory_bytes: totalmem(),
      memory_free_bytes: freemem(),
      uptime_seconds: Math.floor(uptime()),
      node: process.version,
      app_version: appVersion,
      roots: places.roots,
      sandbox: rules.sandbox !== "off" && findSandbox() !== undefined
    }
  })
})

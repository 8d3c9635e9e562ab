/**
 * A cap on the memory of a command's processes, where the system offers one to a plain user: Linux, by `prlimit` of util-linux, set before
 * the program begins and handed down to all that it starts. Of each process by itself, data and private mappings counted (`RLIMIT_DATA`;
 * `RLIMIT_AS` would count what runtimes merely reserve). Of all together a supervisor keeps watch: `MemoryMax` of the systemd unit, or
 * the container's own. Spec: desktop 4.3 "concurrency".
 */
import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import type { Start } from "./sandbox.ts"

const programs = ["/usr/bin/prlimit", "/bin/prlimit"]
const probeMillis = 10_000

let found: string | null | undefined

/** Looked for once. */
export const findCap = (): string | undefined => {
  found ??= programs.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return process.platform === "linux" &&
        spawnSync(path, ["--data=1073741824", "--", "/bin/true"], { stdio: "ignore", timeout: probeMillis }).status ===
          0
    } catch {
      return false
    }
  }) ?? null
  return found ?? undefined
}

/** As it is where there is no cap to be had; `doctor` tells. */
export const capped = (megabytes: number | undefined, start: Start): Start => {
  const prlimit = megabytes === undefined ? undefined : findCap()
  if (prlimit === undefined || megabytes === undefined) return start
  return {
    ...start,
    path: prlimit,
    argv: ["prlimit", `--data=${megabytes * 1024 * 1024}`, "--", start.path, ...start.argv.slice(1)]
  }
}

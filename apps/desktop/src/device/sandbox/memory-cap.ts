/**
 * Caps the memory of a command's processes where an unprivileged user can: on Linux, with `prlimit` of util-linux, set
 * before the program starts and inherited by its children. The cap is per process and counts data and private mappings
 * (`RLIMIT_DATA`; `RLIMIT_AS` would count address space that runtimes only reserve). A supervisor limits the total:
 * `MemoryMax` of the systemd unit, or the container's limit. Spec: reference/devices.md "Concurrency".
 */
import { spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import type { Start } from "./sandbox.ts"

const programs = ["/usr/bin/prlimit", "/bin/prlimit"]
const probeMillis = 10_000

let found: string | null | undefined

/** Looked up once. */
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

/** Returns `start` unchanged where no cap is available; `doctor` reports that. */
export const capped = (megabytes: number | undefined, start: Start): Start => {
  const prlimit = megabytes === undefined ? undefined : findCap()
  if (prlimit === undefined || megabytes === undefined) return start
  return {
    ...start,
    path: prlimit,
    argv: ["prlimit", `--data=${megabytes * 1024 * 1024}`, "--", start.path, ...start.argv.slice(1)]
  }
}

/** Facts about the machine and resource use of processes. CPU times come from `/proc`; without it they are NaN. */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { cpus, release, totalmem } from "node:os"

export const describeMachine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? "?"}, ${
    Math.round(totalmem() / 2 ** 30)
  } GB, ${process.platform} ${release()}, Node ${process.versions.node}`

const ticksPerSecond = 100

interface Stat {
  readonly pid: number
  readonly parent: number
  readonly seconds: number
}

const statOf = (pid: number): Stat | undefined => {
  try {
    // The name, in brackets, may contain any character.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ")
    return { pid, parent: Number(fields[1]), seconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond }
  } catch {
    return undefined
  }
}

/** CPU seconds of a process alone so far. */
export const ownCpuSeconds = (pid: number): number => statOf(pid)?.seconds ?? Number.NaN

/** CPU seconds so far of each live descendant of a process, and of the process itself; NaN for process 0 without `/proc`. */
export const cpuSecondsByProcess = (pid: number): ReadonlyMap<number, number> => {
  if (process.platform !== "linux") return new Map([[0, Number.NaN]])
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => statOf(Number(name)) ?? [])
  const family = new Set([pid])
  for (let grew = true; grew;) {
    grew = false
    for (const { parent, pid } of all) {
      if (family.has(parent) && !family.has(pid)) {
        family.add(pid)
        grew = true
      }
    }
  }
  return new Map(all.filter(({ pid }) => family.has(pid)).map(({ pid, seconds }) => [pid, seconds]))
}

/** CPU seconds of a process and its live descendants so far. */
export const cpuSeconds = (pid: number): number =>
  [...cpuSecondsByProcess(pid).values()].reduce((sum, seconds) => sum + seconds, 0)

/** Resident memory of one process, in bytes. */
export const residentBytes = (pid: number): number => {
  // Cheap enough to sample during a measurement.
  const resident = process.platform === "linux"
    ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    : undefined
  if (resident !== undefined) return Number(resident) * 1024
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }).trim()) * 1024
}

/**
 * Finds and ends all processes of a command. On Linux they are found by the command id in their environment, their
 * group and session, and their parents, so a child that daemonizes or ignores signals is included; on Windows
 * `taskkill` walks the tree. Spec: reference/devices.md "D18: process trees".
 */
import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { markName } from "./environment.ts"

const interruptMillis = 7_500
const terminateMillis = 2_500
const checkMillis = 50
/** Passes for a tree that forks faster than it is killed; no observed tree survived more than a few. */
const killPassesMax = 200

interface ProcessFacts {
  readonly pid: number
  /** In clock ticks since boot; together with the pid it identifies a process permanently. */
  readonly started: string
  readonly parent: number
  readonly session: number
  readonly zombie: boolean
}

const factsOf = (pid: number): ProcessFacts | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name in parentheses may contain any character.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const [state = "", parent, , session] = fields
    return {
      pid,
      started: fields[19] ?? "",
      parent: Number(parent),
      session: Number(session),
      zombie: state === "Z" || state === "X"
    }
  } catch {
    return undefined
  }
}

const isMarked = (pid: number, mark: string): boolean => {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "utf8")}`.includes(`\0${mark}\0`)
  } catch {
    return false
  }
}

/** Per command: processes once seen in it, which may have left its session and environment since. */
const seen = new Map<string, Map<number, string>>()
const watchMillis = 100

/**
 * Without a PID namespace, a daemon that leaves its session, clears its environment, and loses its parent is recognized
 * only if it was seen before. Returns a function that ends the watch.
 */
export const watchTree = (command: string, leader: number, before: number | undefined): () => void => {
  if (process.platform !== "linux") return () => {}
  const own = new Map<number, string>()
  seen.set(command, own)
  const update = (): void => {
    for (const pid of processesOf(command, leader, before)) own.set(pid, factsOf(pid)?.started ?? "")
  }
  update()
  const timer = setInterval(update, watchMillis)
  timer.unref()
  return () => {
    clearInterval(timer)
    seen.delete(command)
  }
}

/** Processes and threads started since boot. None where the system does not report it. */
export const startsSoFar = (): number | undefined => {
  if (process.platform !== "linux") return undefined
  try {
    const [, count] = /^processes (\d+)$/m.exec(readFileSync("/proc/stat", "utf8")) ?? []
    return count === undefined ? undefined : Number(count)
  } catch {
    return undefined
  }
}

/** The kernel skips lower pids when it wraps around. */
const reservedPids = 300

/**
 * The pids that a process started after the leader can have: the kernel assigns them in a circle, and `before` is the
 * number of starts when the leader started. Every pid when that is too long ago.
 */
const laterThan = (leader: number, before: number, living: number): (pid: number) => boolean => {
  const now = startsSoFar()
  const circle = Number(readFileSync("/proc/sys/kernel/pid_max", "utf8"))
  const farthest = now === undefined ? Number.NaN : now - before + living + reservedPids
  return farthest < circle / 2 ? (pid) => (pid - leader + circle) % circle <= farthest : () => true
}

/**
 * The living processes of a command. `leader` is its first process, if this process started it, and `before` the number
 * of starts at that time: with it only later processes are checked, a few instead of all.
 */
export const processesOf = (command: string, leader: number | undefined, before?: number): ReadonlyArray<number> => {
  if (process.platform !== "linux") return leader !== undefined && isGroupAlive(leader) ? [leader] : []
  const pids = readdirSync("/proc").flatMap((name) => /^\d+$/.test(name) ? [Number(name)] : [])
  const later = leader === undefined || before === undefined ? () => true : laterThan(leader, before, pids.length)
  const all = pids.flatMap((pid) => {
    const facts = pid !== process.pid && later(pid) ? factsOf(pid) : undefined
    return facts === undefined || facts.zombie ? [] : [facts]
  })
  const mark = `${markName}=${command}`
  const known = seen.get(command)
  const isOf = ({ pid, session, started }: ProcessFacts): boolean =>
    pid === leader || session === leader || known?.get(pid) === started || isMarked(pid, mark)
  const found = new Set(all.filter(isOf).map(({ pid }) => pid))
  // Adds processes in the same sessions and descendants. The agent's own session belongs to no command.
  const sessions = new Set<number>()
  const own = factsOf(process.pid)?.session
  for (let grown = true; grown;) {
    grown = false
    for (const { parent, pid, session } of all) {
      if (!found.has(pid) && !found.has(parent) && !sessions.has(session)) continue
      if (session !== own && !sessions.has(session)) {
        sessions.add(session)
        grown = true
      }
      if (found.has(pid)) continue
      found.add(pid)
      grown = true
    }
  }
  return [...found]
}

const isGroupAlive = (leader: number): boolean => {
  try {
    process.kill(-leader, 0)
    return true
  } catch {
    return false
  }
}

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has already ended.
  }
}

/** The pids of a process in its namespaces, outermost first. */
const namespacePids = (pid: number | "self"): ReadonlyArray<number> => {
  try {
    const [, pids = ""] = /^NSpid:\t(.+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    return pids.split("\t").map(Number)
  } catch {
    return []
  }
}

/**
 * The processes of a command that receive SIGTERM. Bubblewrap's two are left out: the sandbox dies with them, before
 * the command inside could react.
 */
const interruptible = (pids: ReadonlyArray<number>): ReadonlyArray<number> => {
  const depth = namespacePids("self").length
  const inside = pids.map((pid) => ({ pid, numbers: namespacePids(pid) })).filter(({ numbers }) =>
    numbers.length > depth
  )
  return inside.length === 0 ? pids : inside.filter(({ numbers }) => numbers.at(-1) !== 1).map(({ pid }) => pid)
}

/** Signals all of them; on systems other than Linux, the group. */
const signalAll = (command: string, leader: number | undefined, signal: NodeJS.Signals): number => {
  if (process.platform === "win32") {
    if (leader !== undefined) {
      spawn("taskkill", ["/T", ...(signal === "SIGKILL" ? ["/F"] : []), "/PID", String(leader)], { stdio: "ignore" })
        .on("error", () => {})
    }
    return leader === undefined ? 0 : 1
  }
  const found = processesOf(command, leader)
  for (const pid of signal === "SIGKILL" || process.platform !== "linux" ? found : interruptible(found)) {
    send(process.platform === "linux" ? pid : -pid, signal)
  }
  return found.length
}

/** True when none is left within `millis`. */
const goneWithin = async (
  command: string,
  leader: number | undefined,
  millis: number,
  hurry: AbortSignal | undefined
): Promise<boolean> => {
  const end = performance.now() + millis
  for (;;) {
    if (processesOf(command, leader).length === 0) return true
    if (performance.now() >= end || hurry?.aborted === true) return false
    await sleep(checkMillis)
  }
}

/** Kills all processes, repeatedly until none is left. False when some survived. */
export const killTree = async (command: string, leader: number | undefined): Promise<boolean> => {
  for (let pass = 0; pass < killPassesMax; pass++) {
    if (signalAll(command, leader, "SIGKILL") === 0) return true
    await sleep(pass < 20 ? 5 : checkMillis)
  }
  return processesOf(command, leader).length === 0
}

/** SIGINT, then SIGTERM, then SIGKILL. `hurry` skips to SIGKILL. */
export const endTree = async (command: string, leader: number | undefined, hurry?: AbortSignal): Promise<boolean> => {
  for (const [signal, millis] of [["SIGINT", interruptMillis], ["SIGTERM", terminateMillis]] as const) {
    if (hurry?.aborted === true) break
    if (signalAll(command, leader, signal) === 0 || await goneWithin(command, leader, millis, hurry)) return true
  }
  return await killTree(command, leader)
}

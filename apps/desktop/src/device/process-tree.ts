/**
 * All processes of a command, and their end. On Linux they are found by the command's id in their environment, by their group and session,
 * and by descent, so that a child which forks away or ignores signals is found too; on Windows `taskkill` walks the tree. Spec: D18.
 */
import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { markName } from "./environment.ts"

const interruptMillis = 7_500
const terminateMillis = 2_500
const lookMillis = 50
/** A tree that forks faster than it is killed is stopped in passes; no tree survived more than a few. */
const killPassesMax = 200

interface ProcessFacts {
  readonly pid: number
  /** In clock ticks since the boot: with the number, it names one process for ever. */
  readonly started: string
  readonly parent: number
  readonly session: number
  readonly zombie: boolean
}

const factsOf = (pid: number): ProcessFacts | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name in parentheses may hold anything.
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

/** By command: the processes that were seen to belong to it, though they have left its session and its environment since. */
const seen = new Map<string, Map<number, string>>()
const watchMillis = 100

/**
 * Without a process namespace: a daemon that leaves its session, clears its environment, and loses its parent is known by having been seen
 * before. Returns what ends the watch.
 */
export const watchTree = (command: string, leader: number, before: number | undefined): () => void => {
  if (process.platform !== "linux") return () => {}
  const own = new Map<number, string>()
  seen.set(command, own)
  const look = (): void => {
    for (const pid of processesOf(command, leader, before)) own.set(pid, factsOf(pid)?.started ?? "")
  }
  look()
  const timer = setInterval(look, watchMillis)
  timer.unref()
  return () => {
    clearInterval(timer)
    seen.delete(command)
  }
}

/** Processes and threads that this machine has started since it runs. None where the system does not tell. */
export const startsSoFar = (): number | undefined => {
  if (process.platform !== "linux") return undefined
  try {
    const [, count] = /^processes (\d+)$/m.exec(readFileSync("/proc/stat", "utf8")) ?? []
    return count === undefined ? undefined : Number(count)
  } catch {
    return undefined
  }
}

/** Numbers below are left out when the kernel begins with them again. */
const reservedPids = 300

/**
 * Which pids a process that came after the leader can have: they are given out in a circle, and `before` says how many starts there had
 * been when the leader was. All of them when that was too long ago to tell.
 */
const laterThan = (leader: number, before: number, living: number): (pid: number) => boolean => {
  const now = startsSoFar()
  const circle = Number(readFileSync("/proc/sys/kernel/pid_max", "utf8"))
  const farthest = now === undefined ? Number.NaN : now - before + living + reservedPids
  return farthest < circle / 2 ? (pid) => (pid - leader + circle) % circle <= farthest : () => true
}

/**
 * The living processes of a command; `leader` is the one that was started, if this process knows it, and `before` how many starts the
 * machine had seen then: with it only later processes are looked at, a few instead of all.
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
  // Whoever shares the session of one of them, or descends from one. The agent's own session is no command's.
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
    // It ended by itself.
  }
}

/** The numbers of a process in its namespaces, from the outermost to its own. */
const namespacePids = (pid: number | "self"): ReadonlyArray<number> => {
  try {
    const [, pids = ""] = /^NSpid:\t(.+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    return pids.split("\t").map(Number)
  } catch {
    return []
  }
}

/**
 * Of the processes of a command, those that may be asked to end. Bubblewrap's own two are left out: the sandbox dies with them, before the
 * command inside could react to the signal.
 */
const askable = (pids: ReadonlyArray<number>): ReadonlyArray<number> => {
  const depth = namespacePids("self").length
  const inside = pids.map((pid) => ({ pid, numbers: namespacePids(pid) })).filter(({ numbers }) =>
    numbers.length > depth
  )
  return inside.length === 0 ? pids : inside.filter(({ numbers }) => numbers.at(-1) !== 1).map(({ pid }) => pid)
}

/** To all of them. On systems other than Linux to the group. */
const signalAll = (command: string, leader: number | undefined, signal: NodeJS.Signals): number => {
  if (process.platform === "win32") {
    if (leader !== undefined) {
      spawn("taskkill", ["/T", ...(signal === "SIGKILL" ? ["/F"] : []), "/PID", String(leader)], { stdio: "ignore" })
        .on("error", () => {})
    }
    return leader === undefined ? 0 : 1
  }
  const found = processesOf(command, leader)
  for (const pid of signal === "SIGKILL" || process.platform !== "linux" ? found : askable(found)) {
    send(process.platform === "linux" ? pid : -pid, signal)
  }
  return found.length
}

/** True when none is left in this time. */
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
    await sleep(lookMillis)
  }
}

/** At once, all of them; again until none is left. False when some could not be ended. */
export const killTree = async (command: string, leader: number | undefined): Promise<boolean> => {
  for (let pass = 0; pass < killPassesMax; pass++) {
    if (signalAll(command, leader, "SIGKILL") === 0) return true
    await sleep(pass < 20 ? 5 : lookMillis)
  }
  return processesOf(command, leader).length === 0
}

/** Asks, tells, kills. `hurry` skips to the kill. */
export const endTree = async (command: string, leader: number | undefined, hurry?: AbortSignal): Promise<boolean> => {
  for (const [signal, millis] of [["SIGINT", interruptMillis], ["SIGTERM", terminateMillis]] as const) {
    if (hurry?.aborted === true) break
    if (signalAll(command, leader, signal) === 0 || await goneWithin(command, leader, millis, hurry)) return true
  }
  return await killTree(command, leader)
}

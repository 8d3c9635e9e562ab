/** Runs the one program that a script wraps: same terminal, same signals, same exit code. */
import { spawn, spawnSync } from "node:child_process"
import { constants } from "node:os"

const FORWARDED = process.platform === "win32" ? ["SIGINT", "SIGTERM", "SIGBREAK"] : ["SIGINT", "SIGTERM", "SIGHUP"]
/**
 * One Ctrl-C arrives from the terminal, from npm, and from any sender that signals the whole group: these count as one
 * signal.
 */
const SAME_SIGNAL_MS = 1_000
const PARENT_CHECK_MS = 500

/** Children that have not ended; each receives every signal sent to this process. */
const running = new Set()
let isForwarding = false

/**
 * The listeners are never removed: a late copy of the signal must not kill this process before it has passed on the
 * exit code.
 */
const forwardSignals = () => {
  if (isForwarding) return
  isForwarding = true
  const last = new Map()
  for (const signal of FORWARDED) {
    process.on(signal, () => {
      const now = performance.now()
      if (now - (last.get(signal) ?? -Infinity) < SAME_SIGNAL_MS) return
      last.set(signal, now)
      for (const child of running) child.kill(signal)
    })
  }
}

/**
 * Ends the programs when this process loses its parent. npx starts a program by a shell, and a signal to npx ends only
 * the shell.
 */
export const endWithParent = () => {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, "SIGTERM")
  }, PARENT_CHECK_MS)
  timer.unref()
}

/** Wraps a command so that it ends with a killed script; Linux only, where util-linux is installed. */
export const boundToParent = (command) =>
  process.platform === "linux" &&
    spawnSync("setpriv", ["--pdeathsig", "TERM", "--", "true"], { stdio: "ignore" }).status === 0
    ? ["setpriv", "--pdeathsig", "TERM", "--", ...command]
    : command

/**
 * Forwards each signal at most once a second, waits without a limit for the program to end, and ends the same way. The
 * program stays in the process group, so a signal to the group reaches it directly and at most one more time through
 * this process.
 */
export const runToEnd = (program, args, options = {}) =>
  new Promise((resolve, reject) => {
    const [command, ...rest] = boundToParent([program, ...args])
    const child = spawn(command, rest, { stdio: "inherit", ...options })
    running.add(child)
    forwardSignals()
    child.once("error", reject)
    child.once("exit", (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    })
  })

/** Ends this process the way the program ended; a signal becomes exit code 128 + its number, as in a shell. */
export const endLike = ({ code, signal }) =>
  process.exit(signal === null ? code : 128 + (constants.signals[signal] ?? 0))

let isJson = false

/** Prints JSON lines from now on, as the hub does off a terminal. */
export const useJsonLines = () => {
  isJson = true
}

/** Prints one line for the person at the terminal, or for the log. */
export const say = (message, level = "info") =>
  console.error(isJson ? JSON.stringify({ at: new Date().toISOString(), level, message }) : message)

/** Prints one line without a stack: a failure before the program runs is for a person. */
export const endWith = (error) => {
  say(error instanceof Error ? error.message : String(error), "error")
  process.exit(1)
}

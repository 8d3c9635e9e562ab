/** Runs the one program a script stands in front of: same terminal, same signals, same exit code. */
import { spawn, spawnSync } from "node:child_process"
import { constants } from "node:os"

const FORWARDED = process.platform === "win32" ? ["SIGINT", "SIGTERM", "SIGBREAK"] : ["SIGINT", "SIGTERM", "SIGHUP"]
/** One Ctrl-C arrives from the terminal, again from npm, and from whoever signals the whole group: that is one signal. */
const SAME_SIGNAL_MS = 1_000

/** A command that a killed script does not leave behind; Linux only, where util-linux is there. */
export const tethered = (command) =>
  process.platform === "linux" &&
    spawnSync("setpriv", ["--pdeathsig", "TERM", "--", "true"], { stdio: "ignore" }).status === 0
    ? ["setpriv", "--pdeathsig", "TERM", "--", ...command]
    : command

/**
 * Forwards each signal once within a second, waits for the program's own end however long it takes, and ends as it did.
 * The program stays in the process group, so a signal to the group reaches it directly and, at most once more, through here.
 */
export const runToEnd = (program, args, options = {}) =>
  new Promise((resolve, reject) => {
    const [command, ...rest] = tethered([program, ...args])
    const child = spawn(command, rest, { stdio: "inherit", ...options })
    const last = new Map()
    for (const signal of FORWARDED) {
      // never taken off again: a late copy of the signal must not kill this process before it has passed the exit code on
      process.on(signal, () => {
        const now = performance.now()
        if (now - (last.get(signal) ?? -Infinity) < SAME_SIGNAL_MS) return
        last.set(signal, now)
        child.kill(signal)
      })
    }
    child.once("error", reject)
    child.once("exit", (code, signal) => resolve({ code, signal }))
  })

/** Ends this process the way the program ended; a signal becomes 128 + its number, as a shell tells it. */
export const endLike = ({ code, signal }) =>
  process.exit(signal === null ? code : 128 + (constants.signals[signal] ?? 0))

/** One line, no stack: what goes wrong before the program runs is for the person at the terminal. */
export const endWith = (error) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
}

/** Runs one confirmed command, with its output limited and its process group killed at the end of its time. */
import { type ChildProcess, spawn } from "node:child_process"

const headBytes = 48 * 1024
const tailBytes = 16 * 1024
/** Between a request to end and the kill. */
const graceMillis = 2_000

/** Keeps the beginning and the end of a stream, so that a flood of output needs no memory. */
const makeCapture = () => {
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  let omitted = 0
  return {
    push: (bytes: Buffer): void => {
      const room = headBytes - head.length
      if (room > 0) head = Buffer.concat([head, bytes.subarray(0, room)])
      const rest = Buffer.concat([tail, bytes.subarray(Math.max(0, room))])
      tail = rest.subarray(Math.max(0, rest.length - tailBytes))
      omitted += rest.length - tail.length
    },
    text: (): string =>
      omitted === 0
        ? Buffer.concat([head, tail]).toString("utf8")
        : `${head.toString("utf8")}\n[${omitted} bytes omitted]\n${tail.toString("utf8")}`
  }
}

/** The credentials of the command line are not the agent's. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("COUNTERSIGN_")))

const kill = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  if (pid === undefined) return
  try {
    // Its process group, which Windows does not have.
    process.kill(process.platform === "win32" ? pid : -pid, signal)
  } catch {
    // It has ended.
  }
}

/** Rejects if the program cannot be started. */
export const runCommand = (argv: ReadonlyArray<string>, cwd: string, timeoutSeconds: number): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const [program = "", ...args] = argv
    const child = spawn(program, args, {
      cwd,
      env: environment(),
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32"
    })
    const stdout = makeCapture()
    const stderr = makeCapture()
    child.stdout.on("data", stdout.push)
    child.stderr.on("data", stderr.push)
    let timedOut = false
    let force: NodeJS.Timeout | undefined
    const timer = setTimeout(() => {
      timedOut = true
      kill(child, "SIGTERM")
      force = setTimeout(() => kill(child, "SIGKILL"), graceMillis)
    }, timeoutSeconds * 1_000)
    const interrupt = (): void => {
      kill(child, "SIGKILL")
      process.exit(130)
    }
    process.once("SIGINT", interrupt)
    const end = (): void => {
      clearTimeout(timer)
      clearTimeout(force)
      process.off("SIGINT", interrupt)
    }
    child.once("error", (error) => {
      end()
      reject(error)
    })
    // A background process may hold the output open; it ends with its group.
    child.once("exit", () => kill(child, "SIGKILL"))
    child.once("close", (code, signal) => {
      end()
      resolve({
        exit_code: code,
        ...signal === null ? {} : { signal },
        ...timedOut ? { timed_out: true } : {},
        stdout: stdout.text(),
        stderr: stderr.text()
      })
    })
  })

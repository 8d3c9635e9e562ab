/** Runs one confirmed command, with its output limited and its process group killed at the end of its time. */
import { type HeadAndTail, makeHeadAndTail } from "@countersign/domain/head-and-tail"
import { type ChildProcess, spawn } from "node:child_process"

const headBytes = 48 * 1024
const tailBytes = 16 * 1024
/** Between a request to end and the kill. */
const graceMillis = 2_000

const textOf = (output: HeadAndTail): string =>
  output.text((bytes) => Buffer.from(bytes).toString("utf8"), `\n[${output.omitted()} bytes omitted]\n`)

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
    const stdout = makeHeadAndTail(headBytes, tailBytes)
    const stderr = makeHeadAndTail(headBytes, tailBytes)
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
        stdout: textOf(stdout),
        stderr: textOf(stderr)
      })
    })
  })

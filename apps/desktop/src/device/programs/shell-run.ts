/**
 * `shell.run`: one program with its arguments, without a shell; its whole process tree ends with it. Spec:
 * reference/devices.md "D6: no shell", "D13: environment", "D18: process trees".
 */
import { type ChildProcess, spawn } from "node:child_process"
import { constants, setPriority } from "node:os"
import type { StreamName } from "../results/output.ts"
import { failed } from "../results/refusal.ts"
import { endTree, killTree, processesOf, startsSoFar, watchTree } from "./process-tree.ts"

/** Time for the program's last output when one of its children keeps the pipe open. */
const drainMillis = 1_000

export interface Run {
  readonly command: string
  readonly path: string
  readonly argv: ReadonlyArray<string>
  /** Path to the descriptor of the checked directory. */
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string | undefined
  /** It has a PID namespace, which ends with it. */
  readonly contained: boolean
  readonly print: (stream: StreamName, bytes: Uint8Array) => void
  /** Ends it in stages. */
  readonly stop: AbortSignal
  /** Kills it at once. */
  readonly kill: AbortSignal
}

export interface Ran {
  readonly exitCode: number | undefined
  readonly signal: NodeJS.Signals | undefined
  /** False: some of its processes survived. */
  readonly clean: boolean
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true })
  )

const started = (run: Run): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    const child = spawn(run.path, run.argv.slice(1), {
      argv0: run.argv[0]!,
      cwd: run.directory,
      env: run.env,
      detached: true,
      windowsHide: true,
      stdio: [run.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"]
    })
    child.once("spawn", () => resolve(child))
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(failed("not_started", `${run.argv[0]} could not be started: ${error.code ?? error.message}`)))
  })

/** Settles when the program and its whole tree have ended. Failed `not_started`. */
export const runProgram = async (run: Run): Promise<Ran> => {
  const before = startsSoFar()
  const child = await started(run)
  const leader = child.pid!
  const unwatch = run.contained ? () => {} : watchTree(run.command, leader, before)
  try {
    setPriority(leader, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has already ended, or the system forbids it.
  }
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const exited = new Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>((resolve) =>
    child.once("exit", (code, signal) => resolve({ code, signal }))
  )
  child.stdout!.on("data", (bytes: Buffer) => run.print("stdout", bytes))
  child.stderr!.on("data", (bytes: Buffer) => run.print("stderr", bytes))
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {})
  child.stdin?.end(run.stdin)

  let ending: Promise<boolean> | undefined
  void aborted(run.stop).then(() => {
    ending ??= endTree(run.command, leader, run.kill)
  })
  void aborted(run.kill).then(() => {
    ending ??= killTree(run.command, leader)
  })

  const { code, signal } = await exited
  // Ends the remaining processes; a child that got a signal has its grace period.
  const clean =
    await (ending ?? (processesOf(run.command, leader, before).length === 0 ? true : killTree(run.command, leader)))
  unwatch()
  let timer: NodeJS.Timeout | undefined
  await Promise.race([
    closed,
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, drainMillis)
    })
  ])
  clearTimeout(timer)
  child.stdout!.destroy()
  child.stderr!.destroy()
  return { exitCode: code ?? undefined, signal: signal ?? undefined, clean }
}

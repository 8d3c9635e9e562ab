/**
 * Whether the screen is locked, as the system tells it when it is asked. Electron's events of a lock are macOS' and Windows' alone; on
 * Linux the session's manager knows it, where the desktop tells that one, and Electron sees some lockers by itself. Spec: D10.
 */
import { execFile } from "node:child_process"
import type { LockLook } from "../device/lock-guard.ts"

export interface LockParts {
  readonly platform: NodeJS.Platform
  readonly environment: NodeJS.ProcessEnv
  /** Of Electron's `powerMonitor`; `locked` is a word of its own there. */
  readonly idleState: () => string
}

/** A manager that takes longer has told nothing. */
const answerMillis = 1_000

const hints: Readonly<Record<string, boolean>> = { yes: true, no: false }

/** None: not known. */
const sessionHint = (environment: NodeJS.ProcessEnv): Promise<boolean | undefined> =>
  new Promise((resolve) => {
    const { XDG_SESSION_ID: id = "" } = environment
    const session = /^[A-Za-z0-9]+$/u.test(id) ? id : "auto"
    const options = { env: environment, timeout: answerMillis, killSignal: "SIGKILL", encoding: "utf8" } as const
    execFile("loginctl", ["show-session", session, "-p", "LockedHint", "--value"], options, (error, said) =>
      resolve(error === null ? hints[said.trim()] : undefined))
  })

/** Rejects never. */
export const screenLock = ({ environment, idleState, platform }: LockParts) => async (): Promise<LockLook> => {
  const hint = platform === "linux" ? await sessionHint(environment) : undefined
  let isSeen = false
  try {
    isSeen = idleState() === "locked"
  } catch {
    // Not every build of it can see one.
  }
  return { locked: hint === true || isSeen, told: platform !== "linux" || hint !== undefined || isSeen }
}

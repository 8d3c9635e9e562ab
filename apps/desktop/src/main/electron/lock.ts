/**
 * Queries the system for a locked screen. Electron emits lock events only on macOS and Windows; on Linux the session
 * manager has the state if the desktop reports it, and Electron detects some lockers itself. Spec: reference/devices.md
 * "D10: doubt is denial".
 */
import { execFile } from "node:child_process"
import type { LockCheck } from "../device/lock-guard.ts"

export interface LockParts {
  readonly platform: NodeJS.Platform
  readonly environment: NodeJS.ProcessEnv
  /** Electron's `powerMonitor.getSystemIdleState`, which answers `locked` for a locked screen. */
  readonly idleState: () => string
}

/** A session manager that takes longer counts as silent. */
const answerMillis = 1_000

const hints: Readonly<Record<string, boolean>> = { yes: true, no: false }

/** Undefined: unknown. */
const sessionHint = (environment: NodeJS.ProcessEnv): Promise<boolean | undefined> =>
  new Promise((resolve) => {
    const { XDG_SESSION_ID: id = "" } = environment
    const session = /^[A-Za-z0-9]+$/u.test(id) ? id : "auto"
    const options = { env: environment, timeout: answerMillis, killSignal: "SIGKILL", encoding: "utf8" } as const
    execFile("loginctl", ["show-session", session, "-p", "LockedHint", "--value"], options, (error, output) =>
      resolve(error === null ? hints[output.trim()] : undefined))
  })

/** Never rejects. */
export const screenLock = ({ environment, idleState, platform }: LockParts) => async (): Promise<LockCheck> => {
  const hint = platform === "linux" ? await sessionHint(environment) : undefined
  let isSeen = false
  try {
    isSeen = idleState() === "locked"
  } catch {
    // Some builds cannot detect a lock.
  }
  return { locked: hint === true || isSeen, reported: platform !== "linux" || hint !== undefined || isSeen }
}

/** This computer as a device, for its screen and the tray's menu. */

export type DevicePhase =
  /** Turned off, or never paired. */
  | "off"
  | "unpaired"
  | "starting"
  | "online"
  /** The agent runs and cannot reach its hub. */
  | "offline"
  /** Accepts no new commands; running commands finish. */
  | "paused"
  /** Stopping: waits for running commands. */
  | "ending"
  /** Panic stop: nothing runs until a person resumes. */
  | "stopped"
  /** The agent ended and restarts after a pause. */
  | "restarting"
  /** The agent ended for a reason that only a person can resolve: `reason`. */
  | "failed"

export type DeviceFailure = "configuration" | "superseded" | "revoked" | "no_key" | "keychain"

export interface DeviceView {
  readonly phase: DevicePhase
  /** Milliseconds since 1970. */
  readonly since: number
  readonly name?: string
  /** Ids of the running commands. */
  readonly running: ReadonlyArray<string>
  readonly failure?: DeviceFailure
  /** One line for a person. */
  readonly reason?: string
  readonly retryAt?: number
  readonly pausedUntil?: number
}

export const deviceOff: DeviceView = { phase: "off", since: 0, running: [] }

/** This computer as a device, as its screen and the tray's menu tell it. */

export type DevicePhase =
  /** Switched off, or never paired. */
  | "off"
  | "unpaired"
  | "starting"
  | "online"
  /** It runs, and its hub cannot be reached. */
  | "offline"
  /** Nothing new is begun; what runs ends by itself. */
  | "paused"
  /** It was told to stop, and waits for what runs. */
  | "ending"
  /** Panic stop: nothing runs until a person resumes. */
  | "stopped"
  /** It ended and is started again after a pause. */
  | "restarting"
  /** It ended for a cause that only a person mends: `reason`. */
  | "failed"

export type DeviceFailure = "configuration" | "superseded" | "revoked" | "no_key" | "keychain"

export interface DeviceView {
  readonly phase: DevicePhase
  /** Milliseconds since 1970. */
  readonly since: number
  readonly name?: string
  /** Ids of the commands that run. */
  readonly running: ReadonlyArray<string>
  readonly failure?: DeviceFailure
  /** For a person, one line. */
  readonly reason?: string
  readonly retryAt?: number
  readonly pausedUntil?: number
}

export const deviceOff: DeviceView = { phase: "off", since: 0, running: [] }

/**
 * A connection to the hub. A socket and the long poll carry the same messages under the same rules; one of them is
 * active at a time (`transports.ts`). The domain's schemas decode every frame and answer before the agent receives it;
 * a malformed one is a fault of the link. Spec: reference/devices.md "WebSocket", "Long poll".
 */
import type { NextFrame } from "@countersign/domain/device-frames"
import {
  type Control,
  type DeviceFrame,
  type Heartbeat,
  type HeartbeatAnswer,
  heartbeatSeconds
} from "@countersign/domain/device-protocol"
import type { Tool } from "@countersign/domain/device-tools"

/** Malformed frames before the link is closed, and the number of them that are logged. */
const malformedMax = 100
const malformedLogged = 5
const intervalSecondsMax = 60

/**
 * The reason for the end of a connection or a failed attempt. Only the hub sends a `code`; an answer without one may
 * come from a proxy.
 */
export type LinkEnd =
  | { readonly kind: "closed"; readonly code: number; readonly reason: string }
  | {
    readonly kind: "refused"
    readonly status: number
    readonly code: string | undefined
    readonly retryAfterSeconds: number | undefined
  }
  | { readonly kind: "unreachable"; readonly why: string }

/** Fields that a socket's welcome and a heartbeat's answer share. */
export type Welcomed = Pick<
  HeartbeatAnswer,
  "session_id" | "interval_seconds" | "kept" | "lost" | "controls" | "min_app_version"
>

export type Send = (frame: DeviceFrame) => void

export interface LinkOptions {
  readonly hub: string
  readonly device: string
  readonly key: string
  readonly tools: ReadonlyArray<Tool>
  /** The current report; sent at first and with each heartbeat. */
  readonly report: () => Omit<Heartbeat, "session_id" | "capabilities"> & { readonly boot_id: string }
  /** Called at most once. */
  readonly onWelcome: (welcome: Welcomed, send: Send) => void
  /** The long poll converts its answers to socket frames. */
  readonly onFrame: (frame: NextFrame) => void
  /** A frame or answer that is malformed or made the agent throw. Called for the first few only. */
  readonly onMalformed: (problem: string) => void
  /** The hub has just received the list of running commands. */
  readonly onAlive: () => void
  /** Called after each heartbeat. */
  readonly onBeat: () => void
  /** Ends the link at once. */
  readonly signal: AbortSignal
}

export interface Link {
  readonly ended: Promise<LinkEnd>
  /** Sends a heartbeat now. */
  readonly beat: () => void
  /** Accepts no more commands, starts no reports, and ends after its requests in flight. */
  readonly retire: () => void
}

export type OpenLink = (options: LinkOptions) => Link

/** Time between heartbeats, limited whatever the hub requests. */
export const intervalMillis = (seconds: number = heartbeatSeconds): number =>
  Math.min(Math.max(seconds, 1), intervalSecondsMax) * 1_000

export const frameOfControl = (control: Control): NextFrame =>
  control.type === "cancel" && control.command_id !== undefined
    ? { type: "cancel", command_id: control.command_id }
    : { type: "control", control }

/** Counts malformed frames of one link. Returns true when there are too many. */
export const malformedCounter = (onMalformed: (problem: string) => void): (problem: string) => boolean => {
  let count = 0
  return (problem) => {
    count++
    if (count <= malformedLogged) onMalformed(problem)
    return count > malformedMax
  }
}

/**
 * A connection to the hub. There are two kinds, a socket and the long poll, with the same messages and rules; one of them carries commands
 * at a time (`baton.ts`). Every frame and answer is decoded by the domain's schemas before the agent sees it: what does not fit is a fault
 * of the link. Spec: contract 8a "Same messages and rules as HTTP, which is the fallback".
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

/** Malformed frames on one link before it is given up, and how many of them are logged. */
const malformedMax = 100
const malformedLogged = 5
const intervalSecondsMax = 60

/** How a way ended, or why there was none. `code` is the hub's own word: what has none may come from a proxy in between. */
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
  /** Of now; said at first and with each heartbeat. */
  readonly report: () => Omit<Heartbeat, "session_id" | "capabilities"> & { readonly boot_id: string }
  /** Once at most. */
  readonly onWelcome: (welcome: Welcomed, send: Send) => void
  /** The poll's answers become the frames that a socket would have brought. */
  readonly onFrame: (frame: NextFrame) => void
  /** A frame or an answer that fits no schema, or that the agent failed at. Not called for every one of many. */
  readonly onMalformed: (problem: string) => void
  /** The hub knows of what runs here, at this moment. */
  readonly onAlive: () => void
  /** After each heartbeat. */
  readonly onBeat: () => void
  /** Ends it at once. */
  readonly signal: AbortSignal
}

export interface Link {
  readonly ended: Promise<LinkEnd>
  /** A heartbeat out of turn. */
  readonly beat: () => void
  /** Takes no commands any more, says nothing new, and ends after what is under way. */
  readonly retire: () => void
}

export type OpenLink = (options: LinkOptions) => Link

/** Between heartbeats, whatever the hub wants. */
export const intervalMillis = (seconds: number = heartbeatSeconds): number =>
  Math.min(Math.max(seconds, 1), intervalSecondsMax) * 1_000

export const frameOfControl = (control: Control): NextFrame =>
  control.type === "cancel" && control.command_id !== undefined
    ? { type: "cancel", command_id: control.command_id }
    : { type: "control", control }

/** Counts malformed frames of one link. True when there were too many. */
export const malformedCounter = (onMalformed: (problem: string) => void): (problem: string) => boolean => {
  let count = 0
  return (problem) => {
    count++
    if (count <= malformedLogged) onMalformed(problem)
    return count > malformedMax
  }
}

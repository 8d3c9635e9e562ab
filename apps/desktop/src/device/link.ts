/**
 * A way to the hub. There are two, a socket and the long poll, which say the same things by the same rules; what carries commands at a
 * time is one of them (`baton.ts`). Spec: contract 8a "Same messages and rules as HTTP, which is the fallback".
 */
import type { Control, DeviceFrame, Heartbeat } from "@countersign/domain/device-protocol"
import type { Tool } from "@countersign/domain/device-tools"
import type { HubFrame } from "./agent.ts"

/** How a way ended, or why there was none. `code` is the hub's own word: what has none may come from a proxy in between. */
export type LinkEnd =
  | { readonly kind: "closed"; readonly code: number; readonly reason: string }
  | { readonly kind: "refused"; readonly status: number; readonly code: string | undefined; readonly retryAfterSeconds: number | undefined }
  | { readonly kind: "unreachable"; readonly why: string }

/** What the hub says at first: of a socket's welcome and of a heartbeat's answer alike. */
export interface Welcomed {
  readonly session_id: string
  readonly interval_seconds?: number
  readonly kept: ReadonlyArray<string>
  readonly lost: ReadonlyArray<string>
  readonly controls: ReadonlyArray<Control>
  readonly min_app_version?: string
}

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
  /** As the frames of a socket are. */
  readonly onFrame: (frame: HubFrame) => void
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

export const parsedFrame = (text: string): HubFrame => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

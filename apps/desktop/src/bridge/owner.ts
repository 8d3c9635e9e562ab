/**
 * What passes between the owner's window and main: the question that waits, panic stop, and what this computer lends. Names and
 * types alone, so that the preload carries no schema. Spec: D11.
 */
import type { DeviceRules } from "@countersign/domain/device-rules"
import type { DeviceView } from "../main/device/view.ts"
import type { Answer } from "./contract.ts"

export const ownerMethods = [
  "state",
  "drawn",
  "read",
  "allow",
  "deny",
  "stop",
  "resume",
  "saveRules",
  "addRoot",
  "removeRoot"
] as const
export type OwnerMethod = typeof ownerMethods[number]
export const ownerChannel = (method: OwnerMethod): string => `countersign:owner/${method}`

/** The whole state, after each change of it. */
export const ownerPush = "countersign:push/owner"

export interface OwnerQuestion {
  readonly question: string
  /** Of the plan: every answer names it. */
  readonly digest: string
  /** Whole, as main wrote it; the window boxes what hides in it. */
  readonly lines: ReadonlyArray<string>
  /** Milliseconds since 1970: denied then. */
  readonly expiresAt: number
  /** Others that wait behind it. */
  readonly behind: number
  /** Whether a yes would count now. */
  readonly allow: boolean
}

/** `digest`: of the file as it was read, null when there is none. What is saved names it, so that nothing is written over unseen. */
export type OwnerRules =
  | { readonly kind: "rules"; readonly rules: DeviceRules; readonly text: string; readonly digest: string | null }
  /** Nothing runs by them. `text`: null when not even that could be read. */
  | { readonly kind: "problem"; readonly problem: string; readonly text: string | null; readonly digest: string | null }

export interface OwnerRoot {
  readonly path: string
  /** Without its directory the agent does not start. */
  readonly there: boolean
}

export interface OwnerPairing {
  readonly hub: string
  /** As its profile here is called; null: no profile has this address. */
  readonly hub_name: string | null
  readonly device_id: string
  readonly name: string
}

export interface OwnerState {
  /** Grows with each: one that comes late is older than what is shown. */
  readonly seq: number
  readonly question: OwnerQuestion | null
  readonly panic: { readonly stopped: boolean; readonly since?: number; readonly unwritten?: true }
  readonly device: DeviceView
  /** Null: this computer is lent to no hub. */
  readonly pairing: OwnerPairing | null
  /** The pairing's file cannot be used: nothing of it can be changed here. */
  readonly pairing_problem: string | null
  readonly roots: ReadonlyArray<OwnerRoot>
  readonly rules: OwnerRules
  /** Whether a sandbox works on this computer. */
  readonly sandbox: boolean
  /** Whether this system tells that its screen is locked. */
  readonly tells_lock: boolean
}

/** Why a yes was none; null: it is allowed. */
export type OwnerRefusal = "other_question" | "expired" | "not_drawn" | "too_soon" | "not_read" | null

type Of = { readonly question: string; readonly digest: string }

export interface BridgedOwner {
  readonly state: () => Promise<Answer<OwnerState>>
  /** It stands on the screen. */
  readonly drawn: (ask: Of) => Promise<Answer<null>>
  /** Its last line was seen. */
  readonly read: (ask: Of) => Promise<Answer<null>>
  readonly allow: (ask: Of) => Promise<Answer<{ readonly refusal: OwnerRefusal }>>
  readonly deny: (ask: { readonly question: string; readonly cause: "person" | "escape" }) => Promise<Answer<null>>
  /** Panic stop, answered when nothing runs any more. */
  readonly stop: () => Promise<Answer<null>>
  readonly resume: () => Promise<Answer<null>>
  /** Refused with `details` where they do not fit, and when the file is not the one that `seen` is of. */
  readonly saveRules: (ask: { readonly text: string; readonly seen: string | null }) => Promise<Answer<null>>
  /** The owner picks a folder of the system's own dialog. `added` null: none was picked. */
  readonly addRoot: () => Promise<Answer<{ readonly added: string | null }>>
  readonly removeRoot: (ask: { readonly path: string }) => Promise<Answer<null>>
}

/** `window.countersignOwner` of the owner's window: functions only. */
export interface OwnerBridge extends BridgedOwner {
  readonly onState: (listener: (state: OwnerState) => void) => () => void
}

/**
 * The contract between the owner's window and main: the pending question, panic stop, and the folders and rules of this
 * computer. Names and types only, so that the preload contains no schema. Spec: reference/devices.md "D11: the owner's
 * window".
 */
import type { DeviceRules } from "@countersign/domain/device-rules"
import type { Answer } from "./answer.ts"
import type { DeviceView } from "./device-view.ts"

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

/** The complete state, sent after each change. */
export const ownerPush = "countersign:push/owner"

export interface OwnerQuestion {
  readonly question: string
  /** Digest of the plan; every answer includes it. */
  readonly digest: string
  /** Complete, as main wrote them; the window marks hidden characters in them. */
  readonly lines: ReadonlyArray<string>
  /** Milliseconds since 1970, when the command is denied. */
  readonly expiresAt: number
  /** The number of questions after this one. */
  readonly behind: number
  /** Whether an approval is accepted now. */
  readonly allow: boolean
}

/**
 * `digest`: of the file as it was read, null when there is no file. Saving requires it, so that an unseen change is not
 * overwritten.
 */
export type OwnerRules =
  | { readonly kind: "rules"; readonly rules: DeviceRules; readonly text: string; readonly digest: string | null }
  /** No command is allowed by these rules. `text`: null when the file could not be read. */
  | { readonly kind: "problem"; readonly problem: string; readonly text: string | null; readonly digest: string | null }

export interface OwnerRoot {
  readonly path: string
  /** Whether the directory exists; the agent does not start without it. */
  readonly there: boolean
}

export interface OwnerPairing {
  readonly hub: string
  /** The name of its profile here; null when no profile has this address. */
  readonly hub_name: string | null
  readonly device_id: string
  readonly name: string
}

export interface OwnerState {
  /** Increases with each state; a state with a lower number is outdated. */
  readonly seq: number
  readonly question: OwnerQuestion | null
  readonly panic: { readonly stopped: boolean; readonly since?: number; readonly unwritten?: true }
  readonly device: DeviceView
  /** Null when this computer is not connected to a hub. */
  readonly pairing: OwnerPairing | null
  /** The pairing file cannot be used; the window cannot change it. */
  readonly pairing_problem: string | null
  readonly roots: ReadonlyArray<OwnerRoot>
  readonly rules: OwnerRules
  /** Whether a sandbox works on this computer. */
  readonly sandbox: boolean
  /** Whether this system reports that its screen is locked. */
  readonly tells_lock: boolean
}

/** Why an approval was refused; null: the command is allowed. */
export type OwnerRefusal = "other_question" | "expired" | "not_drawn" | "too_soon" | "not_read" | null

type Of = { readonly question: string; readonly digest: string }

export interface BridgedOwner {
  readonly state: () => Promise<Answer<OwnerState>>
  /** The question is displayed. */
  readonly drawn: (ask: Of) => Promise<Answer<null>>
  /** Its last line was displayed. */
  readonly read: (ask: Of) => Promise<Answer<null>>
  readonly allow: (ask: Of) => Promise<Answer<{ readonly refusal: OwnerRefusal }>>
  readonly deny: (ask: { readonly question: string; readonly cause: "person" | "escape" }) => Promise<Answer<null>>
  /** Panic stop; answered when no command runs. */
  readonly stop: () => Promise<Answer<null>>
  readonly resume: () => Promise<Answer<null>>
  /** Refused with `details` when the rules are invalid, and when the file's digest is not `seen`. */
  readonly saveRules: (ask: { readonly text: string; readonly seen: string | null }) => Promise<Answer<null>>
  /** The owner picks a folder in the system's dialog. `added` is null when the dialog was canceled. */
  readonly addRoot: () => Promise<Answer<{ readonly added: string | null }>>
  readonly removeRoot: (ask: { readonly path: string }) => Promise<Answer<null>>
}

/** `window.countersignOwner` of the owner's window: functions only. */
export interface OwnerBridge extends BridgedOwner {
  readonly onState: (listener: (state: OwnerState) => void) => () => void
}

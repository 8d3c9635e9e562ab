/**
 * The types of messages between the windows and main. Values are plain data for structured clone.
 */
import type { Input, Output } from "@countersign/hub-client/contract"
import type { HubErrorFacts } from "@countersign/hub-client/error"
import type { Answer } from "./answer.ts"
import type { BridgedEndpoint, streamed } from "./channels.ts"
import type { HubState } from "./hub-state.ts"
import type { NotificationSettings, ProfileId } from "./profile-schemas.ts"
import type { BridgedComputer, ComputerTopic } from "./this-computer.ts"

export interface BridgedOptions {
  readonly workspace?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly once?: boolean | undefined
}

/** One function for each endpoint of the allowlist. */
export type BridgedHub = {
  readonly [E in BridgedEndpoint]: (input: Input<E>, options: BridgedOptions) => Promise<Answer<Output<E>>>
}

/** One piece of an event stream. `seq` counts from 0 without gaps. */
export type EventsPiece =
  | { readonly stream: string; readonly seq: number; readonly kind: "text"; readonly text: string }
  /** The last piece of its stream. */
  | { readonly stream: string; readonly seq: number; readonly kind: "end"; readonly error: HubErrorFacts | null }

export interface HubInShell {
  readonly id: ProfileId
  readonly name: string
  readonly url: string
  readonly hub_id: string
  /** Fingerprint of the imported authority. */
  readonly ca_sha256: string | null
  readonly limit_cents: number | null
  readonly notifications: NotificationSettings
  readonly state: HubState | null
}

export interface ShellState {
  readonly hubs: ReadonlyArray<HubInShell>
  /** The hub that this window shows. */
  readonly current: ProfileId | null
  readonly app_version: string
  /** Problems to show to the person: no keychain, or an unreadable profiles file that was moved. */
  readonly notices: ReadonlyArray<string>
}

export type FoundHub =
  | {
    readonly kind: "hub"
    readonly url: string
    readonly hub_id: string
    readonly version: string
    readonly ca_sha256: string | null
  }
  | {
    readonly kind: "untrusted"
    readonly url: string
    readonly code: string
    readonly subject: string
    readonly sha256: string
    /** Its authority may be imported; otherwise only the hub's operator can correct the certificate. */
    readonly may_import: boolean
  }
  | { readonly kind: "none"; readonly url: string; readonly code: string; readonly message: string }

export interface HubChanges {
  readonly id: string
  readonly name?: string
  readonly limit_cents?: number | null
  readonly notifications?: NotificationSettings
  /** The displayed fingerprint of a certificate that main has just read from this hub. */
  readonly import_ca_sha256?: string
}

/** The argument of a bridged method; undefined for one without. */
export type Asked<Method extends (ask: never) => unknown> = Parameters<Method>[0]

export interface BridgedShell extends BridgedComputer {
  readonly state: () => Promise<Answer<ShellState>>
  /** The preload calls this when the page can receive screens; main then sends the pending one. */
  readonly listening: () => Promise<Answer<null>>
  /**
   * Checks which hub answers at the address, without any credential; `import_ca_sha256` trusts the authority that was
   * displayed with this fingerprint.
   */
  readonly findHub: (ask: { readonly url: string; readonly import_ca_sha256?: string }) => Promise<Answer<FoundHub>>
  /** Adds a hub that `findHub` has just found and a person has seen. */
  readonly addHub: (
    hub: { readonly url: string; readonly hub_id: string; readonly name: string; readonly ca_sha256?: string }
  ) => Promise<Answer<{ readonly id: string }>>
  /** Raising or removing the limit requires confirmation in main's own window; otherwise `not_confirmed`. */
  readonly updateHub: (changes: HubChanges) => Promise<Answer<null>>
  readonly removeHub: (ask: { readonly id: string }) => Promise<Answer<null>>
  /** Loads the window again for that hub; with the token of its setup link, at the form that creates its owner. */
  readonly openHub: (ask: { readonly id: string; readonly setup_token?: string }) => Promise<Answer<null>>
  readonly retryNow: () => Promise<Answer<null>>
  /** From then on `onEvents` delivers pieces under this name until `end`. This window's previous event stream ends. */
  readonly openEvents: (ask: { readonly stream: string }) => Promise<Answer<null>>
  /** Like `openEvents`, for the streamed answer of an endpoint; a window may have several. */
  readonly openStream: (ask: {
    readonly stream: string
    readonly endpoint: typeof streamed[number]
    readonly input: unknown
    readonly workspace?: string
    readonly last_event_id?: string
    readonly idempotency_key?: string
  }) => Promise<Answer<null>>
  readonly closeStream: (ask: { readonly stream: string }) => Promise<Answer<null>>
  /** Reserves an object; its bytes follow under this name. */
  readonly openUpload: (ask: {
    readonly stream: string
    readonly workspace: string
    readonly object: Input<"storage.presignUpload">["payload"]
  }) => Promise<Answer<{ readonly object_id: string }>>
  /** The next piece of at most `uploadPieceBytesMax`. Resolves when the hub can take another one. */
  readonly sendUpload: (ask: { readonly stream: string; readonly bytes: Uint8Array }) => Promise<Answer<null>>
  /** Resolves when the store has all bytes. */
  readonly endUpload: (ask: { readonly stream: string }) => Promise<Answer<null>>
  readonly closeUpload: (ask: { readonly stream: string }) => Promise<Answer<null>>
}

/** `window.countersign` of the console's window: functions only. */
export interface ConsoleBridge {
  readonly hub: BridgedHub
  readonly shell: BridgedShell
  readonly onEvents: (listener: (piece: EventsPiece) => void) => () => void
  readonly onState: (listener: (state: ShellState) => void) => () => void
  /** Receives the topic of this computer that has changed. */
  readonly onComputer: (listener: (topic: ComputerTopic) => void) => () => void
  /** Receives the console path that a notification, a link, or the tray opens. */
  readonly onScreen: (listener: (path: string) => void) => () => void
}

/** A masked field of a payload. `text` is null when the hub hides it. */
export interface ConfirmField {
  /** Empty when the payload has no names. */
  readonly label: string
  readonly text: string | null
}

export interface ConfirmRow {
  readonly id: string
  readonly who: string
  /** `service.operation`, or a device's tool; absent for another kind of approval. */
  readonly what?: string
  /** The device that would run the command. */
  readonly device?: string
  /** The workspace's name. */
  readonly workspace: string
  readonly digest: string
  readonly cost_cents: number
  /** Milliseconds since 1970, by this computer's clock. */
  readonly expires_at: number
  readonly fields: ReadonlyArray<ConfirmField>
  /** Characters beyond `fields`. */
  readonly left_out: number
}

/** Limits of the standing approval that the decision would create. */
export interface ConfirmRemembered {
  readonly max_cost_cents: number
  readonly max_total_cents?: number
  readonly max_uses?: number
}

/** The facts to confirm, as main read them from the hub. */
export type ConfirmFacts =
  | {
    readonly kind: "approve"
    readonly hub: { readonly name: string; readonly url: string }
    readonly rows: ReadonlyArray<ConfirmRow>
    readonly total_cents: number
    readonly limit_cents: number
    /** The wallet's balance after the approval; absent for several workspaces. */
    readonly left_cents?: number
    readonly remembered?: ConfirmRemembered
  }
  /** `after_cents` is null when the limit is removed. */
  | {
    readonly kind: "limit"
    readonly hub: { readonly name: string; readonly url: string }
    readonly before_cents: number
    readonly after_cents: number | null
  }

/** `window.countersignConfirm` of the confirmation window. */
export interface ConfirmBridge {
  readonly read: () => Promise<Answer<ConfirmFacts>>
  /** Resolves when approval is accepted. */
  readonly ready: () => Promise<Answer<null>>
  readonly answer: (ask: { readonly yes: boolean }) => Promise<Answer<{ readonly refusal: "too_soon" | null }>>
}

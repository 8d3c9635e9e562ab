/**
 * What passes between the windows and main, by type. Values are plain data: they go through structured clone. An answer that did not come
 * is a value too, since an error loses its fields on the way.
 */
import type { Input, Output } from "@countersign/ui/hub/contract"
import type { HubErrorFacts } from "@countersign/ui/hub/error"
import type { BridgedEndpoint, streamed } from "./channels.ts"
import type { BridgedComputer, ComputerTopic } from "./this-computer.ts"

export type Answer<A> =
  | {
    readonly ok: true
    readonly value: A
    readonly time?: readonly [date: string, askedAt: number, cameAt: number] | undefined
  }
  | { readonly ok: false; readonly error: HubErrorFacts }

export interface BridgedOptions {
  readonly workspace?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly once?: boolean | undefined
}

/** One function for each endpoint of the allowlist. */
export type BridgedHub = {
  readonly [E in BridgedEndpoint]: (input: Input<E>, options: BridgedOptions) => Promise<Answer<Output<E>>>
}

/** One piece of a stream of events. `seq` counts from 0 without a gap. */
export type EventsPiece =
  | { readonly stream: string; readonly seq: number; readonly kind: "text"; readonly text: string }
  /** The last of its stream. */
  | { readonly stream: string; readonly seq: number; readonly kind: "end"; readonly error: HubErrorFacts | null }

/** A profile's phase, in words of `main/hub/port.ts`. */
export type HubPhase =
  | { readonly phase: "connecting" | "connected"; readonly since: number }
  | { readonly phase: "offline"; readonly since: number; readonly retryAt?: number | undefined; readonly cause: string }
  | { readonly phase: "signed_out"; readonly since: number; readonly cause: string }
  | {
    readonly phase: "stopped"
    readonly since: number
    readonly cause:
      | { readonly kind: "hub_changed"; readonly expected: string; readonly found: string }
      | {
        readonly kind: "untrusted_certificate"
        readonly subject: string
        readonly sha256: string
        readonly code: string
        readonly may_import: boolean
      }
      | { readonly kind: "app_too_old"; readonly min_app_version: string }
  }

export interface HubInShell {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly hub_id: string
  /** Of the imported authority. */
  readonly ca_sha256: string | null
  readonly limit_cents: number | null
  readonly notifications: {
    readonly enabled: boolean
    readonly show_payload: boolean
    readonly remind: boolean
  }
  readonly state: HubPhase | null
}

export interface ShellState {
  readonly hubs: ReadonlyArray<HubInShell>
  /** The one that this window shows. */
  readonly current: string | null
  readonly app_version: string
  /** What a person must know: no keychain, a file of profiles that was set aside. */
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
    /** Its authority may be imported; otherwise the certificate is wrong in a way that only the hub can mend. */
    readonly may_import: boolean
  }
  | { readonly kind: "none"; readonly url: string; readonly code: string; readonly message: string }

export interface HubChanges {
  readonly id: string
  readonly name?: string
  readonly limit_cents?: number | null
  readonly notifications?: HubInShell["notifications"]
  /** What was shown, of a certificate that main looked at for this hub just now. */
  readonly import_ca_sha256?: string
}

export interface BridgedShell extends BridgedComputer {
  readonly state: () => Promise<Answer<ShellState>>
  /** The page hears of screens from now on: the preload says so, and main tells the one that waited. */
  readonly listening: () => Promise<Answer<null>>
  /** Looks who answers there, without any credential; with `import_ca_sha256` trusting the authority that was shown under it. */
  readonly findHub: (ask: { readonly url: string; readonly import_ca_sha256?: string }) => Promise<Answer<FoundHub>>
  /** What `findHub` just found and a person has seen. */
  readonly addHub: (
    hub: { readonly url: string; readonly hub_id: string; readonly name: string; readonly ca_sha256?: string }
  ) => Promise<Answer<{ readonly id: string }>>
  /** A limit that rises or goes is asked about in main's own window: `not_confirmed`. */
  readonly updateHub: (changes: HubChanges) => Promise<Answer<null>>
  readonly removeHub: (ask: { readonly id: string }) => Promise<Answer<null>>
  /** The window begins anew with that hub; with the token of its setup link at the form that makes its owner. */
  readonly openHub: (ask: { readonly id: string; readonly setup_token?: string }) => Promise<Answer<null>>
  readonly retryNow: () => Promise<Answer<null>>
  /** Pieces come by `onEvents` under this name from then on, until `end`. Another stream of this window ends. */
  readonly openEvents: (ask: { readonly stream: string }) => Promise<Answer<null>>
  /** As `openEvents`, of an endpoint's own answer; a window may have several. */
  readonly openStream: (ask: {
    readonly stream: string
    readonly endpoint: typeof streamed[number]
    readonly input: unknown
    readonly workspace?: string
    readonly last_event_id?: string
  }) => Promise<Answer<null>>
  readonly closeStream: (ask: { readonly stream: string }) => Promise<Answer<null>>
}

/** `window.countersign` of the console's window: functions only. */
export interface ConsoleBridge {
  readonly hub: BridgedHub
  readonly shell: BridgedShell
  readonly onEvents: (listener: (piece: EventsPiece) => void) => () => void
  readonly onState: (listener: (state: ShellState) => void) => () => void
  /** What of this computer has changed. */
  readonly onComputer: (listener: (topic: ComputerTopic) => void) => () => void
  /** A path of the console that a notification, a link or the tray opens. */
  readonly onScreen: (listener: (path: string) => void) => () => void
}

/** Of a payload, masked. Null: the hub hides it. */
export interface ConfirmField {
  /** Empty: the payload has no names. */
  readonly label: string
  readonly text: string | null
}

export interface ConfirmRow {
  readonly id: string
  readonly who: string
  /** `service.operation`, or a device's tool; none: a decision of another kind. */
  readonly what?: string
  /** That would run it. */
  readonly device?: string
  /** As it is called. */
  readonly workspace: string
  readonly digest: string
  readonly cost_cents: number
  /** Milliseconds since 1970, by this computer's clock. */
  readonly expires_at: number
  readonly fields: ReadonlyArray<ConfirmField>
  /** Characters beyond `fields`. */
  readonly left_out: number
}

/** What a yes would let pass later on, unasked. */
export interface ConfirmRemembered {
  readonly max_cost_cents: number
  readonly max_total_cents?: number
  readonly max_uses?: number
}

/** What is asked about once more, as main read it. */
export type ConfirmFacts =
  | {
    readonly kind: "approve"
    readonly hub: { readonly name: string; readonly url: string }
    readonly rows: ReadonlyArray<ConfirmRow>
    readonly total_cents: number
    readonly limit_cents: number
    /** What the workspace has then; none: there are several. */
    readonly left_cents?: number
    readonly remembered?: ConfirmRemembered
  }
  /** Null: none any more. */
  | {
    readonly kind: "limit"
    readonly hub: { readonly name: string; readonly url: string }
    readonly before_cents: number
    readonly after_cents: number | null
  }

/** `window.countersignConfirm` of the confirming window. */
export interface ConfirmBridge {
  readonly read: () => Promise<Answer<ConfirmFacts>>
  /** Resolves when a yes counts. */
  readonly ready: () => Promise<Answer<null>>
  readonly answer: (ask: { readonly yes: boolean }) => Promise<Answer<{ readonly refusal: "too_soon" | null }>>
}

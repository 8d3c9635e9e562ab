/** The phase of a profile's connection, for main and for its windows. */

/** Why a profile stopped using its address until its owner acts. */
export type StopCause =
  /** Another hub answers at the address. */
  | { readonly kind: "hub_changed"; readonly expected: string; readonly found: string }
  /**
   * The certificate is signed by no authority that this computer or the profile trusts; with facts of its authority,
   * which may be importable.
   */
  | {
    readonly kind: "untrusted_certificate"
    readonly subject: string
    readonly sha256: string
    readonly code: string
    readonly may_import: boolean
  }
  /** The hub requires a newer app. */
  | { readonly kind: "app_too_old"; readonly min_app_version: string }

export type SignedOutCause =
  /** No person has signed in since the profile was created, or the person signed out. */
  | "nobody"
  /** The hub rejected the session with 401. */
  | "ended"
  /** The keychain does not answer or cannot be read: a session may exist and is used as soon as it is readable. */
  | "unreadable"

/** Times in milliseconds since 1970, by this computer's clock. */
export type HubState =
  | { readonly phase: "connecting"; readonly since: number }
  | { readonly phase: "connected"; readonly since: number }
  /** `retryAt` is absent during an attempt. `cause`: an error code, `ECONNREFUSED`, `timeout`, or `ended`. */
  | { readonly phase: "offline"; readonly since: number; readonly retryAt?: number | undefined; readonly cause: string }
  | { readonly phase: "signed_out"; readonly since: number; readonly cause: SignedOutCause }
  | { readonly phase: "stopped"; readonly since: number; readonly cause: StopCause }

/**
 * The connections to hubs, as the rest of main sees them: one for each profile. The tray, notifications, the device and the windows
 * take this and nothing of what is behind it.
 */
import type { HubEvent } from "@countersign/domain/events"
import type { CallOptions } from "@countersign/ui/hub/client"
import type { EndpointName, Input, Output } from "@countersign/ui/hub/contract"
import type { HubError } from "@countersign/ui/hub/error"
import { Context, type Effect, type Stream } from "effect"
import type { ProfileId } from "../profiles/profile.ts"

/** Why a profile no longer speaks to its address until its owner did something. */
export type StopCause =
  /** Another hub answers there. */
  | { readonly kind: "hub_changed"; readonly expected: string; readonly found: string }
  /** Nobody whom this computer or the profile trusts vouches for the certificate; facts of its authority, which may be imported or not. */
  | {
    readonly kind: "untrusted_certificate"
    readonly subject: string
    readonly sha256: string
    readonly code: string
    readonly may_import: boolean
  }
  /** The hub asks for a newer app. */
  | { readonly kind: "app_too_old"; readonly min_app_version: string }

export type SignedOutCause =
  /** Nobody signed in since the profile was made, or somebody signed out. */
  | "nobody"
  /** The hub no longer takes the session: 401. */
  | "ended"
  /** The keychain does not answer, or does not give what it holds: the session may be there, and is taken as soon as it is given. */
  | "unreadable"

/** Times in milliseconds since 1970, of this computer's clock. */
export type HubState =
  | { readonly phase: "connecting"; readonly since: number }
  | { readonly phase: "connected"; readonly since: number }
  /** `retryAt` absent while it is being tried. `cause`: an error's code, `ECONNREFUSED`, `timeout`, `ended`. */
  | { readonly phase: "offline"; readonly since: number; readonly retryAt?: number | undefined; readonly cause: string }
  | { readonly phase: "signed_out"; readonly since: number; readonly cause: SignedOutCause }
  | { readonly phase: "stopped"; readonly since: number; readonly cause: StopCause }

export interface HubStateChange {
  readonly profile: ProfileId
  /** None: the profile was removed. */
  readonly state: HubState | undefined
}

export type HubNews =
  /** The stream is open, anew or again: lists that were read before it are old. */
  | { readonly kind: "open" }
  /** Where it should have gone on is no longer kept: lists are old, too. */
  | { readonly kind: "reset" }
  | { readonly kind: "event"; readonly event: HubEvent }

export interface ConnectionsShape {
  readonly states: Effect.Effect<ReadonlyMap<ProfileId, HubState>>
  /** First every state that there is, then each change, in order. Never ends. */
  readonly changes: Stream.Stream<HubStateChange>
  /**
   * Any endpoint of the console's table, with the profile's session, tried again as the console does. Fails at once while the profile is
   * stopped (status 0, code `stopped`) or signed out (status 401, code `signed_out`).
   */
  readonly call: <E extends EndpointName>(
    profile: ProfileId,
    endpoint: E,
    input: Input<E>,
    options?: Omit<CallOptions, "signal">
  ) => Effect.Effect<Output<E>, HubError>
  /**
   * What the hub tells over all workspaces of the person, from now on, over reconnects, without a gap or a double. Begins with `open` when
   * the stream is open already. A reader so slow that it falls `newsHeldMax` behind gets `reset` in their place.
   */
  readonly events: (profile: ProfileId) => Stream.Stream<HubNews>
  /** By how much the hub's clock is ahead of this computer's. 0 until it is known. */
  readonly aheadMillis: (profile: ProfileId) => number
  /** Does not sit out the pause: a person said "try again". */
  readonly retryNow: (profile?: ProfileId) => Effect.Effect<void>
  /** After sleep, on a change of network: streams are opened anew where they were, for they may be dead without a word. */
  readonly wake: Effect.Effect<void>
}

/** News that are held for one reader. */
export const newsHeldMax = 4_096

export class Connections
  extends Context.Service<Connections, ConnectionsShape>()("@countersign/desktop/hub/Connections")
{}

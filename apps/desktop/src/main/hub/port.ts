/**
 * The connections to hubs, as the rest of main uses them: one per profile. The tray, notifications, the device, and the
 * windows depend on this interface only.
 */
import type { HubEvent } from "@countersign/domain/events"
import type { CallOptions } from "@countersign/hub-client/client"
import type { EndpointName, Input, Output } from "@countersign/hub-client/contract"
import type { HubError } from "@countersign/hub-client/error"
import { Context, type Effect, type Stream } from "effect"
import type { HubState } from "../../bridge/hub-state.ts"
import type { ProfileId } from "../../bridge/profile-schemas.ts"

export interface HubStateChange {
  readonly profile: ProfileId
  /** Undefined: the profile was removed. */
  readonly state: HubState | undefined
}

export type HubNews =
  /** The stream is open, for the first time or again: lists that were read before are outdated. */
  | { readonly kind: "open" }
  /** The hub no longer keeps the events from which the stream should continue: lists are outdated. */
  | { readonly kind: "reset" }
  | { readonly kind: "event"; readonly event: HubEvent }

export interface ConnectionsShape {
  readonly states: Effect.Effect<ReadonlyMap<ProfileId, HubState>>
  /** First the current states, then each change, in order. Never ends. */
  readonly changes: Stream.Stream<HubStateChange>
  /**
   * Calls any endpoint of the console's table with the profile's session and the console's retries. Fails at once while
   * the profile is stopped (status 0, code `stopped`) or signed out (status 401, code `signed_out`).
   */
  readonly call: <E extends EndpointName>(
    profile: ProfileId,
    endpoint: E,
    input: Input<E>,
    options?: Omit<CallOptions, "signal">
  ) => Effect.Effect<Output<E>, HubError>
  /**
   * The hub's events of all workspaces of the person from now on, over reconnects, without gaps or duplicates. Begins
   * with `open` when the stream is already open. A reader that falls `newsHeldMax` behind receives `reset` in place of
   * the events.
   */
  readonly events: (profile: ProfileId) => Stream.Stream<HubNews>
  /** How far the hub's clock is ahead of this computer's; 0 until it is known. */
  readonly aheadMillis: (profile: ProfileId) => number
  /** Retries without waiting for the pause: a person chose "try again". */
  readonly retryNow: (profile?: ProfileId) => Effect.Effect<void>
  /** After sleep or a network change: opens the streams again, since they may be dead without an error. */
  readonly wake: Effect.Effect<void>
}

/** Events that are buffered per reader. */
export const newsHeldMax = 4_096

export class Connections
  extends Context.Service<Connections, ConnectionsShape>()("@countersign/desktop/hub/Connections")
{}

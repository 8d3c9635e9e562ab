/**
 * The port through which every screen reaches a hub. In the browser `fetch-client.ts` implements it; in the desktop app
 * it is the bridge to the main process, which holds the credential.
 */
import type { EndpointName, Input, Output } from "./contract.ts"

export interface CallOptions {
  /** The id of the workspace of the call; by default the session's own. */
  readonly workspace?: string | undefined
  readonly signal?: AbortSignal | undefined
  /**
   * 1 to 255 printable ASCII characters, created once for one intent (`newIdempotencyKey`) and kept over its retries.
   * Only a POST with a key is sent again after a broken connection. The hub keeps keys for dispatch and for transfers
   * (top-up); give none elsewhere.
   */
  readonly idempotencyKey?: string | undefined
  /** Never retried, whatever the error: each attempt counts against the person. */
  readonly once?: boolean | undefined
}

export interface StreamOptions {
  readonly lastEventId?: string | undefined
  readonly signal: AbortSignal
}

export interface StreamCallOptions extends StreamOptions {
  readonly workspace?: string | undefined
}

export interface HubClient {
  /** Rejects with a `HubError`, or with the signal's reason. */
  readonly call: <E extends EndpointName>(endpoint: E, input: Input<E>, options?: CallOptions) => Promise<Output<E>>
  /**
   * The address of a download, for a link; the session's cookie authorizes it. None if links cannot carry the session.
   */
  readonly downloadUrl: <E extends EndpointName>(endpoint: E, input: Input<E>) => string
  /** The body of `/events` over all workspaces of the person, as text in pieces of any size. Rejects like `call`. */
  readonly events: (options: StreamOptions) => Promise<ReadableStream<string>>
  /** The server-sent events of an endpoint, as text in pieces of any size. Rejects like `call`. */
  readonly stream: <E extends EndpointName>(
    endpoint: E,
    input: Input<E>,
    options: StreamCallOptions
  ) => Promise<ReadableStream<string>>
}

/** A UUID v4. `crypto.randomUUID` is absent on pages loaded over plain http. */
export const newIdempotencyKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = 0x40 | bytes[6]! & 0x0f
  bytes[8] = 0x80 | bytes[8]! & 0x3f
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

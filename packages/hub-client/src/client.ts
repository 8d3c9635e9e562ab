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
   * 1 to 255 printable ASCII characters, created once for one intent (`newIdempotencyKey` of the domain) and kept over its retries.
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
  /** For a stream that begins something: a repeated call attaches to what the first one began. */
  readonly idempotencyKey?: string | undefined
}

export interface UploadOptions {
  readonly workspace: string
  readonly object: Input<"storage.presignUpload">["payload"]
  readonly signal: AbortSignal
  /** The id of the object, once its bytes are reserved. */
  readonly onReserved: (object: string) => void
  /** Bytes that were sent. */
  readonly onProgress: (bytes: number) => void
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
  /** Reserves an object and sends its bytes. Absent if the page itself may send them to a signed URL. */
  readonly upload?: ((file: Blob, options: UploadOptions) => Promise<void>) | undefined
}

/** The port of the stores that hold the bytes of objects. Two drivers implement it, with one conformance suite. */
import { storageNotShared, unavailable } from "@countersign/domain/errors"
import type { Unavailable } from "@countersign/domain/errors"
import { Context, type Effect, Schema, type Scope, type Stream } from "effect"
import type { Readable } from "node:stream"
import type { ByteRange } from "./rules.ts"

/** The store could not be used. `detail` is for the log. */
export class StoreFailure extends Schema.TaggedError<StoreFailure>()("StoreFailure", {
  reason: Schema.Literals(["unreachable", "refused", "full", "not_shared"]),
  detail: Schema.String
}) {}

/** A file of received bytes. It is removed with its scope unless a store has moved it. */
export interface Spooled {
  readonly path: string
  readonly bytes: number
  /** Lower-case hex. */
  readonly sha256: string
}

export interface Digest {
  readonly bytes: number
  readonly sha256: string
}

export interface ListedBlob {
  readonly name: string
  readonly modifiedMillis: number
}

export type BlobArea = "tmp/" | "o/"

/** A signed URL of the store itself. */
export interface StoreUrls {
  readonly upload: (
    name: string,
    signed: { readonly at: Date; readonly seconds: number; readonly contentType: string; readonly bytes: number }
  ) => Effect.Effect<string>
  readonly download: (
    name: string,
    signed: {
      readonly at: Date
      readonly seconds: number
      readonly contentType: string
      readonly disposition: string
    }
  ) => Effect.Effect<string>
}

export interface BlobStore {
  /** Where received bytes are written first. */
  readonly spoolFolder: Effect.Effect<string, StoreFailure>
  /** Of a store with its own signed URLs; absent: the hub serves the bytes. */
  readonly urls: StoreUrls | undefined
  /** The size in bytes; undefined without the blob. */
  readonly size: (name: string) => Effect.Effect<number | undefined, StoreFailure>
  /** Stores a file, durably, in place of an earlier blob of the name. */
  readonly put: (name: string, file: Spooled, contentType: string) => Effect.Effect<void, StoreFailure>
  /** Undefined without the blob. The stream ends with its scope. */
  readonly read: (
    name: string,
    range?: ByteRange
  ) => Effect.Effect<Readable | undefined, StoreFailure, Scope.Scope>
  /**
   * Copies a blob to a name that no URL can change, and digests exactly the bytes of the copy. Undefined without the
   * blob; a blob with other than `bytes` bytes is not copied.
   */
  readonly seal: (
    from: string,
    to: string,
    blob: { readonly bytes: number; readonly contentType: string }
  ) => Effect.Effect<Digest | undefined, StoreFailure>
  /** No error without the blob. */
  readonly remove: (name: string) => Effect.Effect<void, StoreFailure>
  /** Names after `after` below `tmp/` or `o/`, in order, in pages of about a thousand. */
  readonly list: (area: BlobArea, after: string) => Stream.Stream<ReadonlyArray<ListedBlob>, StoreFailure>
  /** Removes received bytes that a hub left when it died: files in the spool folder that did not change since. */
  readonly removeLeft: (unchangedSince: Date) => Effect.Effect<void, StoreFailure>
}

/** The store of this hub. */
export class ObjectStore extends Context.Service<ObjectStore, BlobStore>()("@countersign/hub/storage/ObjectStore") {}

/** 503: the caller can try again, or the operator must act. */
export const storeUnavailable = ({ reason }: StoreFailure): Unavailable => {
  switch (reason) {
    case "not_shared":
      return storageNotShared()
    case "full":
      return unavailable("The object storage is full. The operator must free some space; then try again.")
    case "refused":
      return unavailable(
        "The object storage refused the hub's request. The operator finds the reason in the hub's log."
      )
    case "unreachable":
      return unavailable("The object storage does not respond. Try again shortly.")
  }
}

/** The bytes behind signed URLs: the token is the caller's only credential. Spec: reference/storage.md "Downloads". */
import { type ApiError, conflict, gone, invalidRequest, noSuch } from "@countersign/domain/errors"
import { Context, Effect, Layer, Option, Redacted, type Scope } from "effect"
import type { Readable } from "node:stream"
import { MasterKey } from "../platform/master-key.ts"
import { type ObjectRow, StorageRepository } from "./repository.ts"
import { type ByteRange, finalName, type Purpose, readGrant, tokenKey, uploadName } from "./rules.ts"
import { ObjectStore, type Spooled, StoreFailure, storeUnavailable } from "./store.ts"

export interface Granted {
  readonly purpose: Purpose
  readonly row: ObjectRow
}

/** An object that expects the bytes of its upload. */
export interface OpenUpload {
  readonly row: ObjectRow
  readonly upload: string
}

/** The bytes have another length than the URL was signed for. */
export const wrongLength = ({ size_bytes }: ObjectRow): ApiError =>
  invalidRequest(`The URL was signed for exactly ${size_bytes} bytes.`)

const noUrl = noSuch("signed URL")

export class StorageBlobs extends Context.Service<StorageBlobs, {
  /** The live object of a token to read. */
  readonly readable: (token: string) => Effect.Effect<Granted, ApiError>
  /** The pending object of a token to write, if these headers are those that the URL was signed for. */
  readonly writable: (
    token: string,
    sent: { readonly type: string | undefined; readonly length: number | undefined }
  ) => Effect.Effect<OpenUpload, ApiError>
  /** The bytes of an object, or a part of them. The scope of the caller closes them. */
  readonly read: (row: ObjectRow, part: ByteRange | undefined) => Effect.Effect<Readable, ApiError, Scope.Scope>
  /**
   * Stores the received bytes of an upload. Bytes that arrive after their upload was canceled, purged, or made an
   * object are removed again.
   */
  readonly write: (open: OpenUpload, file: Spooled) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/storage/StorageBlobs") {
  static readonly layer = Layer.effect(
    StorageBlobs,
    Effect.gen(function*() {
      const repository = yield* StorageRepository
      const store = yield* ObjectStore
      const key = tokenKey(Redacted.value((yield* MasterKey).key))

      /** The object of a token, as of now; the time of the database decides the expiry. */
      const granted = Effect.fnUntraced(function*(
        token: string,
        purposes: ReadonlyArray<Purpose>
      ): Effect.fn.Return<Granted, ApiError> {
        const grant = readGrant(key, token)
        if (grant === undefined || !purposes.includes(grant.purpose)) return yield* Effect.fail(noUrl)
        const row = Option.getOrUndefined(yield* repository.find({ org: grant.org, owner: undefined }, grant.object))
        if (row === undefined || row.status === "deleted" || row.status === "purging") return yield* Effect.fail(noUrl)
        if (row.now.getTime() >= grant.expires * 1_000) return yield* Effect.fail(gone("The signed URL has expired."))
        return { purpose: grant.purpose, row }
      })

      return StorageBlobs.of({
        readable: Effect.fnUntraced(function*(token) {
          const found = yield* granted(token, ["read", "save"])
          return found.row.status === "live" ? found : yield* Effect.fail(noUrl)
        }),
        writable: Effect.fnUntraced(function*(token, { length, type }) {
          const { row } = yield* granted(token, ["write"])
          if (row.status !== "pending" || row.upload === null) {
            return yield* Effect.fail(conflict("conflict", "The upload was confirmed: its bytes cannot change."))
          }
          if (type !== undefined && type !== row.content_type) {
            return yield* Effect.fail(invalidRequest(`The URL was signed for content-type ${row.content_type}.`))
          }
          if (length !== undefined && length !== row.size_bytes) return yield* Effect.fail(wrongLength(row))
          return { row, upload: row.upload }
        }),
        read: Effect.fnUntraced(function*(row, part) {
          const body = yield* store.read(finalName(row.org_id, row.id, row.generation), part).pipe(
            Effect.mapError(storeUnavailable)
          )
          if (body !== undefined) return body
          yield* Effect.logError(`the bytes of object ${row.id} are missing`)
          return yield* Effect.fail(
            storeUnavailable(new StoreFailure({ reason: "refused", detail: "the bytes are missing" }))
          )
        }),
        write: Effect.fnUntraced(function*({ row, upload }, file) {
          if (file.bytes !== row.size_bytes) return yield* Effect.fail(wrongLength(row))
          const name = uploadName(row.org_id, row.id, upload)
          yield* Effect.mapError(store.put(name, file, row.content_type), storeUnavailable)
          const now = Option.getOrUndefined(yield* repository.find({ org: row.org_id, owner: undefined }, row.id))
          if (now?.upload === upload && (now.status === "pending" || now.status === "verifying")) return
          yield* Effect.ignore(store.remove(name))
          return yield* Effect.fail(conflict("conflict", "The upload ended before these bytes arrived."))
        }, Effect.uninterruptible)
      })
    })
  )
}

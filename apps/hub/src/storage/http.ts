import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import {
  type ApiError,
  conflict,
  gone,
  invalidField,
  invalidRequest,
  noSuch,
  payloadTooLarge,
  unsupportedMediaType
} from "@countersign/domain/errors"
import { problemsOf } from "@countersign/domain/schema-problems"
import { ContentType, directUploadBytesMax, ObjectKey } from "@countersign/domain/storage"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as NodeMultipart from "@effect/platform-node/NodeMultipart"
import { ByteSize, Effect, Option, Redacted, Schema, type Scope, Stream } from "effect"
import { HttpIncomingMessage, HttpServerRequest, HttpServerResponse, Multipart } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { IncomingMessage } from "node:http"
import { matches } from "../edge/etag.ts"
import { actorOf } from "../platform/audit-log.ts"
import { MasterKey } from "../platform/master-key.ts"
import { type ObjectRow, StorageRepository } from "./repository.ts"
import {
  blobHeaders,
  dispositionOf,
  finalName,
  type Purpose,
  rangeOf,
  readGrant,
  sentType,
  tokenKey,
  uploadName
} from "./rules.ts"
import { type ReceivedObject, Storage } from "./service.ts"
import { silenceMillisMax, spool, SpoolRefused } from "./spool.ts"
import { ObjectStore, type Spooled, StoreFailure, storeUnavailable } from "./store.ts"

const binaryType = "application/octet-stream"
/** Room for the fields and boundaries of a form around its file. */
const formBytesMax = 64 * 1024

const tooLarge = payloadTooLarge(`A direct upload has at most ${directUploadBytesMax} bytes. Use a presigned upload.`)
const incomplete = invalidRequest("The body is incomplete.")

const refusalOf = (error: SpoolRefused | StoreFailure, overLimit: ApiError): ApiError =>
  error._tag === "StoreFailure" ? storeUnavailable(error) : error.reason === "too_large" ? overLimit : incomplete

const checked = <S extends Schema.Codec<string, string>>(schema: S, path: string, value: string | undefined) =>
  value === undefined || value === ""
    ? Effect.fail(invalidField(path, "it is missing"))
    : Schema.decodeUnknownEffect(schema)(value).pipe(
      Effect.mapError(({ issue }) => invalidField(path, problemsOf(issue, value)[0]?.message ?? "it is not valid"))
    )

/** A form with the fields `key` and `file`, in any order. */
const receiveForm = Effect.fnUntraced(function*(
  folder: string
): Effect.fn.Return<ReceivedObject, ApiError, HttpServerRequest.HttpServerRequest | Scope.Scope> {
  const request = yield* HttpServerRequest.HttpServerRequest
  let key: string | undefined
  let file: Spooled | undefined
  let contentType = binaryType
  const limits = { bytesMax: directUploadBytesMax, silenceMillis: silenceMillisMax }
  yield* request.multipartStream.pipe(
    Stream.mapError(() => invalidRequest("The body is not a complete multipart/form-data.")),
    Stream.runForEach((part): Effect.Effect<void, ApiError, Scope.Scope> =>
      Effect.gen(function*() {
        if (Multipart.isField(part)) {
          if (part.key !== "key" || key !== undefined) {
            return yield* Effect.fail(invalidField(part.key, "send the fields key and file, each once"))
          }
          key = part.value
          return
        }
        if (part.key !== "file" || file !== undefined) {
          return yield* Effect.fail(invalidField(part.key, "send the fields key and file, each once"))
        }
        contentType = part.contentType === "" ? binaryType : part.contentType
        file = yield* spool(NodeMultipart.fileToReadable(part), folder, limits).pipe(
          Effect.mapError((error) => refusalOf(error, tooLarge))
        )
      })
    )
  )
  if (file === undefined) return yield* Effect.fail(invalidField("file", "it is missing"))
  return {
    key: yield* checked(ObjectKey, "key", key),
    contentType: yield* checked(ContentType, "file", contentType),
    file
  }
})

const lengthOf = (request: HttpServerRequest.HttpServerRequest): number | undefined => {
  const length = request.headers["content-length"]
  return length === undefined ? undefined : Number(length)
}

/** The body itself; a caller that expects `100 Continue` gets it. */
const bodyStream = (request: HttpServerRequest.HttpServerRequest): IncomingMessage => {
  const message = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
  if (message.headers["expect"]?.toLowerCase() === "100-continue") {
    NodeHttpServerRequest.toServerResponse(request).writeContinue()
  }
  return message
}

export const StorageHttp = HttpApiBuilder.group(
  HubApi,
  "storage",
  Effect.fn(function*(handlers) {
    const storage = yield* Storage
    const store = yield* ObjectStore

    const receive = Effect.fnUntraced(function*(
      query: { readonly key?: string; readonly content_type?: string }
    ): Effect.fn.Return<ReceivedObject, ApiError, HttpServerRequest.HttpServerRequest | Scope.Scope> {
      const request = yield* HttpServerRequest.HttpServerRequest
      const type = (request.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase()
      const isForm = type === "multipart/form-data"
      if (!isForm && type !== binaryType) {
        return yield* Effect.fail(unsupportedMediaType(`Send the body as ${binaryType} or multipart/form-data.`))
      }
      if ((lengthOf(request) ?? 0) > directUploadBytesMax + (isForm ? formBytesMax : 0)) {
        return yield* Effect.fail(tooLarge)
      }
      const folder = yield* Effect.mapError(store.spoolFolder, storeUnavailable)
      if (isForm) {
        return yield* Effect.provideService(
          receiveForm(folder),
          HttpIncomingMessage.MaxBodySize,
          ByteSize.bytes(directUploadBytesMax + formBytesMax)
        )
      }
      const key = yield* checked(ObjectKey, "key", query.key)
      const file = yield* spool(bodyStream(request), folder, {
        bytesMax: directUploadBytesMax,
        silenceMillis: silenceMillisMax
      }).pipe(Effect.mapError((error) => refusalOf(error, tooLarge)))
      return { key, contentType: query.content_type ?? binaryType, file }
    })

    return handlers.handleRaw(
      "upload",
      Effect.fnUntraced(function*({ query }) {
        const user = yield* CurrentUser
        const made = yield* storage.store(
          { org: user.org_id, user: user.user_id, actor: actorOf(user) },
          yield* receive(query)
        )
        return created(`/storage/objects/${made.id}`, made)
      }, Effect.scoped)
    ).handleRaw(
      "download",
      Effect.fnUntraced(function*({ params, query }) {
        const user = yield* CurrentUser
        const location = yield* storage.downloadUrl(user, params.id, query.disposition)
        return HttpServerResponse.empty({ status: 302, headers: { location, "cache-control": "no-store" } })
      })
    ).handleRaw(
      "confirm",
      Effect.fnUntraced(function*({ params }) {
        const object = yield* storage.confirm(yield* CurrentUser, params.id)
        return HttpServerResponse.jsonUnsafe(object, { status: object.status === "live" ? 200 : 202 })
      })
    ).handleAll({
      list: ({ query }) => CurrentPrincipal.use((principal) => storage.list(principal, query)),
      folders: ({ query }) => CurrentUser.use((user) => storage.folders(user, query.prefix ?? "")),
      usage: () => CurrentUser.use(storage.usage),
      presignUpload: ({ payload }) => CurrentUser.use((user) => storage.presign(user, payload)),
      get: ({ params }) => CurrentUser.use((user) => storage.get(user, params.id)),
      update: ({ params, payload }) => CurrentUser.use((user) => storage.update(user, params.id, payload)),
      remove: ({ params }) => CurrentUser.use((user) => storage.remove(user, params.id)),
      restore: ({ params }) => CurrentUser.use((user) => storage.restore(user, params.id))
    })
  })
)

export const StorageBlobsHttp = HttpApiBuilder.group(
  HubApi,
  "storage_blobs",
  Effect.fn(function*(handlers) {
    const repository = yield* StorageRepository
    const store = yield* ObjectStore
    const key = tokenKey(Redacted.value((yield* MasterKey).key))
    const noUrl = noSuch("signed URL")

    /** The object of a token, as of now; the time of the database decides the expiry. */
    const granted = Effect.fnUntraced(function*(
      token: string,
      purposes: ReadonlyArray<Purpose>
    ): Effect.fn.Return<{ readonly purpose: Purpose; readonly row: ObjectRow }, ApiError> {
      const grant = readGrant(key, token)
      if (grant === undefined || !purposes.includes(grant.purpose)) return yield* Effect.fail(noUrl)
      const row = Option.getOrUndefined(yield* repository.find({ org: grant.org, owner: undefined }, grant.object))
      if (row === undefined || row.status === "deleted" || row.status === "purging") return yield* Effect.fail(noUrl)
      if (row.now.getTime() >= grant.expires * 1_000) return yield* Effect.fail(gone("The signed URL has expired."))
      return { purpose: grant.purpose, row }
    })

    /** Bytes that arrive after their upload was canceled, purged, or made an object are removed again. */
    const putUpload = Effect.fnUntraced(function*(row: ObjectRow, name: string, file: Spooled) {
      yield* Effect.mapError(store.put(name, file, row.content_type), storeUnavailable)
      const now = Option.getOrUndefined(yield* repository.find({ org: row.org_id, owner: undefined }, row.id))
      if (now?.upload === row.upload && (now.status === "pending" || now.status === "verifying")) return
      yield* Effect.ignore(store.remove(name))
      return yield* Effect.fail(conflict("conflict", "The upload ended before these bytes arrived."))
    })

    return handlers.handleRaw(
      "read",
      Effect.fnUntraced(function*({ params }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { purpose, row } = yield* granted(params.token, ["read", "save"])
        if (row.status !== "live") return yield* Effect.fail(noUrl)
        const { headers: sent } = request
        const etag = `"${row.sha256}"`
        const headers: Record<string, string> = {
          ...blobHeaders,
          etag,
          "content-type": sentType(row.content_type),
          "content-disposition": dispositionOf(row.key, row.content_type, purpose)
        }
        if (matches(sent["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers })
        const condition = sent["if-range"]
        const range = condition === undefined || condition === etag ? rangeOf(sent["range"], row.size_bytes) : "whole"
        if (range === "unsatisfiable") {
          return HttpServerResponse.empty({
            status: 416,
            headers: { ...blobHeaders, "content-range": `bytes */${row.size_bytes}` }
          })
        }
        const part = range === "whole" ? undefined : range
        const status = part === undefined ? 200 : 206
        headers["content-length"] = String(part === undefined ? row.size_bytes : part.end - part.start + 1)
        if (part !== undefined) headers["content-range"] = `bytes ${part.start}-${part.end}/${row.size_bytes}`
        // The request's scope ends with the answer.
        const body = yield* store.read(finalName(row.org_id, row.id, row.generation), part).pipe(
          Effect.mapError(storeUnavailable)
        )
        if (body === undefined) {
          yield* Effect.logError(`the bytes of object ${row.id} are missing`)
          return yield* Effect.fail(
            storeUnavailable(new StoreFailure({ reason: "refused", detail: "the bytes are missing" }))
          )
        }
        return HttpServerResponse.raw(body, { status, headers })
      })
    ).handleRaw(
      "write",
      Effect.fnUntraced(function*({ params }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { row } = yield* granted(params.token, ["write"])
        if (row.status !== "pending" || row.upload === null) {
          return yield* Effect.fail(conflict("conflict", "The upload was confirmed: its bytes cannot change."))
        }
        const type = request.headers["content-type"]
        if (type !== undefined && type !== row.content_type) {
          return yield* Effect.fail(invalidRequest(`The URL was signed for content-type ${row.content_type}.`))
        }
        const wrongLength = invalidRequest(`The URL was signed for exactly ${row.size_bytes} bytes.`)
        const length = lengthOf(request)
        if (length !== undefined && length !== row.size_bytes) return yield* Effect.fail(wrongLength)
        const folder = yield* Effect.mapError(store.spoolFolder, storeUnavailable)
        const file = yield* spool(bodyStream(request), folder, {
          bytesMax: row.size_bytes,
          silenceMillis: silenceMillisMax
        }).pipe(Effect.mapError((error) => refusalOf(error, wrongLength)))
        if (file.bytes !== row.size_bytes) return yield* Effect.fail(wrongLength)
        yield* Effect.uninterruptible(putUpload(row, uploadName(row.org_id, row.id, row.upload), file))
        return HttpServerResponse.empty({ status: 200, headers: { etag: `"${file.sha256}"` } })
      }, Effect.scoped)
    )
  })
)

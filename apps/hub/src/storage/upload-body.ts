/** The bodies of uploads: the bytes themselves, or for a direct upload a form with the fields `key` and `file`. */
import {
  type ApiError,
  invalidField,
  invalidRequest,
  payloadTooLarge,
  unsupportedMediaType
} from "@countersign/domain/errors"
import { problemsOf } from "@countersign/domain/schema-problems"
import { ContentType, directUploadBytesMax, ObjectKey } from "@countersign/domain/storage"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as NodeMultipart from "@effect/platform-node/NodeMultipart"
import { ByteSize, Effect, Schema, type Scope, Stream } from "effect"
import { HttpIncomingMessage, HttpServerRequest, Multipart } from "effect/http"
import type { IncomingMessage } from "node:http"
import { type OpenUpload, wrongLength } from "./blobs.ts"
import type { ReceivedObject } from "./service.ts"
import { silenceMillisMax, spool, type SpoolRefused } from "./spool.ts"
import { ObjectStore, type Spooled, type StoreFailure, storeUnavailable } from "./store.ts"

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

/** Undefined when the caller did not send it. */
export const lengthOf = (request: HttpServerRequest.HttpServerRequest): number | undefined => {
  const length = request.headers["content-length"]
  return length === undefined ? undefined : Number(length)
}

/** The body itself, as a file; a caller that expects `100 Continue` gets it. */
const receiveBytes = (
  request: HttpServerRequest.HttpServerRequest,
  folder: string,
  { bytesMax, overLimit }: { readonly bytesMax: number; readonly overLimit: ApiError }
): Effect.Effect<Spooled, ApiError, Scope.Scope> =>
  Effect.suspend(() => {
    const message = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
    if (message.headers["expect"]?.toLowerCase() === "100-continue") {
      NodeHttpServerRequest.toServerResponse(request).writeContinue()
    }
    return spool(message, folder, { bytesMax, silenceMillis: silenceMillisMax })
  }).pipe(Effect.mapError((error) => refusalOf(error, overLimit)))

/** Receives the body of a direct upload into a file. */
export const receiveDirect = Effect.map(ObjectStore, ({ spoolFolder }) =>
  Effect.fnUntraced(function*(
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
    const folder = yield* Effect.mapError(spoolFolder, storeUnavailable)
    if (isForm) {
      return yield* Effect.provideService(
        receiveForm(folder),
        HttpIncomingMessage.MaxBodySize,
        ByteSize.bytes(directUploadBytesMax + formBytesMax)
      )
    }
    const key = yield* checked(ObjectKey, "key", query.key)
    const file = yield* receiveBytes(request, folder, { bytesMax: directUploadBytesMax, overLimit: tooLarge })
    return { key, contentType: query.content_type ?? binaryType, file }
  }))

/** Receives the body of an upload to a signed URL into a file. */
export const receiveSigned = Effect.map(ObjectStore, ({ spoolFolder }) =>
  Effect.fnUntraced(function*(
    { row }: OpenUpload
  ): Effect.fn.Return<Spooled, ApiError, HttpServerRequest.HttpServerRequest | Scope.Scope> {
    const request = yield* HttpServerRequest.HttpServerRequest
    const folder = yield* Effect.mapError(spoolFolder, storeUnavailable)
    return yield* receiveBytes(request, folder, { bytesMax: row.size_bytes, overLimit: wrongLength(row) })
  }))

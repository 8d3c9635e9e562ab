/** The body rules of the contract: at most 1 MiB, JSON read strictly, before any schema is applied. */
import { type ApiError, invalidRequest, payloadTooLarge, unsupportedMediaType } from "@countersign/domain/errors"
import { parseStrict } from "@countersign/domain/json"
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"

export const jsonBodyBytesMax = 1 << 20

const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType)

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export const bodyError = (error: HttpServerError.HttpServerError, bytesMax: number) =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? payloadTooLarge(`The body is larger than ${bytesMax} bytes.`)
    : invalidRequest("The body is incomplete.")

export interface JsonBody {
  readonly text: string
  readonly value: unknown
}

const read = new WeakMap<HttpServerRequest.HttpServerRequest, JsonBody>()

/** The result of `readJson` for this request: handlers that decode by hand use it. */
export const bodyOf = (request: HttpServerRequest.HttpServerRequest): JsonBody | undefined => read.get(request)

const wrongType = unsupportedMediaType("Send the body as application/json.")
const encoded = unsupportedMediaType("Send the body without content-encoding.")
const tooLarge = (bytesMax: number) => payloadTooLarge(`The body is larger than ${bytesMax} bytes.`)
const notUtf8 = invalidRequest("The body is not valid UTF-8.")

type Sent = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** The error that a body's headers cause before it is read. */
export const refusedByHeaders = (headers: Sent, bytesMax = jsonBodyBytesMax): ApiError | undefined => {
  if (!isJson(headers["content-type"] as string | undefined)) return wrongType
  const encoding = headers["content-encoding"] as string | undefined
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") return encoded
  return Number(headers["content-length"] ?? 0) > bytesMax ? tooLarge(bytesMax) : undefined
}

/** The text of a JSON body, checked strictly, with its value. An empty body is `undefined`. */
export const jsonOf = (bytes: ArrayBuffer | Uint8Array): Effect.Effect<JsonBody | undefined, ApiError> => {
  if (bytes.byteLength === 0) return Effect.undefined
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return Effect.fail(notUtf8)
  }
  const parsed = parseStrict(text, { nulAllowedUnder: "payload" })
  return parsed.ok
    ? Effect.succeed({ text, value: parsed.value })
    : Effect.fail(
      invalidRequest(
        `The body is not valid JSON${parsed.path === "" ? "" : ` at ${parsed.path}`}: ${parsed.message}`,
        [{ path: parsed.path, message: parsed.message }]
      )
    )
}

/** Reads the body of a request with `jsonOf` and keeps it for `bodyOf`. */
export const readJson = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest
): Effect.fn.Return<JsonBody | undefined, ApiError> {
  const refused = refusedByHeaders(request.headers)
  if (refused !== undefined) return yield* Effect.fail(refused)
  const body = yield* jsonOf(yield* Effect.mapError(request.arrayBuffer, (error) => bodyError(error, jsonBodyBytesMax)))
  if (body !== undefined) read.set(request, body)
  return body
})

/** The bytes of a JSON body with a higher size limit. A caller that sends it too slowly gets 400. */
export const readLargeBody = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  bytesMax: number,
  millisMax: number
): Effect.fn.Return<Uint8Array, ApiError> {
  const refused = refusedByHeaders(request.headers, bytesMax)
  if (refused !== undefined) return yield* Effect.fail(refused)
  const bytes = yield* request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bytesMax)),
    Effect.mapError((error) => bodyError(error, bytesMax)),
    Effect.timeoutOrElse({
      duration: millisMax,
      orElse: () => Effect.fail(invalidRequest(`The body did not arrive within ${millisMax / 1_000} s.`))
    })
  )
  return new Uint8Array(bytes)
})

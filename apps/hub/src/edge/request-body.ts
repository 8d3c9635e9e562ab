/** The body as the contract wants it: at most 1 MiB, JSON read strictly, before any schema sees it. */
import { invalidRequest, payloadTooLarge, unsupportedMediaType } from "@countersign/domain/errors"
import { parseStrict } from "@countersign/domain/json"
import { Effect } from "effect"
import type { HttpServerError, HttpServerRequest } from "effect/http"

export const jsonBodyBytesMax = 1 << 20

const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType)

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export const bodyError = (error: HttpServerError.HttpServerError) =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? payloadTooLarge(`The body is larger than ${jsonBodyBytesMax} bytes.`)
    : invalidRequest("The body could not be read to its end.")

export interface JsonBody {
  readonly text: string
  readonly value: unknown
}

const read = new WeakMap<HttpServerRequest.HttpServerRequest, JsonBody>()

/** What `readJson` read of this request: handlers that decode by hand take it from here. */
export const bodyOf = (request: HttpServerRequest.HttpServerRequest): JsonBody | undefined => read.get(request)

/** The text of a JSON body, checked strictly, with its value. An empty body is `undefined`. */
export const readJson = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
  if (!isJson(request.headers["content-type"])) {
    return yield* Effect.fail(unsupportedMediaType("Send the body as application/json."))
  }
  const encoding = request.headers["content-encoding"]
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") return yield* Effect.fail(unsupportedMediaType("Send the body without content-encoding."))
  if (Number(request.headers["content-length"] ?? 0) > jsonBodyBytesMax) {
    return yield* Effect.fail(payloadTooLarge(`The body is larger than ${jsonBodyBytesMax} bytes.`))
  }
  const bytes = yield* Effect.mapError(request.arrayBuffer, bodyError)
  if (bytes.byteLength === 0) return undefined
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return yield* Effect.fail(invalidRequest("The body is not valid UTF-8."))
  }
  const parsed = parseStrict(text, { nulAllowedUnder: "payload" })
  if (!parsed.ok) {
    return yield* Effect.fail(invalidRequest(`The body is not acceptable JSON: ${parsed.message}`, [{ path: parsed.path, message: parsed.message }]))
  }
  const body: JsonBody = { text, value: parsed.value }
  read.set(request, body)
  return body
})

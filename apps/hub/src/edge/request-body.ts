/** The body as the contract wants it: at most 1 MiB, JSON read strictly, before any schema sees it. */
import { type ApiError, invalidRequest, payloadTooLarge, unsupportedMediaType } from "@countersign/domain/errors"
import { parseStrict } from "@countersign/domain/json"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { HttpServerError, HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"

export const jsonBodyBytesMax = 1 << 20

const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType)

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const unreadable = invalidRequest("The body could not be read to its end.")

export const bodyError = (error: HttpServerError.HttpServerError) =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
    ? payloadTooLarge(`The body is larger than ${jsonBodyBytesMax} bytes.`)
    : unreadable

export interface JsonBody {
  readonly text: string
  readonly value: unknown
}

const read = new WeakMap<HttpServerRequest.HttpServerRequest, JsonBody>()

/** What `readJson` read of this request: handlers that decode by hand take it from here. */
export const bodyOf = (request: HttpServerRequest.HttpServerRequest): JsonBody | undefined => read.get(request)

const wrongType = unsupportedMediaType("Send the body as application/json.")
const encoded = unsupportedMediaType("Send the body without content-encoding.")
const tooLarge = payloadTooLarge(`The body is larger than ${jsonBodyBytesMax} bytes.`)
const notUtf8 = invalidRequest("The body is not valid UTF-8.")

const refusedByHeaders = ({ headers }: HttpServerRequest.HttpServerRequest): ApiError | undefined => {
  if (!isJson(headers["content-type"])) return wrongType
  const encoding = headers["content-encoding"]
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") return encoded
  return Number(headers["content-length"] ?? 0) > jsonBodyBytesMax ? tooLarge : undefined
}

/** The bytes of a body of a known length, read without a stream; for who reads the request alone. Everything else is read the common way. */
export const bytesAlone = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<ArrayBuffer | Uint8Array, HttpServerError.HttpServerError | ApiError> => {
  const message = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
  const plain = message.headers["content-length"] !== undefined && message.headers["expect"] === undefined
  if (!plain || message.readableFlowing !== null || message.destroyed) return request.arrayBuffer
  return Effect.callback((resume) => {
    const chunks: Array<Buffer> = []
    const stop = () => void message.off("data", take).off("end", whole).off("close", cut).off("error", cut)
    const take = (chunk: Buffer) => void chunks.push(chunk)
    const whole = () => {
      stop()
      resume(Effect.succeed(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    }
    const cut = () => {
      stop()
      resume(Effect.fail(unreadable))
    }
    message.on("data", take).on("end", whole).on("close", cut).on("error", cut)
    return Effect.sync(stop)
  })
}

/** The text of a JSON body, checked strictly, with its value. An empty body is `undefined`. */
export const readJson = (
  request: HttpServerRequest.HttpServerRequest,
  bytesOf: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<ArrayBuffer | Uint8Array, HttpServerError.HttpServerError | ApiError> = ({ arrayBuffer }) => arrayBuffer
): Effect.Effect<JsonBody | undefined, ApiError> => {
  const refused = refusedByHeaders(request)
  if (refused !== undefined) return Effect.fail(refused)
  return Effect.matchEffect(bytesOf(request), {
    onFailure: (error) => Effect.fail("reason" in error ? bodyError(error) : error),
    onSuccess: (bytes): Effect.Effect<JsonBody | undefined, ApiError> => {
      if (bytes.byteLength === 0) return Effect.undefined
      let text: string
      try {
        text = utf8.decode(bytes)
      } catch {
        return Effect.fail(notUtf8)
      }
      const parsed = parseStrict(text, { nulAllowedUnder: "payload" })
      if (!parsed.ok) {
        return Effect.fail(invalidRequest(`The body is not acceptable JSON: ${parsed.message}`, [{ path: parsed.path, message: parsed.message }]))
      }
      const body: JsonBody = { text, value: parsed.value }
      read.set(request, body)
      return Effect.succeed(body)
    }
  })
}

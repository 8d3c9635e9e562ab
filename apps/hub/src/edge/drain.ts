/**
 * Lets a refusal reach callers that write their whole body before they read: reads and discards the rest of the body
 * first. Beyond the bounds the server answers, half-closes, and disconnects. Spec: reference/conventions.md "Body
 * size".
 */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"

export const drainBytesMax = 32 << 20
/** A slower caller is answered at once. */
export const drainMillisMax = 10_000

/** A smaller rest is left to the server, which reads it after its answer. */
const drainBytesMin = 256 << 10

/** Ends with the body, at the latest at the bounds. */
export const drain = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> => {
  const message = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
  // A caller waiting for `100 Continue` has sent nothing, and gets no `100 Continue`.
  const waits = message.headers["expect"] !== undefined && message.readableFlowing === null
  const length = message.headers["content-length"]
  const small = length === undefined
    ? message.headers["transfer-encoding"] === undefined
    : Number(length) <= drainBytesMin
  if (message.complete || message.destroyed || waits || small) return Effect.void
  return Effect.callback<void>((resume) => {
    let bytes = 0
    const stop = () => {
      clearTimeout(timer)
      message.off("data", count).off("end", done).off("close", done).off("error", done)
    }
    const done = () => {
      stop()
      resume(Effect.void)
    }
    const count = (chunk: Uint8Array) => {
      bytes += chunk.byteLength
      if (bytes > drainBytesMax) done()
    }
    const timer = setTimeout(done, drainMillisMax)
    // A parser that was refused still blocks its pipe.
    message.unpipe()
    message.on("data", count).once("end", done).once("close", done).once("error", done)
    message.resume()
    return Effect.sync(stop)
  })
}

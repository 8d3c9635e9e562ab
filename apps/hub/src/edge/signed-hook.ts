/**
 * The body of an inbound hook whose signature is over its raw bytes. Nothing is parsed before the signature is verified. A
 * flood of unsigned calls costs a look at their headers: they are counted by address before the body is read.
 */
import { type ApiError, payloadTooLarge, rateLimited, unauthorized } from "@countersign/domain/errors"
import { hookBodyBytesMax } from "@countersign/domain/webhooks"
import { ByteSize, Clock, Effect } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { Settings } from "../config.ts"
import { makeClientAddress } from "./client-address.ts"
import { addressKey, makeRateLimiter, takeFrom } from "./rate-limit.ts"
import { bodyError } from "./request-body.ts"

const wants = { wants: "signature" }

export interface SignedCall {
  readonly body: Uint8Array
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly ip: string
}

export interface HookRules {
  /** Headers without which no signature can match. */
  readonly headers: ReadonlyArray<string>
  /** Why the call is refused; undefined when its signature matches. `now` in milliseconds. */
  readonly problem: (call: SignedCall, now: number) => string | undefined
}

export const makeSignedHook = Effect.map(Settings, ({ rateLimit, trustedProxies }) => {
  const addressOf = makeClientAddress(trustedProxies)
  const unverified = makeRateLimiter("hook", rateLimit.hook)
  const refuse = (problem: string) => Effect.fail(unauthorized(`The call was refused: ${problem}.`, wants))
  return Effect.fnUntraced(function*({ headers, problem }: HookRules): Effect.fn.Return<
    SignedCall,
    ApiError,
    HttpServerRequest.HttpServerRequest
  > {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (Number(request.headers["content-length"] ?? 0) > hookBodyBytesMax) {
      return yield* Effect.fail(payloadTooLarge(`The body is larger than ${hookBodyBytesMax} bytes.`))
    }
    const ip = addressOf(request)
    const address = addressKey(ip)
    const taken = takeFrom(unverified, address)
    if (!taken.allowed) return yield* Effect.fail(rateLimited(taken.resetSeconds))
    const missing = headers.find((name) => (request.headers[name] ?? "") === "")
    if (missing !== undefined) return yield* refuse(`the header ${missing} is missing`)
    const body = yield* request.arrayBuffer.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(hookBodyBytesMax)),
      Effect.mapBoth({
        onSuccess: (bytes) => new Uint8Array(bytes),
        onFailure: (error) => bodyError(error, hookBodyBytesMax)
      })
    )
    const call: SignedCall = { body, headers: request.headers, ip }
    const found = problem(call, yield* Clock.currentTimeMillis)
    if (found !== undefined) return yield* refuse(found)
    // Signed calls do not count: providers send them in bursts.
    unverified?.giveBack(address)
    return call
  })
})

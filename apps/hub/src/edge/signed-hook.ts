/**
 * The body of an inbound hook whose signature is over its raw bytes. Nothing is parsed before the signature is verified.
 * Calls without a valid signature are counted by address. Past the limit they are 429, and their bodies are read only if
 * they are small and may be signed: a provider's calls may come from the address of a flood, and still pass.
 */
import { type ApiError, invalidRequest, payloadTooLarge, rateLimited, unauthorized } from "@countersign/domain/errors"
import { hookBodyBytesMax } from "@countersign/domain/webhooks"
import { ByteSize, Clock, Effect } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { Settings } from "../config.ts"
import { timestampProblem } from "../platform/provider-signatures.ts"
import { makeClientAddress } from "./client-address.ts"
import { addressKey, makeRateLimiter, takeFrom } from "./rate-limit.ts"
import { bodyError } from "./request-body.ts"

const wants = { wants: "signature" }

/** The largest body from an address past its limit, in bytes: Slack's and Discord's are a few KiB. */
const floodBodyBytesMax = 32 * 1024
/** How long a body may take, in milliseconds; providers send theirs at once. */
const bodyMillisMax = 10_000

export interface SignedCall {
  readonly body: Uint8Array
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly ip: string
}

export interface HookRules {
  /** Headers without which no signature can match. */
  readonly headers: ReadonlyArray<string>
  /** The header with the time of the call in seconds, checked before the body is read. */
  readonly timestamp?: string
  /** Why the call is refused; undefined when its signature matches. `now` in milliseconds. */
  readonly problem: (call: SignedCall, now: number) => string | undefined
}

export const makeSignedHook = Effect.map(Settings, ({ rateLimit, trustedProxies }) => {
  const addressOf = makeClientAddress(trustedProxies)
  const unverified = makeRateLimiter("hook", rateLimit.hook)
  return Effect.fnUntraced(function*({ headers, problem, timestamp }: HookRules): Effect.fn.Return<
    SignedCall,
    ApiError,
    HttpServerRequest.HttpServerRequest
  > {
    const request = yield* HttpServerRequest.HttpServerRequest
    const length = request.headers["content-length"]
    if (Number(length ?? 0) > hookBodyBytesMax) {
      return yield* Effect.fail(payloadTooLarge(`The body is larger than ${hookBodyBytesMax} bytes.`))
    }
    const ip = addressOf(request)
    const address = addressKey(ip)
    const taken = takeFrom(unverified, address)
    const refuse = (found: string) =>
      Effect.fail(
        taken.allowed ? unauthorized(`The call was refused: ${found}.`, wants) : rateLimited(taken.resetSeconds)
      )
    const missing = headers.find((name) => (request.headers[name] ?? "") === "")
    if (missing !== undefined) return yield* refuse(`the header ${missing} is missing`)
    const late = timestamp === undefined
      ? undefined
      : timestampProblem(request.headers[timestamp], yield* Clock.currentTimeMillis)
    if (late !== undefined) return yield* refuse(late)
    if (!taken.allowed && !(Number(length) <= floodBodyBytesMax)) return yield* refuse("the body is large")
    const body = yield* request.arrayBuffer.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(hookBodyBytesMax)),
      Effect.mapBoth({
        onSuccess: (bytes) => new Uint8Array(bytes),
        onFailure: (error) => bodyError(error, hookBodyBytesMax)
      }),
      Effect.timeoutOrElse({
        duration: bodyMillisMax,
        orElse: () => Effect.fail(invalidRequest(`The body did not arrive within ${bodyMillisMax / 1_000} s.`))
      })
    )
    const call: SignedCall = { body, headers: request.headers, ip }
    const found = problem(call, yield* Clock.currentTimeMillis)
    if (found !== undefined) return yield* refuse(found)
    // Signed calls do not count: providers send them in bursts.
    if (taken.allowed) unverified?.giveBack(address)
    return call
  })
})

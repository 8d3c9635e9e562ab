/** Events of Stripe. Nothing is parsed or stored before the signature over the raw bytes is verified. */
import { HubApi } from "@countersign/domain/api"
import { invalidRequest, notFound, payloadTooLarge, rateLimited, unauthorized } from "@countersign/domain/errors"
import { hookBodyBytesMax } from "@countersign/domain/webhooks"
import { ByteSize, Clock, Effect, Option, Redacted } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Settings } from "../config.ts"
import { makeClientAddress } from "../edge/client-address.ts"
import { addressKey, makeRateLimiter, takeFrom } from "../edge/rate-limit.ts"
import { bodyError } from "../edge/request-body.ts"
import { PaymentPosting } from "./posting.ts"
import { eventOf } from "./rules.ts"
import { stripeSignatureProblem } from "./stripe-signature.ts"

const wants = { wants: "signature" }

const parsed = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

export const PaymentHooksHttp = HttpApiBuilder.group(
  HubApi,
  "payment_hooks",
  Effect.fn(function*(handlers) {
    const posting = yield* PaymentPosting
    const { rateLimit, stripe, trustedProxies } = yield* Settings
    const addressOf = makeClientAddress(trustedProxies)
    const unverifiedLimiter = makeRateLimiter("hook", rateLimit.hook)
    return handlers.handleRaw(
      "stripe",
      Effect.fnUntraced(function*() {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (Option.isNone(stripe.webhookSecret)) return yield* Effect.fail(notFound())
        if (Number(request.headers["content-length"] ?? 0) > hookBodyBytesMax) {
          return yield* Effect.fail(payloadTooLarge(`The body is larger than ${hookBodyBytesMax} bytes.`))
        }
        const address = addressKey(addressOf(request))
        const taken = takeFrom(unverifiedLimiter, address)
        if (!taken.allowed) return yield* Effect.fail(rateLimited(taken.resetSeconds))
        const body = yield* request.arrayBuffer.pipe(
          Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(hookBodyBytesMax)),
          Effect.mapBoth({
            onSuccess: (bytes) => new Uint8Array(bytes),
            onFailure: (error) => bodyError(error, hookBodyBytesMax)
          })
        )
        const problem = stripeSignatureProblem(
          Redacted.value(stripe.webhookSecret.value),
          request.headers["stripe-signature"],
          body,
          yield* Clock.currentTimeMillis
        )
        if (problem !== undefined) {
          return yield* Effect.fail(unauthorized(`The event was refused: ${problem}.`, wants))
        }
        // Signed events do not count: Stripe sends them in bursts.
        unverifiedLimiter?.giveBack(address)
        const event = eventOf(parsed(body))
        if (event === undefined) return yield* Effect.fail(invalidRequest("The body is not an event of Stripe."))
        yield* posting.event(event)
        return { received: true }
      })
    )
  })
)

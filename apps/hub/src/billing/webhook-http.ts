/** Events of Stripe. Nothing is parsed or stored before the signature over the raw bytes is verified. */
import { HubApi } from "@countersign/domain/api"
import { invalidRequest, notFound } from "@countersign/domain/errors"
import { Effect, Option, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Settings } from "../config.ts"
import { makeSignedHook } from "../edge/signed-hook.ts"
import { PaymentPosting } from "./posting.ts"
import { eventOf } from "./rules.ts"
import { stripeSignatureProblem } from "./stripe-signature.ts"

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
    const { stripe } = yield* Settings
    const signed = yield* makeSignedHook
    return handlers.handleRaw(
      "stripe",
      Effect.fnUntraced(function*() {
        if (Option.isNone(stripe.webhookSecret)) return yield* Effect.fail(notFound())
        const secret = Redacted.value(stripe.webhookSecret.value)
        const { body } = yield* signed({
          headers: ["stripe-signature"],
          problem: ({ body, headers }, now) => stripeSignatureProblem(secret, headers["stripe-signature"], body, now)
        })
        const event = eventOf(parsed(body))
        if (event === undefined) return yield* Effect.fail(invalidRequest("The body is not an event of Stripe."))
        yield* posting.event(event)
        return { received: true }
      })
    )
  })
)

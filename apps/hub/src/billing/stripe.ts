/** The calls to Stripe: opening a checkout session, and reading one. */
import { type ApiError, upstreamError, upstreamTimeout } from "@countersign/domain/errors"
import { encodeForm } from "@countersign/domain/form"
import { asSentence } from "@countersign/domain/text"
import { Context, Effect, Layer, Option, Redacted, Result } from "effect"
import { Settings } from "../config.ts"
import type { EgressAnswer } from "../providers/egress.ts"
import { Egress } from "../providers/egress.ts"
import { type SessionFacts, sessionFacts } from "./rules.ts"

const callTimeoutMillis = 15_000
/** Tries of one call: each carries the same idempotency key. */
const tries = 3
const retryMillis = 300
/** The part of Stripe's own words that an error repeats. */
const messageMax = 300

export interface NewSession {
  /** Also the idempotency key. */
  readonly payment: string
  readonly amountCents: number
  readonly successUrl: string
  readonly cancelUrl: string
}

/** Without a session. `refused`: Stripe will not open it, whatever is tried again. */
export interface StripeFailure {
  readonly refused: boolean
  readonly error: ApiError
}

export class Stripe extends Context.Service<Stripe, {
  readonly isConfigured: boolean
  /** Whether the secret key moves real money; undefined when its form does not tell. */
  readonly live: boolean | undefined
  readonly open: (session: NewSession) => Effect.Effect<SessionFacts, StripeFailure>
  readonly session: (id: string) => Effect.Effect<SessionFacts, StripeFailure>
}>()("@countersign/hub/billing/Stripe") {
  static readonly layer = Layer.effect(
    Stripe,
    Effect.gen(function*() {
      const { stripe } = yield* Settings
      const egress = yield* Egress
      const key = Option.getOrUndefined(Option.map(stripe.secretKey, (secret) => Redacted.value(secret)))

      const call = (
        method: "GET" | "POST",
        path: string,
        headers: Readonly<Record<string, string>>,
        body: string | undefined
      ) =>
        egress.request({
          url: `${stripe.apiBase.href.replace(/\/$/, "")}${path}`,
          method,
          headers: {
            authorization: `Bearer ${key ?? ""}`,
            accept: "application/json",
            ...body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" },
            ...headers
          },
          ...body === undefined ? {} : { body },
          timeoutMs: callTimeoutMillis,
          overflow: "fail",
          // An address that the operator set is not checked; Stripe's own is public.
          trusted: !stripe.isDefaultBase
        }).pipe(
          Effect.mapError((error): StripeFailure => ({
            refused: false,
            error: error._tag === "UpstreamTimeout"
              ? upstreamTimeout("Stripe did not answer in time. Try again with the same idempotency-key.")
              : upstreamError(`Stripe could not be reached: ${asSentence(error.message)} Try again.`)
          })),
          Effect.flatMap((answer) => Effect.fromResult(factsOf(answer)))
        )

      const repeated = (
        attempt: Effect.Effect<SessionFacts, StripeFailure>
      ): Effect.Effect<SessionFacts, StripeFailure> =>
        Effect.gen(function*() {
          for (let count = 1;; count++) {
            const done = yield* Effect.result(attempt)
            if (Result.isSuccess(done)) return done.success
            if (done.failure.refused || count === tries || done.failure.error._tag === "UpstreamTimeout") {
              return yield* Effect.fail(done.failure)
            }
            yield* Effect.sleep(retryMillis * count)
          }
        })

      return Stripe.of({
        isConfigured: key !== undefined,
        live: key === undefined || !/_(?:live|test)_/.test(key) ? undefined : key.includes("_live_"),
        open: ({ amountCents, cancelUrl, payment, successUrl }) => {
          const form = encodeForm({
            mode: "payment",
            client_reference_id: payment,
            success_url: successUrl,
            cancel_url: cancelUrl,
            line_items: [{
              quantity: 1,
              price_data: { currency: "usd", unit_amount: amountCents, product_data: { name: "Wallet funds" } }
            }],
            metadata: { payment_id: payment },
            payment_intent_data: { metadata: { payment_id: payment } }
          }, { lists: "deepObject", encodeBrackets: false, nulls: "omit" })
          return Result.isFailure(form)
            ? Effect.fail({ refused: true, error: upstreamError("The checkout session cannot be written as a form.") })
            : repeated(call("POST", "/v1/checkout/sessions", { "idempotency-key": payment }, form.success))
        },
        session: (id) => repeated(call("GET", `/v1/checkout/sessions/${encodeURIComponent(id)}`, {}, undefined))
      })
    })
  )
}

const parsed = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"))
  } catch {
    return undefined
  }
}

/** The words of an error of Stripe, without the rest of its answer. */
const messageOf = (document: unknown): string => {
  const message = (document as { readonly error?: { readonly message?: unknown } } | undefined)?.error?.message
  return typeof message === "string" ? `: ${message.replace(/\p{Cc}/gu, " ").slice(0, messageMax)}` : ""
}

const factsOf = ({ body, status }: EgressAnswer): Result.Result<SessionFacts, StripeFailure> => {
  const document = parsed(body)
  if (status >= 200 && status < 300) {
    const facts = sessionFacts(document)
    return facts === undefined
      ? Result.fail({ refused: false, error: upstreamError("Stripe's answer is not a checkout session. Try again.") })
      : Result.succeed(facts)
  }
  // 409: another call with the same idempotency key is in progress. 429 and 5xx pass.
  const passing = status === 409 || status === 429 || status >= 500
  return Result.fail({
    refused: !passing,
    error: upstreamError(asSentence(`Stripe answered ${status}${messageOf(document)}`))
  })
}

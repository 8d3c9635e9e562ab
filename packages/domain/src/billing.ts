/**
 * Adding funds through a checkout session of Stripe. Spec: reference/budgets-and-ledger.md "Checkout".
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChecksOwn, PublicAccess, Requires, UserAccess } from "./auth.ts"
import { PaymentId } from "./ids.ts"
import { AmountCents, Cents } from "./money.ts"
import { Page, PageQuery } from "./pagination.ts"

export const checkoutCentsMin = 500
export const checkoutCentsMax = 1_000_000
export const returnUrlMax = 2_048

/** How often the hub asks the provider about an open session, in seconds. */
export const paymentPollSeconds = 600

export const PaymentStatus = Schema.Literals(["open", "paid", "expired", "failed", "refunded", "disputed"])
export type PaymentStatus = typeof PaymentStatus.Type

const ReturnUrl = Schema.String.check(
  Schema.isMaxLength(returnUrlMax),
  Schema.makeFilter((text: string) =>
    /^https?:\/\/[^\s/\p{C}][^\s\p{C}]*$/u.test(text)
      ? undefined
      : "expected a URL that begins with https:// or http://, without spaces and control characters"
  )
).annotate({ description: "Where the browser goes afterwards. Left out: the money screen of the console." })

export const CheckoutInput = Schema.Struct({
  amount_cents: Schema.Int.check(Schema.isBetween({ minimum: checkoutCentsMin, maximum: checkoutCentsMax })),
  success_url: Schema.optionalKey(ReturnUrl),
  cancel_url: Schema.optionalKey(ReturnUrl)
}).annotate({ identifier: "CheckoutInput" })
export type CheckoutInput = typeof CheckoutInput.Type

export const CheckoutSession = Schema.Struct({
  id: PaymentId,
  /** The page of the payment; absent once the session has ended. */
  url: Schema.optionalKey(Schema.String),
  /** `open` until the money has arrived, also after a completed checkout. */
  status: PaymentStatus,
  amount_cents: AmountCents,
  /** What refunds and lost disputes took back. */
  reversed_cents: Schema.optionalKey(Cents),
  /** Why a reported payment was not credited. */
  problem: Schema.optionalKey(Schema.String),
  created_at: Schema.String,
  paid_at: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "CheckoutSession" })
export type CheckoutSession = typeof CheckoutSession.Type

export class BillingGroup extends HttpApiGroup.make("billing").add(
  HttpApiEndpoint.post("checkout", "/billing/checkout-sessions", {
    payload: CheckoutInput,
    success: CheckoutSession.pipe(HttpApiSchema.status(201))
  }).middleware(UserAccess).annotate(Requires, "billing:write").annotate(
    OpenApi.Description,
    "Opens a checkout session of Stripe. The wallet is credited once, when Stripe reports the payment. Without " +
      "HUB_STRIPE_SECRET_KEY: 409 `billing_not_configured`. A refusal of Stripe is 502. Send `idempotency-key`."
  ),
  HttpApiEndpoint.get("list", "/billing/checkout-sessions", {
    query: { ...PageQuery, status: Schema.optionalKey(PaymentStatus) },
    success: Page(CheckoutSession)
  }).middleware(UserAccess).annotate(Requires, "billing:write").annotate(OpenApi.Description, "Newest first."),
  HttpApiEndpoint.get("get", "/billing/checkout-sessions/:id", {
    params: { id: PaymentId },
    success: CheckoutSession
  }).middleware(UserAccess).annotate(Requires, "billing:write").annotate(
    OpenApi.Description,
    "A partial refund stays `paid`; a dispute is `disputed` while its amount is withdrawn."
  )
) {}

export class PaymentHooksGroup extends HttpApiGroup.make("payment_hooks").add(
  HttpApiEndpoint.post("stripe", "/webhooks/stripe", {
    // Parameters of the address are ignored.
    query: {},
    payload: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/json" })),
    success: Schema.Struct({ received: Schema.Boolean })
  }).middleware(PublicAccess).annotate(ChecksOwn, "signature").annotate(
    OpenApi.Description,
    "Events of Stripe, signed in `Stripe-Signature` with HUB_STRIPE_WEBHOOK_SECRET; without that setting 404. A bad " +
      "signature, or one that is older than 5 minutes, is 401. Each event is applied once; an unknown type, and an " +
      "event about something unknown, is 200."
  )
).annotate(HttpApi.QueryParseOptions, { errors: "all" }) {}

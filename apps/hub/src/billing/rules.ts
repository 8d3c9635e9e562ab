/** What the objects and events of Stripe say about a payment. Pure. Spec: reference/budgets-and-ledger.md "Checkout". */
import type { PaymentStatus } from "@countersign/domain/billing"
import { Option, Schema } from "effect"

/** A checkout session as Stripe reports it. */
export interface SessionFacts {
  readonly session: string
  /** Our payment, from `client_reference_id`. */
  readonly payment: string | undefined
  readonly intent: string | undefined
  readonly isPaid: boolean
  readonly ended: "expired" | "failed" | undefined
  readonly amountCents: number | undefined
  readonly currency: string | undefined
  readonly live: boolean | undefined
  readonly url: string | undefined
}

/** A refund, a dispute, or the refunded total of a charge. A state only moves forward: pending, taken, returned. */
export interface Reversal {
  readonly object: string
  readonly intent: string
  readonly kind: "refund" | "charge" | "dispute"
  readonly amountCents: number
  readonly state: "pending" | "taken" | "returned"
  readonly live: boolean | undefined
}

export type EventFacts =
  | { readonly kind: "session"; readonly session: SessionFacts }
  | { readonly kind: "reversals"; readonly reversals: ReadonlyArray<Reversal> }
  | { readonly kind: "other" }

export interface StripeEvent {
  readonly id: string
  readonly type: string
  readonly facts: EventFacts
}

/** PostgreSQL stores no U+0000. */
const Text = Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isPattern(/^[^\0]*$/u))))
/** Ids of Stripe have at most 255 characters. */
const Id = Schema.String.check(Schema.isPattern(/^[!-~]{1,255}$/))
/** An id, or the object itself where the caller asked Stripe to expand it. */
const Reference = Schema.optionalKey(Schema.NullOr(Schema.Union([Id, Schema.Struct({ id: Id })])))
const Live = Schema.optionalKey(Schema.NullOr(Schema.Boolean))

const Session = Schema.Struct({
  id: Id,
  client_reference_id: Text,
  payment_intent: Reference,
  payment_status: Text,
  status: Text,
  amount_total: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  currency: Text,
  livemode: Live,
  url: Text
})
const Refund = Schema.Struct({
  id: Id,
  amount: Schema.Int,
  currency: Text,
  payment_intent: Reference,
  status: Text
})
const Charge = Schema.Struct({
  id: Id,
  amount_refunded: Schema.optionalKey(Schema.Int),
  currency: Text,
  payment_intent: Reference,
  refunds: Schema.optionalKey(Schema.NullOr(Schema.Struct({ data: Schema.Array(Refund) })))
})
const Dispute = Schema.Struct({
  id: Id,
  amount: Schema.Int,
  currency: Text,
  payment_intent: Reference,
  status: Text
})
const Event = Schema.Struct({
  id: Id,
  type: Id,
  livemode: Live,
  data: Schema.Struct({ object: Schema.Unknown })
})

const readSession = Schema.decodeUnknownOption(Session)
const readRefund = Schema.decodeUnknownOption(Refund)
const readCharge = Schema.decodeUnknownOption(Charge)
const readDispute = Schema.decodeUnknownOption(Dispute)
const readEvent = Schema.decodeUnknownOption(Event)

const idOf = (reference: typeof Reference.Type | undefined): string | undefined =>
  typeof reference === "string" ? reference : reference?.id

/** The facts of a session object, outside of an event. */
export const sessionFacts = (object: unknown): SessionFacts | undefined =>
  Option.getOrUndefined(Option.map(readSession(object), (session) => ({
    session: session.id,
    payment: session.client_reference_id ?? undefined,
    intent: idOf(session.payment_intent),
    isPaid: session.payment_status === "paid",
    ended: session.status === "expired" ? "expired" : undefined,
    amountCents: session.amount_total ?? undefined,
    currency: session.currency ?? undefined,
    live: session.livemode ?? undefined,
    url: session.url ?? undefined
  })))

const refundStates: Readonly<Record<string, Reversal["state"]>> = {
  succeeded: "taken",
  failed: "returned",
  canceled: "returned"
}

const inDollars = (currency: string | null | undefined): boolean => currency === "usd"

const refundsOf = (
  refunds: ReadonlyArray<typeof Refund.Type>,
  intent: string | undefined,
  live: boolean | undefined
): ReadonlyArray<Reversal> =>
  refunds.flatMap((refund) => {
    const named = idOf(refund.payment_intent) ?? intent
    return named === undefined || refund.amount < 0 || !inDollars(refund.currency ?? "usd") ? [] : [{
      object: refund.id,
      intent: named,
      kind: "refund",
      amountCents: refund.amount,
      state: refundStates[refund.status ?? ""] ?? "pending",
      live
    }]
  })

const chargeReversals = (object: unknown, live: boolean | undefined): ReadonlyArray<Reversal> => {
  const charge = Option.getOrUndefined(readCharge(object))
  const intent = idOf(charge?.payment_intent)
  if (charge === undefined || intent === undefined || !inDollars(charge.currency)) return []
  const total = charge.amount_refunded ?? 0
  return [
    ...refundsOf(charge.refunds?.data ?? [], intent, live),
    ...total <= 0
      ? []
      : [{ object: charge.id, intent, kind: "charge" as const, amountCents: total, state: "taken" as const, live }]
  ]
}

const disputeReversals = (
  object: unknown,
  state: (status: string) => Reversal["state"] | undefined,
  live: boolean | undefined
): ReadonlyArray<Reversal> => {
  const dispute = Option.getOrUndefined(readDispute(object))
  const intent = idOf(dispute?.payment_intent)
  if (dispute === undefined || intent === undefined || dispute.amount < 0 || !inDollars(dispute.currency)) return []
  const next = state(dispute.status ?? "")
  return next === undefined
    ? []
    : [{ object: dispute.id, intent, kind: "dispute", amountCents: dispute.amount, state: next, live }]
}

const factsOf = (type: string, object: unknown, live: boolean | undefined): EventFacts => {
  const session = (change: Partial<SessionFacts>): EventFacts => {
    const facts = sessionFacts(object)
    return facts === undefined
      ? { kind: "other" }
      : { kind: "session", session: { ...facts, live: facts.live ?? live, ...change } }
  }
  const reversals = (found: ReadonlyArray<Reversal>): EventFacts => ({ kind: "reversals", reversals: found })
  switch (type) {
    case "checkout.session.completed":
      return session({})
    case "checkout.session.async_payment_succeeded":
      return session({ isPaid: true })
    case "checkout.session.async_payment_failed":
      return session({ isPaid: false, ended: "failed" })
    case "checkout.session.expired":
      return session({ isPaid: false, ended: "expired" })
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
    case "charge.refund.updated":
      return reversals(refundsOf(Option.toArray(readRefund(object)), undefined, live))
    case "charge.refunded":
      return reversals(chargeReversals(object, live))
    case "charge.dispute.funds_withdrawn":
      return reversals(disputeReversals(object, () => "taken", live))
    case "charge.dispute.funds_reinstated":
      return reversals(disputeReversals(object, () => "returned", live))
    case "charge.dispute.closed":
      return reversals(
        disputeReversals(
          object,
          (status) => status === "lost" ? "taken" : status === "won" ? "returned" : undefined,
          live
        )
      )
    default:
      return { kind: "other" }
  }
}

/** The facts of an event; none when it is not one. */
export const eventOf = (body: unknown): StripeEvent | undefined =>
  Option.getOrUndefined(Option.map(readEvent(body), ({ data, id, livemode, type }) => ({
    id,
    type,
    facts: factsOf(type, data.object, livemode ?? undefined)
  })))

/** Why a reported payment does not match ours; none when it does. */
export const mismatchOf = (
  payment: { readonly amount_cents: number; readonly live: boolean | null },
  session: SessionFacts
): string | undefined =>
  session.currency !== "usd"
    ? "The payment was made in another currency."
    : session.amountCents !== payment.amount_cents
    ? "Another amount was paid."
    : payment.live !== null && session.live !== undefined && session.live !== payment.live
    ? "The payment was made in another mode (live or test)."
    : undefined

/** Sums over the reversals of a payment. */
export interface ReversalSums {
  /** Refunds by their own ids. */
  readonly refunded: number
  /** Refunds that were taken back, or have not succeeded yet. */
  readonly refunds_uncounted: number
  /** The largest total that was reported of the charge. */
  readonly charge_total: number
  readonly disputed: number
}

/** What a payment lost by refunds and disputes, and the status that follows. */
export const reversedOf = (
  amountCents: number,
  sums: ReversalSums
): { readonly cents: number; readonly status: PaymentStatus } => {
  // The total counts refunds that no event named, but also those that are on their way or failed later.
  const refunded = Math.max(sums.refunded, sums.charge_total - sums.refunds_uncounted)
  return {
    cents: Math.min(amountCents, refunded + sums.disputed),
    status: sums.disputed > 0 ? "disputed" : refunded >= amountCents ? "refunded" : "paid"
  }
}

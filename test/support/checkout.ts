/** A fake of Stripe's checkout: sessions by idempotency key, events signed as Stripe signs them, and misbehavior. */
import { newId } from "@countersign/domain/ids"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import type { ServerResponse } from "node:http"
import { type Answer, apiOf } from "./hub.ts"
import { httpUpstream, type Received } from "./upstream.ts"

export const stripeKey = "sk_test_4eC39HqLyjWDarjtT1zdp7dc"
export const webhookSecret = "whsec_test_0123456789abcdef"

export interface FakeSession {
  readonly id: string
  readonly payment: string
  readonly amount: number
  /** The provider's id of the payment. */
  readonly intent: string
  status: "open" | "complete" | "expired"
  paid: boolean
}

/** What the fake does with its next call instead of answering it: a status, or a cut after the session was made. */
export type Misbehavior = number | "cut"

export const signed = (body: string, secret = webhookSecret, seconds = Math.floor(Date.now() / 1000)): string =>
  `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`

const fresh = (prefix: string) => `${prefix}_${newId("req").slice(4)}`

/** The object of a session, as Stripe's API and its events show it. */
export const sessionObject = (session: FakeSession, change: object = {}) => ({
  id: session.id,
  object: "checkout.session",
  client_reference_id: session.payment,
  amount_total: session.amount,
  currency: "usd",
  livemode: false,
  mode: "payment",
  payment_intent: session.status === "complete" ? session.intent : null,
  payment_status: session.paid ? "paid" : "unpaid",
  status: session.status,
  url: session.status === "open" ? `https://checkout.stripe.test/${session.id}` : null,
  ...change
})

export const eventOf = (type: string, object: object, change: object = {}): string =>
  JSON.stringify({ id: fresh("evt"), object: "event", type, livemode: false, data: { object }, ...change })

export const refundOf = (session: FakeSession, amount: number, change: object = {}) => ({
  id: fresh("re"),
  object: "refund",
  amount,
  currency: "usd",
  payment_intent: session.intent,
  status: "succeeded",
  ...change
})

export const disputeOf = (session: FakeSession, amount: number, change: object = {}) => ({
  id: fresh("dp"),
  object: "dispute",
  amount,
  currency: "usd",
  payment_intent: session.intent,
  status: "needs_response",
  ...change
})

export const stripeCheckout = Effect.gen(function*() {
  const sessions = new Map<string, FakeSession>()
  const byKey = new Map<string, FakeSession>()
  const next: Array<Misbehavior> = []
  const answer = (response: ServerResponse, status: number, body: object) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

  const create = (request: Received): FakeSession => {
    const form = new URLSearchParams(request.body)
    const key = String(request.headers["idempotency-key"])
    const known = byKey.get(key)
    if (known !== undefined) return known
    const session: FakeSession = {
      id: fresh("cs_test"),
      payment: form.get("client_reference_id") ?? "",
      amount: Number(form.get("line_items[0][price_data][unit_amount]")),
      intent: fresh("pi"),
      status: "open",
      paid: false
    }
    sessions.set(session.id, session)
    byKey.set(key, session)
    return session
  }

  const upstream = yield* httpUpstream((request, response) => {
    if (request.headers.authorization !== `Bearer ${stripeKey}`) return answer(response, 401, { error: {} })
    const bad = next.shift()
    if (typeof bad === "number") return answer(response, bad, { error: { message: "Fake trouble" } })
    const id = /^\/v1\/checkout\/sessions\/(\w+)$/.exec(request.url)?.[1]
    const session = id === undefined ? create(request) : sessions.get(id)
    if (bad === "cut") return void response.socket?.destroy()
    return session === undefined ? answer(response, 404, { error: {} }) : answer(response, 200, sessionObject(session))
  })

  return {
    origin: upstream.origin,
    received: upstream.received,
    /** The next calls misbehave so, one each. */
    misbehave: (...how: ReadonlyArray<Misbehavior>) => void next.push(...how),
    /** The session that was opened for a payment. */
    sessionOf: (payment: string): FakeSession => {
      const found = [...sessions.values()].find((session) => session.payment === payment)
      if (found === undefined) throw new Error(`no session for ${payment}`)
      return found
    },
    env: {
      HUB_STRIPE_SECRET_KEY: stripeKey,
      HUB_STRIPE_API_BASE: upstream.origin,
      HUB_STRIPE_WEBHOOK_SECRET: webhookSecret
    },
    /** Sends an event to a hub; the text is what `eventOf` returned. */
    deliver: (hub: { readonly url: string }, event: string): Effect.Effect<Answer> =>
      apiOf(hub.url)("POST", "/webhooks/stripe", { body: event, headers: { "stripe-signature": signed(event) } })
  }
})

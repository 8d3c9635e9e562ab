/** Payments through a fake Stripe that misbehaves, on two hubs that share a database. */
import { CheckoutSession } from "@countersign/domain/billing"
import { PaymentPolling } from "@countersign/hub/billing/polling"
import { PaymentPosting } from "@countersign/hub/billing/posting"
import { eventOf as readEvent } from "@countersign/hub/billing/rules"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import {
  disputeOf,
  eventOf,
  type FakeSession,
  refundOf,
  sessionObject,
  signed,
  stripeCheckout,
  webhookSecret
} from "../../support/checkout.ts"
import { fitting } from "../../support/contract.ts"
import { failingAudit } from "../../support/failing-audit.ts"
import { expectHealthy } from "../../support/health.ts"
import { type Answer, expectStatus, firstOwner, type HubInTest, makeAgent, startHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"
import { chanceOf } from "../../support/random.ts"

class World extends Context.Service<World, {
  readonly stripe: Effect.Success<typeof stripeCheckout>
  readonly hubs: readonly [HubInTest, HubInTest]
}>()("test/hub/billing/World") {}

const WorldTest = Layer.effect(
  World,
  Effect.gen(function*() {
    const stripe = yield* stripeCheckout
    const first = yield* startHub({ env: stripe.env })
    yield* firstOwner(first)
    const second = yield* startHub({ env: stripe.env, database: first.target })
    return { stripe, hubs: [first, second] as const }
  })
)

/** A new workspace with an owner, and what a test does there. */
const scene = Effect.gen(function*() {
  const { hubs, stripe } = yield* World
  const [hub, second] = hubs
  const owner = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
  const { cookie, org } = owner
  const open = (amount_cents: number, headers: Readonly<Record<string, string>> = {}) =>
    hub.api("POST", "/billing/checkout-sessions", { cookie, body: { amount_cents }, headers })
  const pay = Effect.fnUntraced(function*(session: FakeSession) {
    session.status = "complete"
    session.paid = true
    return yield* stripe.deliver(hub, eventOf("checkout.session.completed", sessionObject(session)))
  })
  return {
    stripe,
    hub,
    second,
    owner,
    cookie,
    org,
    open,
    pay,
    opened: Effect.fnUntraced(function*(amount: number) {
      const { id } = expectStatus(yield* open(amount), 201).body
      return { id: id as string, session: stripe.sessionOf(id) }
    }),
    /** Sends an event to the first hub, which must accept it. */
    tell: (type: string, object: object, change: object = {}) =>
      Effect.map(stripe.deliver(hub, eventOf(type, object, change)), (answer) => expectStatus(answer, 200)),
    state: (id: string) =>
      Effect.map(hub.api("GET", `/billing/checkout-sessions/${id}`, { cookie }), ({ body }) => body),
    balance: Effect.map(hub.api("GET", "/balance", { cookie }), ({ body }) => body.balance_cents as number),
    frozen: Effect.map(hub.api("GET", `/workspaces/${org}`, { cookie }), ({ body }) => body.frozen as boolean)
  }
})

const statuses = (answers: ReadonlyArray<Answer>) => answers.map(({ status }) => status).sort()

layer(WorldTest, { excludeTestServices: true })("checkout", (it) => {
  it.effect("a paid session credits the wallet once, however often and wherever its event arrives", () =>
    Effect.gen(function*() {
      const { balance, cookie, hub, opened, second, state, stripe } = yield* scene
      const { id, session } = yield* opened(2_500)
      const before = fitting(CheckoutSession, yield* state(id))
      assert.deepStrictEqual([before.status, before.url], ["open", `https://checkout.stripe.test/${session.id}`])
      session.status = "complete"
      session.paid = true
      const events = [
        eventOf("checkout.session.completed", sessionObject(session)),
        eventOf("checkout.session.async_payment_succeeded", sessionObject(session))
      ]
      const answers = yield* Effect.forEach(
        [hub, second, hub, second, hub, second].flatMap((each) => events.map((event) => [each, event] as const)),
        ([each, event]) => stripe.deliver(each, event),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(statuses(answers))], [200])
      const after = fitting(CheckoutSession, yield* state(id))
      assert.deepStrictEqual([after.status, after.url, yield* balance], ["paid", undefined, 2_500])
      const ledger = yield* hub.api("GET", "/ledger", { cookie })
      assert.deepStrictEqual(
        ledger.body.data.map((entry: { readonly cause: unknown; readonly amount_cents: number }) => [
          entry.cause,
          entry.amount_cents
        ]),
        [[{ type: "payment", id }, -2_500], [{ type: "payment", id }, 2_500]]
      )
      const log = yield* hub.api("GET", "/audit-logs", { cookie })
      assert.deepStrictEqual(log.body.data.map(({ action }: { readonly action: string }) => action), [
        "payment.paid",
        "payment.created"
      ])
      yield* expectHealthy(hub.target)
    }))

  it.effect("another currency, another amount, and live money on a test key are not credited", () =>
    Effect.gen(function*() {
      const { balance, opened, pay, state, tell } = yield* scene
      const { id, session } = yield* opened(1_000)
      session.status = "complete"
      session.paid = true
      const wrong = [{ currency: "eur" }, { amount_total: 100_000 }, { amount_total: null }, { livemode: true }]
      const problems = yield* Effect.forEach(wrong, (change) =>
        Effect.andThen(
          tell("checkout.session.completed", sessionObject(session, change), change),
          Effect.map(state(id), ({ problem }) => problem)
        ))
      assert.deepStrictEqual(problems, [
        "The payment was made in another currency.",
        "Another amount was paid.",
        "Another amount was paid.",
        "The payment was made in another mode (live or test)."
      ])
      assert.deepStrictEqual([(yield* state(id)).status, yield* balance], ["open", 0])
      yield* pay(session)
      const { problem, status } = yield* state(id)
      assert.deepStrictEqual([status, problem, yield* balance], ["paid", undefined, 1_000])
    }))

  it.effect("a session or payment of Stripe that was reported for one payment credits no other, also on two hubs", () =>
    Effect.gen(function*() {
      const { balance, hub, opened, pay, second, state, stripe } = yield* scene
      const other = yield* scene
      const first = yield* opened(1_000)
      yield* pay(first.session)
      // The same amount in another workspace, named by the session and by its payment, before and after its own session.
      const theirs = yield* other.opened(1_000)
      const named = { client_reference_id: theirs.id }
      const foreign = [
        sessionObject(first.session, named),
        sessionObject(first.session, { ...named, id: "cs_test_unknown" }),
        sessionObject(first.session, { ...named, payment_intent: null })
      ]
      for (const object of foreign) {
        for (const each of [hub, second]) {
          expectStatus(yield* stripe.deliver(each, eventOf("checkout.session.completed", object)), 200)
        }
      }
      assert.deepStrictEqual([(yield* other.state(theirs.id)).status, yield* other.balance, yield* balance], [
        "open",
        0,
        1_000
      ])
      yield* other.pay(theirs.session)
      assert.deepStrictEqual([(yield* other.state(theirs.id)).status, yield* other.balance], ["paid", 1_000])
      // One new session that names a different payment at each hub, at once: one of them is credited.
      const racers = [yield* opened(700), yield* other.opened(700)]
      const paid = { ...racers[0]!.session, status: "complete" as const, paid: true }
      yield* Effect.forEach(
        racers.flatMap(({ id }) => [hub, second].map((each) => [each, id] as const)),
        ([each, id]) =>
          stripe.deliver(
            each,
            eventOf(
              "checkout.session.completed",
              sessionObject(paid, { id: "cs_test_racing", payment_intent: "pi_racing", client_reference_id: id })
            )
          ),
        { concurrency: "unbounded" }
      )
      const states = [(yield* state(racers[0]!.id)).status, (yield* other.state(racers[1]!.id)).status]
      assert.deepStrictEqual(states.toSorted(), ["open", "paid"])
      assert.strictEqual((yield* balance) + (yield* other.balance), 2_700)
      yield* expectHealthy(hub.target)
    }))

  it.effect("an unpaid session stays open until its payment succeeds or fails; an expired one ends", () =>
    Effect.gen(function*() {
      const { balance, opened, state, tell } = yield* scene
      const late = yield* opened(700)
      late.session.status = "complete"
      yield* tell("checkout.session.completed", sessionObject(late.session))
      assert.strictEqual((yield* state(late.id)).status, "open")
      yield* tell("checkout.session.async_payment_succeeded", sessionObject(late.session, { payment_status: "paid" }))
      // A late report of an earlier state changes nothing.
      yield* tell("checkout.session.expired", sessionObject(late.session, { status: "expired" }))
      assert.deepStrictEqual([(yield* state(late.id)).status, yield* balance], ["paid", 700])
      const failing = yield* opened(700)
      yield* tell("checkout.session.async_payment_failed", sessionObject(failing.session))
      const expiring = yield* opened(700)
      yield* tell("checkout.session.expired", sessionObject(expiring.session, { status: "expired" }))
      const ends = [yield* state(failing.id), yield* state(expiring.id)]
      assert.deepStrictEqual(ends.map(({ status, url }) => [status, url]), [["failed", undefined], [
        "expired",
        undefined
      ]])
      assert.strictEqual(yield* balance, 700)
    }))

  it.effect("refunds count once by their id, in any order, also before their payment and after a failure", () =>
    Effect.gen(function*() {
      const { balance, hub, opened, pay, second, state, stripe, tell } = yield* scene
      const { id, session } = yield* opened(1_000)
      const early = refundOf(session, 300)
      yield* tell("refund.created", early)
      assert.strictEqual(yield* balance, 0)
      yield* pay(session)
      assert.deepStrictEqual([yield* balance, (yield* state(id)).status], [700, "paid"])
      const charge = {
        id: `ch_${session.id}`,
        amount_refunded: 500,
        currency: "usd",
        payment_intent: session.intent,
        refunds: { data: [early, refundOf(session, 200)] }
      }
      const events = [
        eventOf("charge.refunded", charge),
        eventOf("refund.updated", early),
        eventOf("charge.refund.updated", charge.refunds.data[1]!),
        eventOf("refund.updated", refundOf(session, 999, { status: "pending" }))
      ]
      yield* Effect.forEach(
        [hub, second].flatMap((each) => [...events, ...events].map((event) => [each, event] as const)),
        ([each, event]) => Effect.map(stripe.deliver(each, event), (answer) => expectStatus(answer, 200)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([yield* balance, (yield* state(id)).reversed_cents], [500, 500])
      yield* tell("refund.failed", { ...early, status: "failed" })
      yield* tell("refund.updated", early)
      assert.deepStrictEqual([yield* balance, (yield* state(id)).reversed_cents], [800, 200])
      yield* tell("refund.created", refundOf(session, 800))
      const end = yield* state(id)
      assert.deepStrictEqual([yield* balance, end.status, end.reversed_cents], [0, "refunded", 1_000])
      yield* expectHealthy(hub.target)
    }))

  it.effect("a reversal that was spent takes the wallet below zero and freezes the workspace until a person lifts it", () =>
    Effect.gen(function*() {
      const { balance, cookie, frozen, hub, opened, org, owner, pay, state, tell } = yield* scene
      const { id, session } = yield* opened(500)
      yield* pay(session)
      const agent = yield* makeAgent(hub, owner)
      const dispatch = () =>
        hub.api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "echo", operation: "say", payload: {} }
        })
      assert.strictEqual((yield* dispatch()).body.status, "executed")
      const dispute = disputeOf(session, 500)
      yield* tell("charge.dispute.created", dispute)
      assert.deepStrictEqual([yield* balance, yield* frozen], [499, false])
      yield* tell("charge.dispute.funds_withdrawn", dispute)
      yield* tell("charge.dispute.closed", { ...dispute, status: "lost" })
      assert.deepStrictEqual([yield* balance, yield* frozen, (yield* state(id)).status], [-1, true, "disputed"])
      const blocked = (yield* dispatch()).body
      assert.deepStrictEqual([blocked.reason_code, blocked.block.message], [
        "spending_frozen",
        "The spending of the workspace is frozen. The same request may pass once a person lifts the freeze."
      ])
      yield* expectHealthy(hub.target)
      yield* tell("charge.dispute.funds_reinstated", { ...dispute, status: "won" })
      assert.deepStrictEqual([yield* balance, yield* frozen, (yield* state(id)).status], [499, true, "paid"])
      // What is reported late does not take the money again.
      yield* tell("charge.dispute.funds_withdrawn", dispute)
      assert.strictEqual(yield* balance, 499)
      expectStatus(yield* hub.api("PATCH", `/workspaces/${org}`, { cookie, body: { frozen: false } }), 200)
      assert.strictEqual((yield* dispatch()).body.status, "executed")
      yield* expectHealthy(hub.target)
    }))

  it.effect("a reversal races its payment on two hubs, and neither is lost", () =>
    Effect.gen(function*() {
      const { balance, hub, opened, second, state, stripe } = yield* scene
      for (let round = 0; round < 5; round++) {
        const { id, session } = yield* opened(600)
        session.status = "complete"
        session.paid = true
        yield* Effect.all([
          stripe.deliver(hub, eventOf("checkout.session.completed", sessionObject(session))),
          stripe.deliver(second, eventOf("refund.created", refundOf(session, 600)))
        ], { concurrency: "unbounded" })
        assert.deepStrictEqual([yield* balance, (yield* state(id)).status], [0, "refunded"])
      }
    }))

  it.effect("the same reports end in the same books, in whatever order and however often they arrive", () =>
    Effect.gen(function*() {
      const { balance, hub, opened, second, state, stripe } = yield* scene
      for (let seed = 1; seed <= 6; seed++) {
        const chance = chanceOf(seed)
        const { id, session } = yield* opened(1_000)
        session.status = "complete"
        session.paid = true
        const pending = refundOf(session, 100, { status: "pending" })
        const [kept, failed] = [refundOf(session, 300), refundOf(session, 200)]
        const dispute = disputeOf(session, 400)
        const total = { id: `ch_${session.id}`, amount_refunded: 600, currency: "usd", payment_intent: session.intent }
        const events = [
          eventOf("checkout.session.completed", sessionObject(session)),
          eventOf("refund.created", { ...kept, status: "pending" }),
          eventOf("refund.updated", kept),
          eventOf("refund.created", failed),
          eventOf("refund.failed", { ...failed, status: "failed" }),
          eventOf("refund.created", pending),
          eventOf("charge.refunded", total),
          eventOf("charge.dispute.funds_withdrawn", dispute),
          eventOf("charge.dispute.funds_reinstated", dispute)
        ]
        const before = yield* balance
        const left = events.flatMap((event) => [event, event])
        while (left.length > 0) {
          const [event] = left.splice(chance.int(left.length), 1)
          expectStatus(yield* stripe.deliver(chance.one([hub, second]), event!), 200)
        }
        const { reversed_cents, status } = yield* state(id)
        assert.deepStrictEqual([status, reversed_cents, (yield* balance) - before], ["paid", 300, 700], `seed ${seed}`)
      }
      yield* expectHealthy(hub.target)
    }))

  it.effect("errors and cut answers of Stripe open one session for a key, and its refusal frees the key", () =>
    Effect.gen(function*() {
      const { open, org, owner, stripe } = yield* scene
      const { hub } = yield* scene
      const key = { "idempotency-key": `key of ${org}` }
      stripe.misbehave(500, "cut")
      const first = expectStatus(yield* open(900, key), 201)
      const again = yield* open(900, key)
      assert.deepStrictEqual([again.status, again.text, again.headers.get("idempotent-replayed")], [
        201,
        first.text,
        "true"
      ])
      const other = yield* open(901, key)
      assert.deepStrictEqual([other.status, other.body.error.code], [409, "idempotency_conflict"])
      const call = stripe.received.findLast(({ method }) => method === "POST")
      assert.strictEqual(call?.headers["idempotency-key"], first.body.id)
      const form = new URLSearchParams(call?.body)
      assert.deepStrictEqual(
        [form.get("client_reference_id"), form.get("mode"), form.get("line_items[0][price_data][currency]")],
        [first.body.id, "payment", "usd"]
      )
      stripe.misbehave("cut", "cut", "cut")
      const cut = { "idempotency-key": `cut of ${org}` }
      assert.strictEqual((yield* open(900, cut)).status, 502)
      const resumed = expectStatus(yield* open(900, cut), 201)
      assert.strictEqual(stripe.sessionOf(resumed.body.id).payment, resumed.body.id)
      stripe.misbehave(402)
      const refused = { "idempotency-key": `refused of ${org}` }
      const answer = yield* open(900, refused)
      assert.deepStrictEqual([answer.status, answer.body.error.code], [502, "upstream_error"])
      assert.include(answer.body.error.message, "Fake trouble")
      const retried = expectStatus(yield* open(900, refused), 201)
      const list = yield* hub.api("GET", "/billing/checkout-sessions", { cookie: owner.cookie })
      assert.deepStrictEqual(
        list.body.data.map((each: { readonly id: string; readonly status: string }) => each.status),
        ["open", "failed", "open", "open"]
      )
      assert.strictEqual(list.body.data[0].id, retried.body.id)
    }))

  it.effect("racing calls with one key open one session over two hubs", () =>
    Effect.gen(function*() {
      const { cookie, hub, org, second } = yield* scene
      const call = { cookie, body: { amount_cents: 800 }, headers: { "idempotency-key": `race of ${org}` } }
      const answers = yield* Effect.forEach(
        [hub, second, hub, second],
        ({ api }) => api("POST", "/billing/checkout-sessions", call),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
      const list = yield* hub.api("GET", "/billing/checkout-sessions", { cookie })
      assert.deepStrictEqual([answers[0]!.status, list.body.data.length], [201, 1])
    }))

  it.effect("a lost event is made up for by asking about the open session", () =>
    Effect.gen(function*() {
      const { balance, hub, opened, org, second, state } = yield* scene
      const [paid, expired, open] = [yield* opened(500), yield* opened(600), yield* opened(700)]
      paid.session.status = "complete"
      paid.session.paid = true
      expired.session.status = "expired"
      const due = hub.run(
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const [row] = yield* sql<{ minutes: number }>`select
          round(extract(epoch from min(poll_at - created_at)) / 60)::int as minutes from payments where org_id = ${org}`
          yield* sql`update payments set poll_at = now() where org_id = ${org}`
          return row?.minutes
        }).pipe(Effect.orDie)
      )
      assert.strictEqual(yield* due, 10)
      yield* Effect.all([hub, second].map(({ run }) => run(PaymentPolling.use((polling) => polling.round))), {
        concurrency: "unbounded"
      })
      const stateOf = Effect.forEach([paid, expired, open], ({ id }) => Effect.map(state(id), ({ status }) => status))
      // The hubs' own rounds may have claimed some of them.
      while ((yield* stateOf)[0] !== "paid" || (yield* stateOf)[1] !== "expired") yield* Effect.sleep("20 millis")
      assert.deepStrictEqual([yield* stateOf, yield* balance], [["paid", "expired", "open"], 500])
    }))

  it.effect("unsigned, wrongly signed, and old events are 401; unknown ones are 200 and change nothing", () =>
    Effect.gen(function*() {
      const { balance, hub, opened, state, stripe, tell } = yield* scene
      const { id, session } = yield* opened(500)
      session.status = "complete"
      session.paid = true
      const event = eventOf("checkout.session.completed", sessionObject(session))
      const now = Math.floor(Date.now() / 1_000)
      const signatures: ReadonlyArray<Readonly<Record<string, string>>> = [
        {},
        { "stripe-signature": "" },
        { "stripe-signature": "t=1,v1=00" },
        { "stripe-signature": signed(event, "whsec_other") },
        { "stripe-signature": signed(event, webhookSecret, now - 301) },
        { "stripe-signature": signed(event, webhookSecret, now + 320) },
        { "stripe-signature": signed(`${event} `) },
        { "x-svc-signature": signed(event) }
      ]
      const refused = yield* Effect.forEach(
        signatures,
        (headers) => hub.api("POST", "/webhooks/stripe", { body: event, headers })
      )
      assert.deepStrictEqual(refused.map(({ status }) => status), signatures.map(() => 401))
      assert.deepStrictEqual([(yield* state(id)).status, yield* balance], ["open", 0])
      yield* tell("customer.created", { id: "cus_1" })
      yield* tell("checkout.session.completed", sessionObject({ ...session, id: "cs_x", payment: "pay_unknown" }))
      yield* tell("refund.created", { id: "re_x", amount: "much" })
      const rubbish = yield* stripe.deliver(hub, "[]")
      assert.strictEqual(rubbish.status, 400)
      // Stripe adds a signature for each secret while one is rotated.
      const [time, first] = signed(event).split(",")
      const rotated = { "stripe-signature": `${time},v1=${"0".repeat(64)},${first},v0=00` }
      expectStatus(yield* hub.api("POST", "/webhooks/stripe?x=1", { body: event, headers: rotated }), 200)
      assert.strictEqual(yield* balance, 500)
    }))

  it.effect("odd events with a right signature are 200 or 400, change nothing, and keep the payment correct", () =>
    Effect.gen(function*() {
      const { balance, hub, opened, pay, state, stripe, tell } = yield* scene
      const { id, session } = yield* opened(500)
      const [nul, long] = ["a\0b", "a".repeat(256)]
      for (const odd of [nul, long, "", "a b"]) {
        for (const change of [{ id: odd }, { type: odd }]) {
          const event = eventOf("checkout.session.completed", sessionObject(session), change)
          assert.strictEqual((yield* stripe.deliver(hub, event)).status, 400)
        }
        for (const change of [{ id: odd }, { payment_intent: odd }, { payment_intent: { id: odd } }]) {
          yield* tell("checkout.session.completed", sessionObject({ ...session, paid: true }, change))
          yield* tell("refund.created", refundOf(session, 5, change))
          yield* tell("charge.dispute.funds_withdrawn", disputeOf(session, 5, change))
        }
        yield* tell("charge.refunded", { id: odd, amount_refunded: 5, currency: "usd", payment_intent: session.intent })
      }
      for (const key of ["client_reference_id", "url", "status", "currency"]) {
        yield* tell("checkout.session.completed", sessionObject({ ...session, paid: true }, { [key]: nul }))
      }
      for (const amount of [-1, 0.5, 1e300, Number.MAX_SAFE_INTEGER + 1, "5", null]) {
        yield* tell("refund.created", refundOf(session, 5, { amount }))
        yield* tell("charge.dispute.funds_withdrawn", disputeOf(session, 5, { amount }))
      }
      assert.deepStrictEqual([(yield* state(id)).status, yield* balance], ["open", 0])
      yield* pay(session)
      assert.deepStrictEqual([(yield* state(id)).status, yield* balance], ["paid", 500])
      // Sums beyond an exact number, and beyond 64 bits, take the payment back once.
      const most = Number.MAX_SAFE_INTEGER
      for (const kind of ["pending", "succeeded"]) {
        for (let count = 0; count < 3; count++) yield* tell("refund.created", refundOf(session, most, { status: kind }))
      }
      yield* tell("charge.dispute.funds_withdrawn", disputeOf(session, most))
      yield* tell("charge.dispute.funds_withdrawn", disputeOf(session, most))
      yield* hub.run(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql`insert into payment_reversals (object_id, intent_id, kind, amount_cents, state, live, updated_at)
          select ${session.intent} || '_' || n, ${session.intent}, 'refund', ${
              BigInt(most)
            }::bigint, 'taken', false, now()
          from generate_series(1, 1100) n`
        )
      )
      yield* tell("refund.created", refundOf(session, 5))
      const end = yield* state(id)
      assert.deepStrictEqual([end.status, end.reversed_cents, yield* balance], ["disputed", 500, 0])
      yield* expectHealthy(hub.target)
    }))

  it.effect("a credit that fails before its commit leaves nothing, and the repeated event credits", () =>
    Effect.gen(function*() {
      const { balance, hub, opened, pay, state } = yield* scene
      const { id, session } = yield* opened(500)
      session.status = "complete"
      session.paid = true
      const event = readEvent(JSON.parse(eventOf("checkout.session.completed", sessionObject(session))))!
      const cutPosting = Layer.fresh(PaymentPosting.layer).pipe(Layer.provide(failingAudit))
      const post = PaymentPosting.use((posting) => posting.event(event))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(hub.run(Effect.provide(post, cutPosting)))))
      assert.deepStrictEqual([(yield* state(id)).status, yield* balance], ["open", 0])
      yield* hub.run(post)
      assert.deepStrictEqual([(yield* state(id)).status, yield* balance], ["paid", 500])
      yield* pay(session)
      assert.strictEqual(yield* balance, 500)
      yield* expectHealthy(hub.target)
    }))

  it.effect("bounds, roles, and other workspaces; only an owner still adds funds by hand", () =>
    Effect.gen(function*() {
      const { hub, open, opened, org, owner } = yield* scene
      const { id } = yield* opened(500)
      const admin = yield* makeSignedIn(hub, org, "admin")
      const operator = yield* makeSignedIn(hub, org, "operator")
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
      assert.deepStrictEqual(
        [
          yield* open(499),
          yield* open(1_000_001),
          yield* open(500.5),
          yield* hub.api("POST", "/billing/checkout-sessions", {
            cookie: owner.cookie,
            body: { amount_cents: 500, success_url: "javascript:alert(1)" }
          }),
          ...yield* Effect.forEach(
            ["https://x/\n", "https://x/a b", "https://x/\0", "https://\u200b", "https:///x", "https://"],
            (url) =>
              hub.api("POST", "/billing/checkout-sessions", {
                cookie: owner.cookie,
                body: { amount_cents: 500, success_url: url, cancel_url: "https://x/ok?y={CHECKOUT_SESSION_ID}" }
              })
          ),
          yield* hub.api("POST", "/billing/checkout-sessions", {
            cookie: operator.cookie,
            body: { amount_cents: 500 }
          }),
          yield* hub.api("GET", `/billing/checkout-sessions/${id}`, { cookie: stranger.cookie }),
          yield* hub.api("GET", `/billing/checkout-sessions/${id}`, { cookie: operator.cookie }),
          yield* hub.api("GET", `/billing/checkout-sessions/${id}`, { cookie: admin.cookie })
        ].map(({ status }) => status),
        [400, 400, 400, 400, 400, 400, 400, 400, 400, 400, 403, 404, 403, 200]
      )
      const topUp = (cookie: string) => hub.api("POST", "/balance/top-up", { cookie, body: { amount_cents: 5 } })
      const refused = yield* topUp(admin.cookie)
      assert.deepStrictEqual([refused.status, refused.body.error.code], [409, "use_checkout"])
      assert.strictEqual((yield* topUp(owner.cookie)).status, 201)
    }))

  it.effect("without settings checkout is 409 and the hook 404", () =>
    Effect.gen(function*() {
      const { hubs: [first] } = yield* World
      const hub = yield* startHub({ database: first.target })
      const owner = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
      const answer = yield* hub.api("POST", "/billing/checkout-sessions", {
        cookie: owner.cookie,
        body: { amount_cents: 500 }
      })
      assert.deepStrictEqual([answer.status, answer.body.error.code], [409, "billing_not_configured"])
      const event = eventOf("customer.created", {})
      const headers = { "stripe-signature": signed(event) }
      assert.strictEqual((yield* hub.api("POST", "/webhooks/stripe", { body: event, headers })).status, 404)
    }))
})

/**
 * Applies each report of a provider to its payment and to the wallet, once and in one transaction. A payment's credits
 * and losses follow from all reports so far, in any order and however often each arrives. Spec:
 * reference/budgets-and-ledger.md "Checkout".
 */
import { newId, type OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Metric, Option } from "effect"
import { LedgerRepository } from "../ledger/repository.ts"
import { type Actor, AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { ProviderEvents } from "../platform/provider-events.ts"
import { Signals } from "../platform/signals.ts"
import { paymentChanges } from "../platform/telemetry.ts"
import { type PaymentChange, type PaymentRow, PaymentsRepository } from "./repository.ts"
import { mismatchOf, type Reversal, reversedOf, type SessionFacts, type StripeEvent } from "./rules.ts"

const stripe: Actor = { type: "provider", id: "stripe", name: "Stripe" }

export class PaymentPosting extends Context.Service<PaymentPosting, {
  /** An event that was applied before has no effect. */
  readonly event: (event: StripeEvent) => Effect.Effect<void>
  /** The session is the provider's answer to a poll. */
  readonly session: (session: SessionFacts) => Effect.Effect<void>
  /** The provider refuses to open a session for the payment: it failed, and its idempotency key is free. */
  readonly refused: (org: OrgId, id: string, reason: string) => Effect.Effect<void>
}>()("@countersign/hub/billing/PaymentPosting") {
  static readonly layer = Layer.effect(
    PaymentPosting,
    Effect.gen(function*() {
      const payments = yield* PaymentsRepository
      const ledger = yield* LedgerRepository
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const signals = yield* Signals
      const events = yield* ProviderEvents
      const db = yield* Db

      const note = (
        org: OrgId,
        change: "paid" | "mismatched" | "reversed" | "restored" | "updated" | "expired" | "failed",
        payment: string,
        data: Readonly<Record<string, unknown>>
      ) =>
        Effect.andThen(
          audit.record(org, stripe, { action: `payment.${change}`, subject: { type: "payment", id: payment }, data }),
          db.afterCommit(Metric.update(Metric.withAttributes(paymentChanges, { change }), 1))
        )

      /** A workspace that owes more than it has stops spending until a person lifts it. */
      const freezeIfOverdrawn = Effect.fnUntraced(function*(org: OrgId) {
        const { cap, held, used } = yield* ledger.wallet(org)
        if (cap - used - held >= 0 || !(yield* payments.freeze(org))) return
        yield* heads.bumpRules(org)
        yield* db.afterCommit(Effect.sync(() => signals.config(org)))
        yield* audit.record(org, hubActor, {
          action: "workspace.updated",
          subject: { type: "org", id: org },
          data: { frozen: true, reason: "a payment was taken back", balance_cents: cap - used, held_cents: held }
        })
      })

      /** Transfers the difference between the amount due back and the amount taken back. Under the workspace's lock. */
      const reverse = Effect.fnUntraced(function*(payment: PaymentRow) {
        if (payment.intent_id === null || payment.movement_id === null) return
        const { cents, status } = reversedOf(
          payment.amount_cents,
          yield* payments.reversals(payment.intent_id, payment.live)
        )
        const more = cents - payment.reversed_cents
        if (more === 0 && status === payment.status) return
        const org = payment.org_id
        yield* payments.update(org, payment.id, { status, reversed_cents: BigInt(cents) })
        if (more !== 0) {
          yield* ledger.transfer(org, {
            id: newId("led"),
            direction: more > 0 ? "out" : "in",
            cents: Math.abs(more),
            causeType: "payment_reversal",
            causeId: payment.id
          })
        }
        yield* note(org, more > 0 ? "reversed" : more < 0 ? "restored" : "updated", payment.id, {
          status,
          reversed_cents: cents,
          ...(more === 0 ? {} : { amount_cents: Math.abs(more) })
        })
        if (more > 0) yield* freezeIfOverdrawn(org)
      })

      const credit = Effect.fnUntraced(function*(payment: PaymentRow, at: Date) {
        const org = payment.org_id
        const id = newId("led")
        yield* ledger.transfer(org, {
          id,
          direction: "in",
          cents: payment.amount_cents,
          causeType: "payment",
          causeId: payment.id
        })
        yield* payments.update(org, payment.id, {
          status: "paid",
          movement_id: id,
          url: null,
          problem: null,
          paid_at: at
        })
        yield* note(org, "paid", payment.id, { amount_cents: payment.amount_cents, movement_id: id })
        return { ...payment, status: "paid" as const, movement_id: id }
      })

      /** Under the workspace's lock. */
      const settle = Effect.fnUntraced(function*(stored: PaymentRow, session: SessionFacts, at: Date) {
        const learned: PaymentChange = {
          ...(stored.session_id === session.session ? {} : { session_id: session.session }),
          ...(session.intent === undefined || stored.intent_id === session.intent ? {} : { intent_id: session.intent }),
          ...(stored.live === null && session.live !== undefined ? { live: session.live } : {}),
          ...(stored.url === null && stored.status === "open" && session.url !== undefined ? { url: session.url } : {})
        }
        if (Object.keys(learned).length > 0) yield* payments.update(stored.org_id, stored.id, learned)
        const payment: PaymentRow = { ...stored, ...learned, reversed_cents: stored.reversed_cents }
        if (payment.movement_id !== null) return yield* reverse(payment)
        if (session.isPaid) {
          const problem = mismatchOf(payment, session)
          if (problem === undefined) return yield* reverse(yield* credit(payment, at))
          if (payment.problem === problem) return
          yield* payments.update(payment.org_id, payment.id, { problem })
          yield* note(payment.org_id, "mismatched", payment.id, { problem })
        } else if (session.ended !== undefined && payment.status === "open") {
          yield* payments.update(payment.org_id, payment.id, { status: session.ended, url: null })
          yield* note(payment.org_id, session.ended, payment.id, {})
        }
      })

      const applySession = Effect.fnUntraced(
        function*(session: SessionFacts, event: StripeEvent | undefined) {
          yield* payments.lockSession(session.session)
          if (session.intent !== undefined) yield* payments.lockIntent(session.intent)
          const named = yield* payments.named(session.payment, session.session)
          const at = named === undefined ? undefined : yield* heads.lock(named.org_id)
          if (event !== undefined && !(yield* events.record("stripe", event))) return
          if (named === undefined || at === undefined) return
          const payment = Option.getOrUndefined(yield* payments.find(named.org_id, named.id))
          if (payment === undefined) return
          const isOther = payment.session_id !== null && payment.session_id !== session.session
          // Money that arrived for the payment counts once, by whichever session it came; another one ends nothing.
          if (isOther && (payment.movement_id !== null || !session.isPaid)) {
            return yield* Effect.logWarning(`another session than that of ${payment.id} names it; it was ignored`)
          }
          const other = yield* payments.otherOf(payment.id, session)
          if (other !== undefined) {
            return yield* Effect.logWarning(`a session of ${other} names ${payment.id}; it was ignored`)
          }
          yield* settle(payment, session, at)
        },
        db.transaction
      )

      const applyReversals = Effect.fnUntraced(
        function*(reversals: ReadonlyArray<Reversal>, event: StripeEvent) {
          // One event names one payment. Sorted, so that locks keep one order if it ever names more.
          const intents = [...new Set(reversals.map(({ intent }) => intent))].sort()
          for (const intent of intents) yield* payments.lockIntent(intent)
          const named = (yield* Effect.forEach(intents, payments.ofIntent)).flat()
          for (const org of [...new Set(named.map(({ org_id }) => org_id))].sort()) yield* heads.lock(org)
          if (!(yield* events.record("stripe", event))) return
          for (const reversal of reversals) yield* payments.keepReversal(reversal)
          for (const { id, org_id } of named) {
            const payment = Option.getOrUndefined(yield* payments.find(org_id, id))
            if (payment !== undefined) yield* reverse(payment)
          }
        },
        db.transaction
      )

      return PaymentPosting.of({
        event: Effect.fn("PaymentPosting.event")(function*(event) {
          switch (event.facts.kind) {
            case "session":
              return yield* applySession(event.facts.session, event)
            case "reversals":
              return yield* applyReversals(event.facts.reversals, event)
            case "other":
              return
          }
        }),
        session: Effect.fn("PaymentPosting.session")((session) => applySession(session, undefined)),
        refused: Effect.fn("PaymentPosting.refused")(function*(org, id, reason) {
          yield* heads.lock(org)
          const payment = Option.getOrUndefined(yield* payments.find(org, id))
          if (payment === undefined || payment.status !== "open" || payment.session_id !== null) return
          yield* payments.update(org, id, { status: "failed", problem: reason })
          yield* payments.forgetKey(org, id)
          yield* note(org, "failed", id, { problem: reason })
        }, db.transaction)
      })
    })
  )
}

/** Asks the provider about open payments whose event may have been lost. Any number of hubs share the work. */
import { paymentPollSeconds } from "@countersign/domain/billing"
import { Context, Effect, Layer } from "effect"
import { ProviderEvents } from "../platform/provider-events.ts"
import { Readiness } from "../platform/readiness.ts"
import { repeatRounds } from "../platform/rounds.ts"
import { PaymentsRepository } from "./repository.ts"
import { Billing } from "./service.ts"
import { Stripe } from "./stripe.ts"

const roundMillis = 5_000
const batchMax = 20
const pollsAtOnce = 4
/** Stripe resends an event for three days, and a person can for thirty. A repeated event has no further effect. */
const eventDays = 90
const eventBatch = 1_000

export class PaymentPolling extends Context.Service<PaymentPolling, {
  /** One round; returns the number of payments that were due. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/billing/PaymentPolling") {
  static readonly layer = Layer.effect(
    PaymentPolling,
    Effect.gen(function*() {
      const payments = yield* PaymentsRepository
      const events = yield* ProviderEvents
      const billing = yield* Billing
      const stripe = yield* Stripe
      const readiness = yield* Readiness

      const round = Effect.gen(function*() {
        if (!stripe.isConfigured) return 0
        const due = yield* payments.claimDue(paymentPollSeconds, batchMax)
        yield* Effect.forEach(
          due,
          ({ id, org_id }) =>
            Effect.catchCause(
              billing.refresh(org_id, id),
              (cause) =>
                Effect.logWarning(`payment ${id} could not be checked; the hub will retry in ten minutes`, cause)
            ),
          {
            concurrency: pollsAtOnce,
            discard: true
          }
        )
        return due.length
      })

      yield* repeatRounds(readiness, "payments", roundMillis, round)
      yield* repeatRounds(readiness, "provider events", 3_600_000, events.forget(eventDays, eventBatch))
      return PaymentPolling.of({ round })
    })
  )
}

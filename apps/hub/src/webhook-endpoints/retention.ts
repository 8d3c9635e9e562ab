/** Removes deliveries after their days, and deleted endpoints. Spec: reference/webhooks.md "Deliveries". */
import { idFloor } from "@countersign/domain/ids"
import { dayMillis } from "@countersign/domain/time"
import { webhookDays } from "@countersign/domain/webhook-endpoints"
import { Clock, Context, Effect, Layer } from "effect"
import { unhurried } from "../platform/pool.ts"
import { Readiness } from "../platform/readiness.ts"
import { inBatches, repeatRounds } from "../platform/rounds.ts"
import { WebhookDeliveriesRepository } from "./deliveries-repository.ts"

const roundMillis = 300_000
const removedMax = 1_000
/** A pause between two batches: other work has priority. */
const restMillis = 20

export class WebhookRetention extends Context.Service<WebhookRetention, {
  /** Removes deliveries after their days, and deleted endpoints; returns the number of deliveries. */
  readonly forget: Effect.Effect<number>
}>()("@countersign/hub/webhook-endpoints/WebhookRetention") {
  static readonly layer = Layer.effect(
    WebhookRetention,
    Effect.gen(function*() {
      const deliveries = yield* WebhookDeliveriesRepository
      const readiness = yield* Readiness
      const forget = unhurried(Effect.gen(function*() {
        const before = idFloor("evt", (yield* Clock.currentTimeMillis) - webhookDays * dayMillis)
        const removed = yield* inBatches(removedMax, deliveries.forget(webhookDays, before, removedMax), restMillis)
        yield* deliveries.forgetEndpoints(removedMax)
        return removed
      }))
      yield* repeatRounds(readiness, "retention of webhook deliveries", roundMillis, forget)
      return WebhookRetention.of({ forget })
    })
  )
}

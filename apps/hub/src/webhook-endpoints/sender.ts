/**
 * Sends due deliveries. Any number of hubs run it side by side: each endpoint has a lease of one
 * hub at a time, and an attempt whose hub died is made again, with the same `webhook-id`, when the lease ends. Ends of
 * attempts and new deliveries share a transaction; attempts go on meanwhile. Spec: reference/webhooks.md "Attempts".
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Db } from "../platform/db.ts"
import { DueWork } from "../platform/due-work.ts"
import { Readiness } from "../platform/readiness.ts"
import { makeWakeUps, repeatRounds } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { counting, timing, webhookAttempts, webhookDuration, webhooksInProgress } from "../platform/telemetry.ts"
import { WebhookAttempts } from "./attempt.ts"
import { WebhookDisabling } from "./disabling.ts"
import { makeLanes } from "./lanes.ts"
import {
  type DueDelivery,
  type EndedAttempt,
  type FailingEndpoint,
  pendingDeliveries,
  WebhookQueueRepository
} from "./queue-repository.ts"
import { isGone, tallyOf } from "./rules.ts"

/** The object of the signal that there are new deliveries: the hub that has the lease is not the one that stored them. */
const newDeliveries = "webhook deliveries"
/** How often the queue is read after a round with work: another hub may have held its endpoints for a moment. */
const busyPollMillis = 100
/** A pause between two transactions: ends of attempts and new deliveries gather meanwhile. */
const restMillis = 20
/** The pause before an attempt that broke off inside the hub is made again, in milliseconds. */
const brokenMillis = 30_000
/** Endpoints of one transaction. */
const endpointsMax = 200

export class WebhookSender extends Context.Service<WebhookSender, {
  /** Looks for due deliveries soon, on all hubs. */
  readonly wake: () => void
  /** The same, without what they have read of this endpoint. */
  readonly changed: (endpoint: string) => void
}>()("@countersign/hub/webhook-endpoints/WebhookSender") {
  static readonly layer = Layer.effect(
    WebhookSender,
    Effect.gen(function*() {
      const queue = yield* WebhookQueueRepository
      const attempts = yield* WebhookAttempts
      const disabling = yield* WebhookDisabling
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const signals = yield* Signals
      const db = yield* Db
      const scope = yield* Effect.scope
      const context = yield* Effect.context<never>()
      const count = counting(webhookAttempts, context)
      const time = timing(webhookDuration, context)
      const lanes = makeLanes()
      /** Ends that are not stored yet. */
      const ended: Array<EndedAttempt> = []
      let wasBusy = false
      const me = crypto.randomUUID()
      const { wait, wake } = yield* makeWakeUps(signals, (signal) => {
        if (signal.kind !== "object") return false
        if (lanes.has(signal.id)) lanes.drop(signal.id)
        else if (signal.id !== newDeliveries) return false
        return true
      })

      /** Due deliveries, as many as the hub has room for. */
      const read = Effect.fnUntraced(function*(now: number) {
        let left = lanes.left()
        if (left <= 0 || readiness.phase() === "draining") return []
        const leased = yield* queue.lease(me, lanes.full(), Math.min(left, endpointsMax))
        const rooms = lanes.leased(leased, now).flatMap(({ endpoint_id, room }) => {
          const taken = Math.min(room, left)
          left -= taken
          return taken > 0 ? [{ endpoint_id, room: taken }] : []
        })
        return rooms.length === 0 ? [] : yield* queue.due(rooms, lanes.busy())
      })

      const store = Effect.fnUntraced(function*(ends: ReadonlyArray<EndedAttempt>) {
        if (ends.length === 0) return []
        const stored = yield* queue.end(ends)
        const own = ends.filter(({ id }) => stored.has(id))
        // Most receivers work: then there is nothing to count.
        if (own.every(({ isFailing, outcome }) => outcome === "delivered" && !isFailing)) return []
        return yield* queue.count(tallyOf(own.map(({ endpoint_id, outcome }) => ({
          endpoint_id,
          delivered: outcome === "delivered"
        }))))
      })

      const send = (delivery: DueDelivery): Effect.Effect<void> =>
        attempts.make(delivery).pipe(
          Effect.matchCauseEffect({
            onSuccess: (end) =>
              Effect.suspend(() => {
                const isDelivered = end.outcome === "delivered"
                ended.push(end)
                lanes.end(end.endpoint_id, end.millis, isDelivered)
                count({ result: isDelivered ? "delivered" : end.status === null ? "unanswered" : "refused" })
                time(end.millis)
                wake()
                return begin
              }),
            onFailure: (cause) =>
              Effect.logWarning(`the attempt of ${delivery.id} broke off`, cause).pipe(
                Effect.andThen(Effect.sync(() => lanes.end(delivery.endpoint_id, 0, false))),
                Effect.andThen(Effect.sleep(brokenMillis)),
                Effect.andThen(Effect.sync(() => lanes.stored([delivery])))
              )
          })
        )

      /** Begins the attempts that may be in progress now. */
      const begin: Effect.Effect<void> = Effect.flatMap(
        Clock.currentTimeMillis,
        (now) =>
          Effect.forEach(lanes.begin(now), (delivery) => Effect.forkIn(send(delivery), scope), { discard: true }).pipe(
            Effect.andThen(Effect.sync(() => webhooksInProgress.updateUnsafe(lanes.inProgress(), context)))
          )
      )

      /** In the background: a locked workspace delays no other delivery. */
      const disable = (failing: ReadonlyArray<FailingEndpoint>, ends: ReadonlyArray<EndedAttempt>) =>
        Effect.forEach(
          [
            ...failing.map((endpoint) => ({ ...endpoint, by: "failures" as const })),
            ...ends.filter(({ status }) => isGone(status ?? undefined)).map((end) => ({ ...end, by: "gone" as const }))
          ],
          ({ by, endpoint_id, org_id }) =>
            disabling.disable(org_id, endpoint_id, by).pipe(
              Effect.catchCause((cause) => Effect.logWarning(`${endpoint_id} could not be disabled`, cause)),
              Effect.forkIn(scope)
            ),
          { discard: true }
        )

      const round = Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        if (readiness.phase() === "draining") lanes.drop()
        const ends = [...ended]
        const idle = lanes.idle(now)
        const { deliveries, failing } = yield* db.transaction(Effect.gen(function*() {
          yield* queue.prepare
          const failing = yield* store(ends)
          if (idle.length > 0) yield* queue.release(me, idle)
          return { failing, deliveries: yield* read(now) }
        }))
        ended.splice(0, ends.length)
        lanes.stored(ends)
        lanes.add(deliveries)
        lanes.forget(idle.filter((id) => !deliveries.some(({ endpoint_id }) => endpoint_id === id)))
        wasBusy = ends.length > 0 || deliveries.length > 0
        yield* begin
        yield* disable(failing, ends)
      })

      // The ends of a stopping hub, so that its deliveries are not made again, and its leases.
      yield* Effect.addFinalizer(() =>
        Effect.ignore(
          Effect.suspend(() => db.transaction(Effect.andThen(store([...ended]), queue.release(me, lanes.endpoints()))))
        )
      )
      const due = dueWork.wait(pendingDeliveries)
      yield* repeatRounds(
        readiness,
        "webhook attempts",
        restMillis,
        round,
        Effect.suspend(() => wasBusy ? Effect.timeoutOption(wait, busyPollMillis) : Effect.raceFirst(wait, due))
      )

      return WebhookSender.of({
        wake: () => signals.object(newDeliveries),
        changed: (endpoint) => {
          signals.object(endpoint)
          signals.object(newDeliveries)
        }
      })
    })
  )
}

/**
 * Sends due deliveries. Any number of hubs run it side by side: each attempt has a lease, and an attempt whose hub died
 * is made again, with the same `webhook-id`, when its lease ends. Ends of attempts and new claims share a transaction,
 * so that the next batch gathers while one is stored. Spec: reference/webhooks.md "Attempts".
 */
import { Context, Effect, Layer, Queue } from "effect"
import { Db } from "../platform/db.ts"
import { Readiness } from "../platform/readiness.ts"
import { repeatRounds } from "../platform/rounds.ts"
import { counting, timing, webhookAttempts, webhookDuration, webhooksInProgress } from "../platform/telemetry.ts"
import { WebhookAttempts } from "./attempt.ts"
import { WebhookDisabling } from "./disabling.ts"
import {
  type ClaimedDelivery,
  type EndedAttempt,
  type FailingEndpoint,
  WebhookQueueRepository
} from "./queue-repository.ts"
import { endpointShare, hubAttemptsMax, isGone, tallyOf } from "./rules.ts"

/** How often due deliveries are looked for without a reason, in milliseconds. */
const pollMillis = 1_000
/** The same after a round with work: another hub may have held its endpoints for a moment. */
const busyPollMillis = 100
/** A pause between two transactions: ends of attempts gather meanwhile. */
const restMillis = 2
/** The longest attempt, and the time to store its end. */
const leaseSeconds = 40
/** Endpoints of one transaction. */
const endpointsMax = 200

export class WebhookSender extends Context.Service<WebhookSender, {
  /** Looks for due deliveries soon. */
  readonly wake: () => void
}>()("@countersign/hub/webhook-endpoints/WebhookSender") {
  static readonly layer = Layer.effect(
    WebhookSender,
    Effect.gen(function*() {
      const queue = yield* WebhookQueueRepository
      const attempts = yield* WebhookAttempts
      const disabling = yield* WebhookDisabling
      const readiness = yield* Readiness
      const db = yield* Db
      const scope = yield* Effect.scope
      const context = yield* Effect.context<never>()
      const count = counting(webhookAttempts, context)
      const time = timing(webhookDuration, context)
      const wakeUps = yield* Queue.sliding<void>(1)
      const wake = () => void Queue.offerUnsafe(wakeUps, undefined)
      /** Ends that are not stored yet. */
      const ended: Array<EndedAttempt> = []
      let inProgress = 0
      let wasBusy = false
      const setInProgress = (change: number) => {
        inProgress += change
        webhooksInProgress.updateUnsafe(inProgress, context)
      }

      const claim = Effect.gen(function*() {
        let room = hubAttemptsMax - inProgress
        if (room <= 0 || readiness.phase() === "draining") return []
        const share = endpointShare(inProgress)
        const open = yield* queue.lockOpen(share, Math.min(room, endpointsMax))
        const rooms = open.flatMap(({ endpoint_id, in_progress }) => {
          const own = Math.min(share - in_progress, room)
          room -= own
          return own > 0 ? [{ endpoint_id, room: own }] : []
        })
        return rooms.length === 0 ? [] : yield* queue.claim(rooms, leaseSeconds)
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

      const send = (delivery: ClaimedDelivery) =>
        attempts.make(delivery).pipe(
          Effect.tap((end) =>
            Effect.sync(() => {
              ended.push(end)
              count({
                result: end.outcome === "delivered" ? "delivered" : end.status === null ? "unanswered" : "refused"
              })
              time(end.millis)
            })
          ),
          Effect.catchCause((cause) => Effect.logWarning(`the attempt of ${delivery.id} broke off`, cause)),
          Effect.ensuring(Effect.sync(() => {
            setInProgress(-1)
            wake()
          })),
          Effect.forkIn(scope)
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
        const ends = [...ended]
        const { claimed, failing } = yield* db.transaction(Effect.gen(function*() {
          yield* queue.byIndex
          const failing = yield* store(ends)
          return { failing, claimed: yield* claim }
        }))
        ended.splice(0, ends.length)
        wasBusy = ends.length > 0 || claimed.length > 0
        setInProgress(claimed.length)
        yield* Effect.forEach(claimed, send, { discard: true })
        yield* disable(failing, ends)
      })

      // The ends of a stopping hub, so that its deliveries are not made again.
      yield* Effect.addFinalizer(() => Effect.ignore(Effect.suspend(() => db.transaction(store([...ended])))))
      wake()
      yield* repeatRounds(
        readiness,
        "webhook attempts",
        restMillis,
        Effect.suspend(() => Effect.timeoutOption(Queue.take(wakeUps), wasBusy ? busyPollMillis : pollMillis)).pipe(
          Effect.andThen(round)
        )
      )

      return WebhookSender.of({ wake })
    })
  )
}

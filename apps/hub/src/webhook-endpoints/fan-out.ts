/**
 * Makes the deliveries of new events: each endpoint has a cursor in the log of its workspace, which advances in the
 * transaction that stores its deliveries. Any number of hubs run it side by side. Spec: reference/webhooks.md
 * "Deliveries".
 */
import { eventsOf } from "@countersign/domain/events"
import { newId } from "@countersign/domain/ids"
import { Clock, Context, Effect, Layer } from "effect"
import { type EntryRow, EventsRepository } from "../audit/events-repository.ts"
import { Readiness } from "../platform/readiness.ts"
import { backgroundTransactions, eachWorkspace, makeWakeUps, repeatRounds } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { type NewDelivery, type Reader, WebhookFanOutRepository } from "./fan-out-repository.ts"
import { factsOf, receives } from "./rules.ts"
import { WebhookSender } from "./sender.ts"

/** How often the log is read without a signal, in milliseconds. */
const pollMillis = 1_000
/** A pause between two reads: entries that arrive meanwhile are read together. */
const restMillis = 10
/** Entries times endpoints of one transaction, and the most entries. */
const rowsMax = 5_000
const entriesMax = 500
/** An endpoint with this many pending deliveries gets no others; its cursor waits. */
export const pendingMax = 10_000
/** How long such an endpoint is not looked at, in milliseconds. */
const waitingMillis = 5_000

export class WebhookFanOut extends Context.Service<WebhookFanOut, {
  /** Reads the logs to their ends; returns the number of deliveries that it stored. */
  readonly round: Effect.Effect<number>
  /** Starts a round soon, and follows new endpoints. */
  readonly wake: () => void
}>()("@countersign/hub/webhook-endpoints/WebhookFanOut") {
  static readonly layer = Layer.effect(
    WebhookFanOut,
    Effect.gen(function*() {
      const repository = yield* WebhookFanOutRepository
      const events = yield* EventsRepository
      const sender = yield* WebhookSender
      const readiness = yield* Readiness
      const signals = yield* Signals
      const { briefly } = yield* backgroundTransactions
      /** Workspaces whose signals wake this hub, and when they were read. */
      let followed: ReadonlySet<string> = new Set()
      let followedAt = 0
      /** Endpoints with too many pending deliveries, and until when they wait. */
      const waiting = new Map<string, number>()

      const deliveriesOf = (org: string, readers: ReadonlyArray<Reader>, entries: ReadonlyArray<EntryRow>) =>
        entries.flatMap((entry): ReadonlyArray<NewDelivery> =>
          eventsOf(org, entry).flatMap((event) =>
            readers.filter(({ types }) => receives(types, event.type)).map(({ endpoint_id }) => ({
              ...factsOf(org, event, entry.created_at),
              id: newId("dlv"),
              endpoint_id
            }))
          )
        )

      /** One page of the log for the readers at one position. */
      const advance = Effect.fnUntraced(function*(org: string, readers: ReadonlyArray<Reader>, seq: number) {
        const limit = Math.max(1, Math.min(entriesMax, Math.floor(rowsMax / readers.length)))
        const entries = yield* events.entries(org, seq, limit)
        const last = entries.at(-1)?.seq
        if (last === undefined) return { stored: 0, more: false }
        const deliveries = deliveriesOf(org, readers, entries)
        if (deliveries.length > 0) yield* repository.insert(org, deliveries)
        yield* repository.advance(org, readers.map(({ endpoint_id }) => endpoint_id), last)
        return { stored: deliveries.length, more: entries.length === limit }
      })

      const batch = (org: string, now: number) =>
        briefly(Effect.gen(function*() {
          const readers = yield* repository.lock(org, [...waiting.keys()], pendingMax)
          for (const { endpoint_id, is_full } of readers) if (is_full) waiting.set(endpoint_id, now + waitingMillis)
          const ready = readers.filter(({ is_full }) => !is_full)
          let stored = 0
          let more = false
          // A replay reads from its own position, so that it delays no other endpoint.
          for (const [seq, group] of Map.groupBy(ready, (reader) => reader.seq)) {
            const page = yield* advance(org, group, seq)
            stored += page.stored
            more ||= page.more
          }
          return { stored, more }
        }))

      const readWorkspace = Effect.fnUntraced(function*(org: string, now: number) {
        let total = 0
        for (;;) {
          const { more, stored } = yield* batch(org, now)
          total += stored
          if (stored > 0) sender.wake()
          if (!more) return total
        }
      })

      const round = Effect.gen(function*() {
        if (readiness.phase() === "draining") return 0
        const now = yield* Clock.currentTimeMillis
        for (const [id, until] of waiting) if (until <= now) waiting.delete(id)
        let total = 0
        const behind = yield* repository.behind([...waiting.keys()])
        yield* eachWorkspace(
          "webhook deliveries",
          behind.map((org_id) => ({ org_id })),
          ({ org_id }) => Effect.map(readWorkspace(org_id, now), (stored) => void (total += stored))
        )
        return total
      })

      const follow = Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        if (now - followedAt < pollMillis) return
        followed = new Set(yield* repository.followed)
        followedAt = now
      })

      const { wait, wake } = yield* makeWakeUps(
        signals,
        (signal) => signal.kind === "resync" || signal.kind === "log" && followed.has(signal.org)
      )
      wake()
      yield* repeatRounds(
        readiness,
        "webhook deliveries",
        restMillis,
        wait.pipe(
          Effect.timeoutOption(pollMillis),
          Effect.andThen(follow),
          Effect.andThen(round)
        )
      )

      return WebhookFanOut.of({
        round,
        wake: () => {
          followedAt = 0
          wake()
        }
      })
    })
  )
}

/**
 * Makes the deliveries of new events: each endpoint has a cursor in the log of its workspace, which advances in the
 * transaction that stores its deliveries. Any number of hubs run it side by side. Spec: reference/webhooks.md
 * "Deliveries".
 */
import { eventsOf } from "@countersign/domain/events"
import { newId, type OrgId } from "@countersign/domain/ids"
import { Clock, Context, Effect, Layer } from "effect"
import { type EntryRow, EventsRepository } from "../audit/events-repository.ts"
import { DueWork } from "../platform/due-work.ts"
import { Readiness } from "../platform/readiness.ts"
import { backgroundTransactions, eachWorkspace, makeWakeUps, repeatRounds } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { behindEndpoints, type NewDelivery, type Reader, WebhookFanOutRepository } from "./fan-out-repository.ts"
import { factsOf, receives } from "./rules.ts"
import { WebhookSender } from "./sender.ts"

/** How often the log is read without a signal, in milliseconds. */
const pollMillis = 1_000
/** A pause between two reads: entries that arrive meanwhile are read together. */
const restMillis = 20
/** Entries times endpoints of one transaction, and the most entries. */
const rowsMax = 5_000
const entriesMax = 500
/** An endpoint with this many pending deliveries gets no others; its cursor waits. */
export const pendingMax = 10_000
/** How long a count of pending deliveries is used, in milliseconds: counting takes as long as reading them. */
const countedMillis = 5_000

/** Deliveries that an endpoint may get until it is counted again. */
interface Quota {
  left: number
  readonly until: number
}

export class WebhookFanOut extends Context.Service<WebhookFanOut, {
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
      const dueWork = yield* DueWork
      const signals = yield* Signals
      const { briefly } = yield* backgroundTransactions
      /** Workspaces whose signals wake this hub, and when they were read. */
      let followed: ReadonlySet<string> = new Set()
      let followedAt = 0
      const { wait, wake } = yield* makeWakeUps(
        signals,
        (signal) => signal.kind === "resync" || signal.kind === "log" && followed.has(signal.org)
      )
      const quotas = new Map<string, Quota>()
      /** Endpoints with too many pending deliveries. */
      const waiting = () => [...quotas].flatMap(([id, { left }]) => (left <= 0 ? [id] : []))

      const deliveriesOf = (org: OrgId, readers: ReadonlyArray<Reader>, entries: ReadonlyArray<EntryRow>) =>
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
      const advance = Effect.fnUntraced(function*(org: OrgId, readers: ReadonlyArray<Reader>, seq: number) {
        const limit = Math.max(1, Math.min(entriesMax, Math.floor(rowsMax / readers.length)))
        const entries = yield* events.entries(org, seq, limit)
        const last = entries.at(-1)?.seq
        if (last === undefined) return { read: 0, stored: 0, more: false }
        const deliveries = deliveriesOf(org, readers, entries)
        if (deliveries.length > 0) yield* repository.insert(org, deliveries)
        for (const { endpoint_id } of deliveries) {
          const quota = quotas.get(endpoint_id)
          if (quota !== undefined) quota.left--
        }
        yield* repository.advance(org, readers.map(({ endpoint_id }) => endpoint_id), last)
        return {
          read: entries.length * readers.length,
          stored: deliveries.length,
          more: entries.length === limit
        }
      })

      /** The readers that may get deliveries. */
      const withQuota = Effect.fnUntraced(function*(org: OrgId, readers: ReadonlyArray<Reader>, now: number) {
        const uncounted = readers.flatMap(({ endpoint_id }) => (quotas.has(endpoint_id) ? [] : [endpoint_id]))
        if (uncounted.length > 0) {
          for (const { endpoint_id, pending } of yield* repository.pending(org, uncounted, pendingMax)) {
            quotas.set(endpoint_id, { left: pendingMax - pending, until: now + countedMillis })
          }
        }
        return readers.filter(({ endpoint_id }) => (quotas.get(endpoint_id)?.left ?? 0) > 0)
      })

      const batch = (org: OrgId, now: number) =>
        briefly(Effect.gen(function*() {
          const ready = yield* withQuota(org, yield* repository.lock(org, waiting()), now)
          let read = 0
          let stored = 0
          let more = false
          // A replay reads from its own position, after those with new events, so that it delays no other endpoint.
          for (const [seq, group] of [...Map.groupBy(ready, (reader) => reader.seq)].sort(([a], [b]) => b - a)) {
            if (read >= rowsMax) return { stored, more: true }
            const page = yield* advance(org, group, seq)
            read += page.read
            stored += page.stored
            more ||= page.more
          }
          return { stored, more }
        }))

      /** One page of each workspace: the next round reads on, so that a long replay delays no other workspace. */
      const round = Effect.gen(function*() {
        if (readiness.phase() === "draining") return
        const now = yield* Clock.currentTimeMillis
        for (const [id, { until }] of quotas) if (until <= now) quotas.delete(id)
        const behind = yield* repository.behind(waiting())
        yield* eachWorkspace(
          "webhook deliveries",
          behind.map((org_id) => ({ org_id })),
          ({ org_id }) =>
            Effect.map(batch(org_id, now), ({ more, stored }) => {
              if (stored > 0) sender.wake()
              if (more) wake()
            })
        )
      })

      const follow = Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        if (now - followedAt < pollMillis) return
        followed = new Set(yield* repository.followed)
        followedAt = now
      })

      yield* repeatRounds(
        readiness,
        "webhook deliveries",
        restMillis,
        Effect.andThen(follow, round),
        Effect.raceFirst(wait, dueWork.wait(behindEndpoints))
      )

      return WebhookFanOut.of({
        wake: () => {
          followedAt = 0
          wake()
        }
      })
    })
  )
}

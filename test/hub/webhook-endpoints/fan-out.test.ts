/** How the logs of several workspaces are read side by side. */
import type { OrgId } from "@countersign/domain/ids"
import { type EntryRow, EventsRepository } from "@countersign/hub/audit/events-repository"
import { Db } from "@countersign/hub/platform/db"
import { DueWork } from "@countersign/hub/platform/due-work"
import { OrgHeads } from "@countersign/hub/platform/org-heads"
import { Readiness } from "@countersign/hub/platform/readiness"
import { Signals } from "@countersign/hub/platform/signals"
import { WebhookFanOut } from "@countersign/hub/webhook-endpoints/fan-out"
import { WebhookFanOutRepository } from "@countersign/hub/webhook-endpoints/fan-out-repository"
import { WebhookSender } from "@countersign/hub/webhook-endpoints/sender"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"

const replaying = "org_replaying"
const other = "org_other"
const pages = 50

const entry = (seq: number): EntryRow => ({
  id: `aud_${seq}`,
  seq,
  action: "test.read",
  subject_type: "test",
  subject_id: "test",
  agent_id: null,
  cost_cents: null,
  approval_id: null,
  service_request_id: null,
  created_at: new Date(0),
  owner_user_id: null,
  team_id: null
})

const nothing = () => {}
const Platform = Layer.mergeAll(
  Readiness.layerOf("serving"),
  Layer.mock(DueWork, { wait: () => Effect.never }),
  Layer.mock(Signals, {
    log: nothing,
    config: nothing,
    object: nothing,
    stop: nothing,
    stopped: () => false,
    subscribe: () => nothing,
    subscribeTo: () => nothing
  }),
  Layer.mock(OrgHeads, { waitBriefly: Effect.void }),
  Layer.mock(Db, { transaction: (effect) => effect }),
  Layer.mock(WebhookSender, { wake: nothing, changed: nothing })
)

describe("deliveries", () => {
  it.live("of a workspace are made between two pages of another one's replay", () =>
    Effect.gen(function*() {
      const isRead = yield* Deferred.make<void>()
      const read: Array<string> = []
      /** Pages that are left. The other workspace gets its event while the third page is read. */
      const left = new Map<OrgId, number>([[replaying, pages]])
      const Repository = Layer.mock(WebhookFanOutRepository, {
        followed: Effect.succeed([replaying, other]),
        behind: () => Effect.sync(() => [...left].flatMap(([org, count]) => (count > 0 ? [org] : []))),
        lock: (org) => Effect.succeed([{ endpoint_id: `whk_${org}`, types: ["payment.updated"], seq: 0 }]),
        pending: (_org, endpoints) => Effect.succeed(endpoints.map((endpoint_id) => ({ endpoint_id, pending: 0 }))),
        advance: () => Effect.void
      })
      const Events = Layer.mock(EventsRepository, {
        entries: (org, _seq, limit) =>
          Effect.sync(() => {
            read.push(org)
            left.set(org, (left.get(org) ?? 0) - 1)
            if (read.length === 3) left.set(other, 1)
            if (org === other) Deferred.doneUnsafe(isRead, Effect.void)
            const isFull = org === replaying && (left.get(org) ?? 0) > 0
            return Array.from({ length: isFull ? limit : 1 }, (_, at) => entry(at + 1))
          })
      })
      yield* Effect.andThen(WebhookFanOut, Deferred.await(isRead)).pipe(
        Effect.provide(WebhookFanOut.layer.pipe(Layer.provide([Repository, Events]), Layer.provide(Platform)))
      )
      assert.isAtMost(read.indexOf(other), 4)
    }))
})

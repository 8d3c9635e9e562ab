/** The hub's key for push services, and the browsers of people. Spec: reference/notices.md "Browsers". */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, invalidField, notFound } from "@countersign/domain/errors"
import { pushSubscriptionsMax } from "@countersign/domain/notice-events"
import { type CreatePushSubscription, type PushKey, type PushSubscription } from "@countersign/domain/notifications"
import { Context, Effect, Layer, Redacted } from "effect"
import { createHash } from "node:crypto"
import { Settings } from "../config.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import type { PageOf } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { MasterKey } from "../platform/master-key.ts"
import { open, seal } from "../platform/sealed.ts"
import { parseAllowList, urlProblem } from "../providers/egress-rules.ts"
import { type BrowserKeys, keysProblem, newVapidKeys, type VapidKeys } from "./push-crypto.ts"
import { newSubscriptionId, PushRepository, type SubscriptionRow } from "./push-repository.ts"

/** A browser's address at its push service, and its keys. */
export interface Endpoint {
  readonly url: string
  readonly keys: BrowserKeys
}

const keyPlace = ["push key"]
const endpointPlace = (id: string): ReadonlyArray<string> => ["push subscription", id]
const userAgentMax = 400

export class Push extends Context.Service<Push, {
  readonly key: Effect.Effect<PushKey>
  readonly vapid: Effect.Effect<VapidKeys>
  readonly endpointOf: (id: string, sealed: Uint8Array) => Endpoint
  readonly list: (user: UserPrincipal) => Effect.Effect<PageOf<PushSubscription>>
  readonly subscribe: (
    user: UserPrincipal,
    input: CreatePushSubscription,
    userAgent: string | undefined
  ) => Effect.Effect<PushSubscription, ApiError>
  readonly unsubscribe: (user: UserPrincipal, id: string) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/notices/Push") {
  static readonly layer = Layer.effect(
    Push,
    Effect.gen(function*() {
      const repository = yield* PushRepository
      const audit = yield* AuditLog
      const db = yield* Db
      const { egressAllow } = yield* Settings
      const { entries: allow } = parseAllowList(egressAllow.join(","))
      const key = Redacted.value((yield* MasterKey).key)

      const vapid = Effect.gen(function*() {
        const stored = yield* repository.key
        if (stored !== undefined) {
          return { publicKey: stored.public_key, privateKey: open(key, stored.sealed, keyPlace) }
        }
        const made = newVapidKeys()
        yield* repository.addKey(made.publicKey, seal(key, made.privateKey, keyPlace))
        // Another hub may have been first.
        const kept = (yield* repository.key)!
        return { publicKey: kept.public_key, privateKey: open(key, kept.sealed, keyPlace) }
      })
      const known = yield* Effect.cached(vapid)

      const endpointOf = (id: string, sealed: Uint8Array): Endpoint =>
        JSON.parse(open(key, sealed, endpointPlace(id))) as Endpoint

      const shown = (user: UserPrincipal, row: SubscriptionRow): PushSubscription => ({
        id: row.id,
        ...row.user_agent === null ? {} : { user_agent: row.user_agent },
        service: new URL(endpointOf(row.id, row.sealed).url).origin,
        current: user.via.kind === "session" && user.via.session_id === row.session_id,
        created_at: row.created_at.toISOString(),
        ...row.last_used_at === null ? {} : { last_used_at: row.last_used_at.toISOString() }
      })

      return Push.of({
        key: Effect.map(known, ({ publicKey }) => ({ public_key: publicKey })),
        vapid: known,
        endpointOf,
        list: Effect.fn("Push.list")(function*(user) {
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* repository.list(user.user_id)
          return { data: rows.map((row) => shown(user, row)), next_cursor: null, as_of }
        }),
        subscribe: Effect.fn("Push.subscribe")(function*(user, { endpoint, keys }, userAgent) {
          const problem = urlProblem(endpoint, { allow })
          if (problem !== undefined) return yield* Effect.fail(invalidField("endpoint", problem))
          const unusable = keysProblem(keys)
          if (unusable !== undefined) return yield* Effect.fail(invalidField(unusable.path, unusable.problem))
          if (user.via.kind !== "session") return yield* Effect.die("only a session subscribes a browser")
          const id = newSubscriptionId()
          const { auth, p256dh } = keys
          yield* repository.replace({
            id,
            user: user.user_id,
            session: user.via.session_id,
            endpointHash: createHash("sha256").update(endpoint).digest(),
            sealed: seal(
              key,
              JSON.stringify({ url: endpoint, keys: { auth, p256dh } } satisfies Endpoint),
              endpointPlace(id)
            ),
            userAgent: userAgent?.slice(0, userAgentMax) ?? null
          }, pushSubscriptionsMax)
          yield* audit.record(user.org_id, actorOf(user), {
            action: "push_subscription.created",
            subject: { type: "push_subscription", id },
            data: { service: new URL(endpoint).origin }
          })
          return shown(user, (yield* repository.find(user.user_id, id))!)
        }, db.transaction),
        unsubscribe: Effect.fn("Push.unsubscribe")(function*(user, id) {
          if (!(yield* repository.remove(user.user_id, id))) return yield* Effect.fail(notFound("subscription"))
          yield* audit.record(user.org_id, actorOf(user), {
            action: "push_subscription.deleted",
            subject: { type: "push_subscription", id }
          })
        }, db.transaction)
      })
    })
  )
}

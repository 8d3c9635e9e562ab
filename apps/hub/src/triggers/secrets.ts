/**
 * The signing secrets of webhooks, opened for the check of a delivery and cached in memory: a flood of wrongly signed
 * calls does not reach the database.
 */
import { type RateLimited, rateLimited } from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { LRUCache } from "lru-cache"
import { Settings } from "../config.ts"
import { addressKey, makeRateLimiter, takeFrom } from "../edge/rate-limit.ts"
import { onStale } from "../platform/cache.ts"
import { MasterKey } from "../platform/master-key.ts"
import { open, seal } from "../platform/sealed.ts"
import { Signals } from "../platform/signals.ts"
import { TriggersRepository } from "./repository.ts"

/** Another hub's rotation is seen after this time even if its signal is lost. */
const keptMillis = 5_000
const keptMax = 10_000

interface Kept {
  readonly org: OrgId
  readonly secret: string
  readonly previous: string | null
  readonly previousUntil: number
  readonly requireTimestamp: boolean
}

export interface TriggerKeys {
  readonly org: OrgId
  /** Each of them signs. */
  readonly keys: ReadonlyArray<string>
  readonly requireTimestamp: boolean
}

const place = (org: OrgId, trigger: string) => [org, "trigger", trigger]

export class TriggerSecrets extends Context.Service<TriggerSecrets, {
  /** None for an unknown trigger. 429 for an address that asks for too many triggers that are not in memory. */
  readonly find: (
    trigger: string,
    address: string,
    now: number
  ) => Effect.Effect<Option.Option<TriggerKeys>, RateLimited>
  readonly seal: (org: OrgId, trigger: string, secret: string) => Uint8Array
}>()("@countersign/hub/triggers/TriggerSecrets") {
  static readonly layer = Layer.effect(
    TriggerSecrets,
    Effect.gen(function*() {
      const { rateLimit } = yield* Settings
      const triggers = yield* TriggersRepository
      const { key } = yield* MasterKey
      const signals = yield* Signals
      const limiter = makeRateLimiter("hook", rateLimit.hook)
      const kept = new LRUCache<string, Kept>({ max: keptMax, ttl: keptMillis })
      /** Raised by every signal: a secret read before a signal is not cached after it. */
      let generation = 0
      const stop = onStale(signals, (org) => {
        generation++
        const entries = [...kept.entries()]
        for (const [id, value] of entries) if (org === undefined || value.org === org) kept.delete(id)
      })
      yield* Effect.addFinalizer(() => Effect.sync(stop))

      const read = Effect.fnUntraced(function*(id: string) {
        const before = generation
        const found = yield* triggers.webhook(id)
        return Option.map(found, (row): Kept => {
          const opened = (sealed: Uint8Array) => open(Redacted.value(key), sealed, place(row.org_id, id))
          const value = {
            org: row.org_id,
            secret: opened(row.secret),
            previous: row.previous_secret === null ? null : opened(row.previous_secret),
            previousUntil: row.previous_until?.getTime() ?? 0,
            requireTimestamp: row.require_timestamp
          }
          if (before === generation) kept.set(id, value)
          return value
        })
      })

      return TriggerSecrets.of({
        seal: (org, trigger, secret) => seal(Redacted.value(key), secret, place(org, trigger)),
        find: Effect.fnUntraced(function*(id, address, now) {
          const known = kept.get(id)
          if (known === undefined) {
            const taken = takeFrom(limiter, addressKey(address))
            if (!taken.allowed) return yield* Effect.fail(rateLimited(taken.resetSeconds))
          }
          const found = known === undefined ? yield* read(id) : Option.some(known)
          // A trigger that exists does not use up the limit of its sender's address.
          if (known === undefined && Option.isSome(found)) limiter?.giveBack(addressKey(address))
          return Option.map(found, ({ org, previous, previousUntil, requireTimestamp, secret }) => ({
            org,
            keys: previous !== null && previousUntil > now ? [secret, previous] : [secret],
            requireTimestamp
          }))
        })
      })
    })
  )
}

/**
 * The secrets that sign callbacks, cached in memory: a flood of unsigned callbacks does not reach the database. The
 * `async.secret` of a service's operations names the workspace's secret that signs its callbacks.
 */
import { type RateLimited, rateLimited } from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import type { OperationDefinition, ServiceDefinition } from "@countersign/domain/services"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Settings } from "../../config.ts"
import { addressKey, makeRateLimiter, takeFrom } from "../../edge/rate-limit.ts"
import { onStale } from "../../platform/cache.ts"
import { Signals } from "../../platform/signals.ts"
import { Secrets } from "../../secrets/service.ts"
import { Configuration } from "../decision/configuration.ts"
import { RequestsRepository } from "../requests/repository.ts"

/** Bounds how long another hub's change goes unnoticed when its signal is lost. */
const freshMillis = 5_000
const entriesMax = 10_000

export interface HookKeys {
  readonly keys: ReadonlyArray<string>
  readonly operations: ReadonlyArray<OperationDefinition>
}

const none: HookKeys = { keys: [], operations: [] }

export const asyncOperations = (definition: ServiceDefinition | undefined): ReadonlyArray<OperationDefinition> =>
  ((definition?.operations ?? []) as ReadonlyArray<OperationDefinition>).filter((operation) =>
    "async" in operation && operation.async !== undefined
  )

const secretNames = (operations: ReadonlyArray<OperationDefinition>): ReadonlyArray<string> => [
  ...new Set(
    operations.flatMap((operation) =>
      "async" in operation && operation.async?.secret !== undefined ? [operation.async.secret] : []
    )
  )
]

interface Entry {
  readonly found: HookKeys
  readonly until: number
}

export class HookSecrets extends Context.Service<HookSecrets, {
  /**
   * No keys when the workspace, the service, or its secret does not exist. 429 for an address that requests too many
   * hooks that are not in memory; a hook that had keys before is read again without that limit.
   */
  readonly find: (org: OrgId, provider: string, address: string) => Effect.Effect<HookKeys, RateLimited>
}>()("@countersign/hub/dispatch/recovery/HookSecrets") {
  static readonly layer = Layer.effect(
    HookSecrets,
    Effect.gen(function*() {
      const { rateLimit } = yield* Settings
      const secrets = yield* Secrets
      const configuration = yield* Configuration
      const repository = yield* RequestsRepository
      const signals = yield* Signals
      const limiter = makeRateLimiter("hook", rateLimit.hook)
      const entries = new Map<string, Entry>()
      const reads = new Map<string, Promise<HookKeys>>()
      const run = Effect.runPromiseWith(yield* Effect.context<never>())
      /**
       * Incremented by every change: the result of a read that began before a change is used once and counts as old.
       */
      let generation = 0
      const stop = onStale(signals, (org) => {
        generation++
        for (const [place, { found }] of entries) {
          if (org === undefined || place.startsWith(`${org} `)) entries.set(place, { found, until: 0 })
        }
      })
      yield* Effect.addFinalizer(() => Effect.sync(stop))

      const load = Effect.fnUntraced(function*(org: OrgId, provider: string): Effect.fn.Return<HookKeys> {
        if (!(yield* repository.orgExists(org))) return none
        const service = (yield* Effect.promise(() => configuration.org(org))).services.get(provider)
        const operations = asyncOperations(service?.definition)
        const values = yield* Effect.forEach(secretNames(operations), (name) => secrets.valueOf(org, name))
        return {
          operations,
          keys: values.flatMap((value) => Option.isSome(value) ? [Redacted.value(value.value)] : [])
        }
      })

      /** Evicts hooks without keys first, because anyone can request those. */
      const makeRoom = () => {
        let dropped: string | undefined
        let compared = 0
        for (const [place, { found }] of entries) {
          dropped ??= place
          if (found.keys.length === 0) {
            dropped = place
            break
          }
          if (++compared >= 32) break
        }
        if (dropped !== undefined) entries.delete(dropped)
      }

      const read = (org: OrgId, provider: string, place: string): Promise<HookKeys> => {
        const under = reads.get(place)
        if (under !== undefined) return under
        const before = generation
        const reading = run(load(org, provider)).then((found) => {
          entries.delete(place)
          if (entries.size >= entriesMax) makeRoom()
          entries.set(place, { found, until: before === generation ? performance.now() + freshMillis : 0 })
          return found
        }).finally(() => reads.delete(place))
        reads.set(place, reading)
        return reading
      }

      return HookSecrets.of({
        find: (org, provider, address) =>
          Effect.suspend(() => {
            const place = `${org} ${provider}`
            const entry = entries.get(place)
            if (entry !== undefined && entry.until > performance.now()) return Effect.succeed(entry.found)
            if (entry === undefined || entry.found.keys.length === 0) {
              const taken = takeFrom(limiter, addressKey(address))
              if (!taken.allowed) return Effect.fail(rateLimited(taken.resetSeconds))
            }
            return Effect.promise(() => read(org, provider, place))
          })
      })
    })
  )
}

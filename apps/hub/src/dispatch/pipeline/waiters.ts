/**
 * Callers that wait for a request to change: released at once when this hub settles it; one query for all of them finds
 * the changes of other hubs.
 */
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { DatabasePatience } from "../../platform/patience.ts"
import { Signals } from "../../platform/signals.ts"
import { RequestsRepository } from "../requests/repository.ts"

const lookMillis = 200

export interface Waiters {
  /**
   * Rejects when the database is unavailable. Resolves true when the request changed, false when the time is up or this
   * hub stops.
   */
  readonly wait: (org: OrgId, id: ServiceRequestId, millis: number) => Promise<boolean>
  /** This hub settled, parked or closed it. */
  readonly moved: (id: ServiceRequestId) => void
  /** Releases all callers and accepts no new ones. */
  readonly stop: () => void
}

const makeWaiters = (
  look: (
    asked: ReadonlyArray<{ readonly org: OrgId; readonly id: ServiceRequestId }>
  ) => Promise<ReadonlySet<ServiceRequestId>>,
  awayMillis: number
): Waiters => {
  type Result = { readonly moved: boolean } | { readonly failure: unknown }
  const waiting = new Map<
    ServiceRequestId,
    { readonly org: OrgId; readonly listeners: Set<(result: Result) => void> }
  >()
  let lookedAt = 0
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const moved = (id: ServiceRequestId) => {
    const entry = waiting.get(id)
    if (entry === undefined) return
    waiting.delete(id)
    for (const listener of entry.listeners) listener({ moved: true })
  }
  const release = (result: Result) => {
    for (const { listeners } of waiting.values()) for (const listener of listeners) listener(result)
  }
  const round = async () => {
    const asked = [...waiting].map(([id, { org }]) => ({ org, id }))
    if (asked.length > 0) {
      try {
        for (const id of await look(asked)) moved(id)
        lookedAt = performance.now()
      } catch (failure) {
        // The next round replaces a lost connection; when the database stays unavailable, the callers get the failure.
        if (performance.now() - lookedAt > awayMillis) release({ failure })
      }
    }
    timer = waiting.size > 0 && !stopped ? setTimeout(round, lookMillis) : undefined
  }
  return {
    moved,
    stop: () => {
      stopped = true
      clearTimeout(timer)
      release({ moved: false })
    },
    wait: (org, id, millis) =>
      new Promise((resolve, reject) => {
        if (stopped) return resolve(false)
        const entry = waiting.get(id) ?? { org, listeners: new Set<(result: Result) => void>() }
        waiting.set(id, entry)
        const finish = (result: Result) => {
          clearTimeout(limit)
          entry.listeners.delete(finish)
          if (entry.listeners.size === 0 && waiting.get(id) === entry) waiting.delete(id)
          if ("failure" in result) reject(result.failure)
          else resolve(result.moved)
        }
        const limit = setTimeout(() => finish({ moved: false }), millis)
        entry.listeners.add(finish)
        if (timer !== undefined) return
        lookedAt = performance.now()
        timer = setTimeout(round, lookMillis)
      })
  }
}

/** The waiters of this hub; they are released when it stops. */
export class RequestWaiters extends Context.Service<
  RequestWaiters,
  Omit<Waiters, "stop"> & {
    /** Calls back with every request that this hub settles, parks, or closes; returns the function that unsubscribes. */
    readonly subscribe: (listener: (id: ServiceRequestId) => void) => () => void
  }
>()(
  "@countersign/hub/dispatch/pipeline/RequestWaiters"
) {
  static readonly layer = Layer.effect(
    RequestWaiters,
    Effect.gen(function*() {
      const repository = yield* RequestsRepository
      const { statementMillis } = yield* DatabasePatience
      const signals = yield* Signals
      const run = Effect.runPromiseWith(yield* Effect.context<never>())
      const waiters = makeWaiters((asked) => run(repository.settled(asked)), statementMillis / 2)
      const unsubscribe = signals.subscribe(({ kind }) => {
        if (kind === "stop") waiters.stop()
      })
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          unsubscribe()
          waiters.stop()
        })
      )
      const listeners = new Set<(id: ServiceRequestId) => void>()
      return RequestWaiters.of({
        ...waiters,
        moved: (id) => {
          waiters.moved(id)
          for (const listener of listeners) listener(id)
        },
        subscribe: (listener) => {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        }
      })
    })
  )
}

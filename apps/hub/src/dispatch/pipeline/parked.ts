/**
 * Requests of this hub that begin to run at their provider. Their end may have been reported before: a callback that was
 * kept, or a command that a device has finished.
 */
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { Context, Effect, Layer, type Scope } from "effect"

export interface Parked {
  readonly org: OrgId
  readonly service: string
  readonly id: ServiceRequestId
  /** The provider's reference, if it gave one. */
  readonly ref: string | null
}

export class ParkedRequests extends Context.Service<ParkedRequests, {
  readonly publish: (parked: Parked) => void
  /** Starts `handle` for each request that is parked until the scope closes. */
  readonly each: (handle: (parked: Parked) => Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
}>()("@countersign/hub/dispatch/pipeline/ParkedRequests") {
  static readonly layer = Layer.sync(ParkedRequests, () => {
    const listeners = new Set<(parked: Parked) => void>()
    return ParkedRequests.of({
      publish: (parked) => {
        for (const listener of listeners) listener(parked)
      },
      each: Effect.fnUntraced(function*(handle) {
        const run = Effect.runForkWith(yield* Effect.context<never>())
        const listener = (parked: Parked) => void run(handle(parked))
        yield* Effect.acquireRelease(
          Effect.sync(() => void listeners.add(listener)),
          () => Effect.sync(() => void listeners.delete(listener))
        )
      })
    })
  })
}

/** The runs of a workflow that have not ended, for its deletion. */
import { Context, Effect, Layer } from "effect"
import type { Actor } from "../platform/audit-log.ts"

export class LiveRuns extends Context.Service<LiveRuns, {
  /** Runs in the caller's transaction, under the workspace's lock. */
  readonly count: (org: string, workflow: string) => Effect.Effect<number>
  /** Requests the cancellation of all of them, in the caller's transaction; they end after it. */
  readonly cancelAll: (org: string, workflow: string, actor: Actor) => Effect.Effect<void>
}>()("@countersign/hub/workflows/LiveRuns") {
  /** Of a hub that runs no workflows. */
  static readonly layerNone = Layer.succeed(
    LiveRuns,
    LiveRuns.of({ count: () => Effect.succeed(0), cancelAll: () => Effect.void })
  )
}

/** Effects inside of the hub: in one transaction with a check that this hub still owns the run. */
import { Context, Effect, Layer } from "effect"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { RunLost, type StepCall } from "./effects.ts"
import { RunsRepository } from "./repository.ts"

/** Runs under the workspace's lock. Dies with `RunLost` when another hub owns the run. */
export class Fence extends Context.Service<
  Fence,
  <A, E>(call: Pick<StepCall, "run" | "epoch">, work: (at: Date) => Effect.Effect<A, E>) => Effect.Effect<A, E>
>()("@countersign/hub/runs/Fence") {
  static readonly layer = Layer.effect(
    Fence,
    Effect.gen(function*() {
      const runs = yield* RunsRepository
      const heads = yield* OrgHeads
      const db = yield* Db
      return Fence.of(({ epoch, run }, work) =>
        db.transaction(Effect.gen(function*() {
          // In the order of a save that ends a run: the row, then the workspace.
          if (!(yield* runs.owns(run.org, run.id, epoch))) return yield* Effect.die(new RunLost())
          return yield* work(yield* heads.lock(run.org))
        }))
      )
    })
  )
}

/** Hands new runs to the engine. */
import { Effect, Layer } from "effect"
import { RunEngine } from "./engine.ts"
import { RunHandover } from "./handover.ts"
import { Versions } from "./versions.ts"

export const handoverLayer = Layer.effectDiscard(Effect.gen(function*() {
  const handover = yield* RunHandover
  const engine = yield* RunEngine
  const versions = yield* Versions
  const run = Effect.runForkWith(yield* Effect.context<never>())
  handover.attach({
    owner: engine.ownerOfNew,
    first: engine.first,
    nudge: engine.nudge,
    receive: (owned) =>
      void run(
        Effect.flatMap(versions.find(owned.run.org, owned.run.version), (version) =>
          Effect.sync(() => version === undefined ? undefined : engine.adopt(owned, version)))
      )
  })
}))

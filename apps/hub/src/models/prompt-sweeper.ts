/** Deletes prompts whose approval can no longer be pending. Several hubs may run it at once. */
import { Context, Effect, Layer } from "effect"
import { Readiness } from "../platform/readiness.ts"
import { repeatRounds } from "../platform/rounds.ts"
import { PromptsRepository } from "./prompts-repository.ts"

const roundMillis = 60_000
const batchMax = 500

export class PromptSweeper extends Context.Service<PromptSweeper, {
  /** Returns the number of deleted prompts. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/models/PromptSweeper") {
  static readonly layer = Layer.effect(
    PromptSweeper,
    Effect.gen(function*() {
      const prompts = yield* PromptsRepository
      const round = prompts.removeEnded(batchMax)
      yield* repeatRounds(yield* Readiness, "model prompts", roundMillis, round)
      return PromptSweeper.of({ round })
    })
  )
}

/** Prompts of model calls that require an approval: each is stored before its request can be approved. */
import { Context, Effect, Layer } from "effect"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import type { Submission } from "../dispatch/pipeline/submission.ts"
import { PromptsRepository } from "../models/prompts-repository.ts"
import type { CallContext } from "../providers/llm/context.ts"
import type { Prompt } from "../providers/model-prompt.ts"

/** An approval's prompt is kept a little longer than the approval. */
const promptSlackSeconds = 3_600

export class KeptPrompts extends Context.Service<KeptPrompts, {
  /** Stores the prompt of a submission if it will require an approval. Call it before the submission. */
  readonly keep: (submission: Submission, context: CallContext, prompt: Prompt) => Effect.Effect<void>
}>()("@countersign/hub/model-calls/KeptPrompts") {
  static readonly layer = Layer.effect(
    KeptPrompts,
    Effect.gen(function*() {
      const dispatch = yield* Dispatch
      const prompts = yield* PromptsRepository
      return KeptPrompts.of({
        keep: Effect.fnUntraced(function*(submission, { id }, prompt) {
          const { agent, org } = submission
          const decided = yield* dispatch.decisionOf({
            ...submission,
            script: submission.script,
            task: submission.task,
            isHubs: true
          })
          const decision = decided?.decision
          const wait = decision?.kind === "wait" || decision?.kind === "admit" ? decision.wait : undefined
          if (wait !== undefined) {
            yield* prompts.keep({ org, id, agent, prompt, lifeSeconds: wait.lifeSeconds + promptSlackSeconds })
          }
        })
      })
    })
  )
}

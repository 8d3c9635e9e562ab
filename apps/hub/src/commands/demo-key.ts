/** `hub demo-key`: issues a new key for the demo's agent; the old one ends. */
import { Effect, Layer, Option } from "effect"
import { AgentsRepository } from "../agents/repository.ts"
import { Settings } from "../config.ts"
import { tryLine } from "../demo/invitation.ts"
import { DemoRepository } from "../demo/repository.ts"
import { rotateDemoKey } from "../demo/rotation.ts"
import { CommandFailure } from "../failure.ts"
import { startCommand } from "../invocation.ts"
import { changesLayer } from "./database.ts"
import { print } from "./output.ts"

export const run = Effect.gen(function*() {
  const { publicUrl } = yield* Settings
  const key = yield* rotateDemoKey
  if (Option.isNone(key)) {
    return yield* new CommandFailure({
      message:
        `This hub has no workspace Demo, or its agent was deleted. HUB_DEMO=1 ${startCommand} creates it if there was none.`
    })
  }
  const { agentName, apiKey } = key.value
  yield* print(
    `The new key of ${agentName}, shown once. The old key is no longer valid:\n  ${tryLine(publicUrl.origin, apiKey)}`
  )
}).pipe(
  Effect.provide(Layer.mergeAll(AgentsRepository.layer, DemoRepository.layer).pipe(Layer.provideMerge(changesLayer)))
)

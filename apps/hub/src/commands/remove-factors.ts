/** `hub remove-factors`: for people who lost their second factors and their recovery codes. */
import { Effect, Layer } from "effect"
import { ChallengesRepository } from "../auth/challenges-repository.ts"
import { SessionsRepository, UsersRepository } from "../auth/repository.ts"
import { FactorRemoval } from "../factors/removal.ts"
import { FactorsRepository } from "../factors/repository.ts"
import { CommandFailure } from "../failure.ts"
import { WorkspacesRepository } from "../workspaces/repository.ts"
import { changesLayer } from "./database.ts"
import { print } from "./output.ts"

const FactorRemovalLive = FactorRemoval.layer.pipe(
  Layer.provide(
    Layer.mergeAll(
      ChallengesRepository.layer,
      FactorsRepository.layer,
      SessionsRepository.layer,
      UsersRepository.layer,
      WorkspacesRepository.layer
    )
  ),
  Layer.provide(changesLayer)
)

export const run = ({ email }: { readonly email: string }) =>
  Effect.gen(function*() {
    const nobody = new CommandFailure({ message: `No person has the email address ${email}.` })
    const removed = yield* Effect.flatMap(FactorRemoval, (factors) => factors.removeAll(email)).pipe(
      Effect.provide(FactorRemovalLive),
      Effect.catchTag("NotFound", () => Effect.fail(nobody))
    )
    yield* print(`${removed} second factors of ${email} are removed, and all of their sessions have ended.`)
  })

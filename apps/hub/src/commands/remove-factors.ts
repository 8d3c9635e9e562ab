/** `hub remove-factors`: for people who lost their second factors and their recovery codes. */
import { Effect, Layer } from "effect"
import { BreakGlassRepository } from "../auth/break-glass-repository.ts"
import { BreakGlass } from "../auth/break-glass.ts"
import { ChallengesRepository } from "../auth/challenges-repository.ts"
import { SessionsRepository, UsersRepository } from "../auth/repository.ts"
import { signInPolicyLayer } from "../auth/sign-in-policy.ts"
import { FactorRemoval } from "../factors/removal.ts"
import { FactorsRepository } from "../factors/repository.ts"
import { CommandFailure } from "../failure.ts"
import { WorkspacesRepository } from "../workspaces/repository.ts"
import { changesLayer } from "./database.ts"
import { print } from "./output.ts"

const FactorRemovalLive = FactorRemoval.layer.pipe(
  Layer.provide(BreakGlass.layer),
  Layer.provide(
    Layer.mergeAll(
      BreakGlassRepository.layer,
      ChallengesRepository.layer,
      FactorsRepository.layer,
      SessionsRepository.layer,
      signInPolicyLayer,
      UsersRepository.layer,
      WorkspacesRepository.layer
    )
  ),
  Layer.provide(changesLayer)
)

const nevertheless = "Nothing was changed. To remove the factors nevertheless, run the command with HUB_OIDC_ONLY=0."

export const run = ({ email }: { readonly email: string }) =>
  Effect.gen(function*() {
    const nobody = new CommandFailure({ message: `No person has the email address ${email}.` })
    const removed = yield* Effect.flatMap(FactorRemoval, (factors) => factors.removeAll(email)).pipe(
      Effect.provide(FactorRemovalLive),
      Effect.catchTags({
        NotFound: () => Effect.fail(nobody),
        Conflict: ({ error }) => Effect.fail(new CommandFailure({ message: `${error.message} ${nevertheless}` }))
      })
    )
    yield* print(`${removed} second factors of ${email} are removed, and all of their sessions have ended.`)
  })

import { HubApi } from "@countersign/domain/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SetupTokensRepository } from "../auth/repository.ts"

export const SetupHttp = HttpApiBuilder.group(
  HubApi,
  "setup",
  Effect.fn(function*(handlers) {
    const tokens = yield* SetupTokensRepository
    /** A hub that has an owner has one for ever: the last one can be neither removed nor demoted. */
    let owned = false
    return handlers.handleAll({
      state: Effect.fnUntraced(function*() {
        owned ||= yield* tokens.ownerExists
        return { needed: !owned }
      })
    })
  })
)

import { HubApi } from "@countersign/domain/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SetupTokensRepository } from "./repository.ts"

export const SetupHttp = HttpApiBuilder.group(
  HubApi,
  "setup",
  Effect.fn(function*(handlers) {
    const tokens = yield* SetupTokensRepository
    /** A hub with an owner always keeps one: the last one cannot be removed or demoted. */
    let owned = false
    return handlers.handleAll({
      state: Effect.fnUntraced(function*() {
        owned ||= yield* tokens.ownerExists
        return { needed: !owned }
      })
    })
  })
)

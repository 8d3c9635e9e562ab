import { HubApi } from "@countersign/domain/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { FirstOwner } from "./first-owner.ts"

export const SetupHttp = HttpApiBuilder.group(
  HubApi,
  "setup",
  Effect.fn(function*(handlers) {
    const owners = yield* FirstOwner
    return handlers.handleAll({ state: () => Effect.map(owners.isNeeded, (needed) => ({ needed })) })
  })
)

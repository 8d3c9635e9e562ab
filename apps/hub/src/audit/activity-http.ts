import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal } from "@countersign/domain/auth"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AgentActivity } from "./activity.ts"

export const ActivityHttp = HttpApiBuilder.group(
  HubApi,
  "activity",
  Effect.fn(function*(handlers) {
    const activity = yield* AgentActivity
    return handlers.handleAll({
      list: ({ params, query }) =>
        Effect.flatMap(CurrentPrincipal, (principal) => activity.list(principal, params.id, query))
    })
  })
)

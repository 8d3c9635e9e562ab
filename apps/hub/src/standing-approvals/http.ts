import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { StandingApprovals } from "./service.ts"

export const StandingApprovalsHttp = HttpApiBuilder.group(
  HubApi,
  "standing_approvals",
  Effect.fn(function*(handlers) {
    const standings = yield* StandingApprovals
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentUser, (user) => standings.list(user, query)),
      get: ({ params }) => Effect.flatMap(CurrentUser, (user) => standings.get(user, params.id)),
      withdraw: ({ params }) => Effect.flatMap(CurrentUser, (user) => standings.withdraw(user, params.id)),
      preview: ({ payload }) => Effect.flatMap(CurrentUser, (user) => standings.preview(user, payload))
    })
  })
)

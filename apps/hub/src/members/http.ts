import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Members } from "./service.ts"

export const MembersHttp = HttpApiBuilder.group(
  HubApi,
  "members",
  Effect.fn(function*(handlers) {
    const members = yield* Members
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentUser, (user) => members.list(user, query)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentUser, (user) => members.setRole(user, params.userId, payload.role)),
      holdings: ({ params }) => Effect.flatMap(CurrentUser, (user) => members.holdings(user, params.userId)),
      remove: ({ params, payload }) =>
        Effect.flatMap(CurrentUser, (user) => members.remove(user, params.userId, payload ?? {}))
    })
  })
)

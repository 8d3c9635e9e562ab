import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Find } from "./find.ts"

export const SearchHttp = HttpApiBuilder.group(
  HubApi,
  "search",
  Effect.fn(function*(handlers) {
    const { find } = yield* Find
    return handlers.handleAll({
      find: ({ query }) => Effect.flatMap(CurrentUser, (user) => Effect.map(find(user, query), (data) => ({ data })))
    })
  })
)

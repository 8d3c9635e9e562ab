import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { noStore } from "../edge/no-store.ts"
import { Tokens } from "./service.ts"

export const TokensHttp = HttpApiBuilder.group(
  HubApi,
  "tokens",
  Effect.fn(function*(handlers) {
    const tokens = yield* Tokens
    return handlers.handleAll({
      create: Effect.fn(function*({ payload }) {
        yield* noStore
        const minted = yield* tokens.mint(yield* CurrentUser, payload)
        return created(`/tokens/${minted.id}`, minted)
      }),
      list: ({ query }) => Effect.flatMap(CurrentUser, (user) => tokens.list(user, query)),
      get: ({ params }) => Effect.flatMap(CurrentUser, (user) => tokens.get(user, params.id)),
      update: ({ params, payload }) => Effect.flatMap(CurrentUser, (user) => tokens.update(user, params.id, payload)),
      revoke: ({ params }) => Effect.flatMap(CurrentUser, (user) => tokens.revoke(user, params.id))
    })
  })
)

import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Policies } from "./service.ts"

export const PoliciesHttp = HttpApiBuilder.group(
  HubApi,
  "policies",
  Effect.fn(function*(handlers) {
    const policies = yield* Policies
    return handlers.handleAll({
      list: ({ query }) => CurrentUser.use((user) => policies.list(user, query)),
      create: ({ payload }) =>
        CurrentUser.use((user) => policies.create(user, payload)).pipe(
          Effect.map((policy) => created(`/policies/${policy.id}`, policy))
        ),
      test: ({ payload }) => CurrentUser.use((user) => policies.test(user, payload)),
      get: ({ params }) => CurrentUser.use((user) => policies.get(user, params.id)),
      update: ({ params, payload }) => CurrentUser.use((user) => policies.update(user, params.id, payload)),
      remove: ({ params }) => CurrentUser.use((user) => policies.remove(user, params.id))
    })
  })
)

import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Bindings } from "./service.ts"

export const BindingsHttp = HttpApiBuilder.group(
  HubApi,
  "bindings",
  Effect.fn(function*(handlers) {
    const bindings = yield* Bindings
    return handlers.handleAll({
      put: ({ params, payload }) =>
        CurrentUser.use((user) => bindings.put(user, params.id, payload)).pipe(
          Effect.map(({ binding, isNew }) =>
            isNew ? created(`/agents/${params.id}/services/${binding.service}`, binding) : binding
          )
        ),
      disable: ({ params }) => CurrentUser.use((user) => bindings.disable(user, params.id, params.service))
    })
  })
)

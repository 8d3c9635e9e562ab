import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Secrets } from "./service.ts"

export const SecretsHttp = HttpApiBuilder.group(
  HubApi,
  "secrets",
  Effect.fn(function*(handlers) {
    const secrets = yield* Secrets
    return handlers.handleAll({
      list: ({ query }) => CurrentUser.use((user) => secrets.list(user, query)),
      put: ({ params, payload }) =>
        CurrentUser.use((user) => secrets.put(user, params.name, payload.value)).pipe(
          Effect.map(({ isNew, secret }) => isNew ? created(`/secrets/${secret.name}`, secret) : secret)
        ),
      remove: ({ params }) => CurrentUser.use((user) => secrets.remove(user, params.name))
    })
  })
)

import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { WebhookEndpoints } from "./service.ts"

export const WebhookEndpointsHttp = HttpApiBuilder.group(
  HubApi,
  "webhook_endpoints",
  Effect.fn(function*(handlers) {
    const endpoints = yield* WebhookEndpoints
    return handlers.handleAll({
      list: ({ query }) => CurrentUser.use((user) => endpoints.list(user, query)),
      create: ({ payload }) =>
        CurrentUser.use((user) => endpoints.create(user, payload)).pipe(
          Effect.map((endpoint) => created(`/webhook-endpoints/${endpoint.id}`, endpoint))
        ),
      get: ({ params }) => CurrentUser.use((user) => endpoints.get(user, params.id)),
      update: ({ params, payload }) => CurrentUser.use((user) => endpoints.update(user, params.id, payload)),
      remove: ({ params }) => CurrentUser.use((user) => endpoints.remove(user, params.id)),
      rotateSecret: ({ params, payload }) =>
        CurrentUser.use((user) => endpoints.rotateSecret(user, params.id, payload?.grace_seconds)),
      test: ({ params }) => CurrentUser.use((user) => endpoints.test(user, params.id)),
      replay: ({ params, payload }) => CurrentUser.use((user) => endpoints.replay(user, params.id, payload.since)),
      listDeliveries: ({ params, query }) =>
        CurrentUser.use((user) => endpoints.listDeliveries(user, params.id, query)),
      redeliver: ({ params }) => CurrentUser.use((user) => endpoints.redeliver(user, params.id, params.did))
    })
  })
)

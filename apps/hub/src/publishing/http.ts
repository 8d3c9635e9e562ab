import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Publishing } from "./service.ts"

export const PublishingHttp = HttpApiBuilder.group(
  HubApi,
  "publishing",
  Effect.fn(function*(handlers) {
    const publishing = yield* Publishing
    return handlers.handleAll({
      publishAgent: ({ params, payload }) =>
        CurrentUser.use((user) => publishing.publishAgent(user, params.id, payload)).pipe(
          Effect.map((request) => created(`/publish-requests/${request.id}`, request))
        ),
      listRequests: ({ query }) => CurrentUser.use((user) => publishing.requests(user, query)),
      getRequest: ({ params }) => CurrentUser.use((user) => publishing.request(user, params.id)),
      decide: ({ params, payload }) => CurrentUser.use((user) => publishing.decide(user, params.id, payload)),
      listPublications: ({ query }) => CurrentUser.use((user) => publishing.publications(user, query)),
      revoke: ({ params }) => CurrentUser.use((user) => publishing.revoke(user, params.id)),
      listings: ({ query }) => CurrentUser.use((user) => publishing.listings(user, query))
    })
  })
)

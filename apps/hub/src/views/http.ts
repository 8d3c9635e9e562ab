import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Views } from "./service.ts"

export const ViewsHttp = HttpApiBuilder.group(
  HubApi,
  "views",
  Effect.fn(function*(handlers) {
    const views = yield* Views
    return handlers.handleAll({
      list: ({ query }) => CurrentUser.use((user) => views.list(user, query)),
      create: ({ payload }) =>
        CurrentUser.use((user) => views.create(user, payload)).pipe(
          Effect.map((view) => created(`/views/${view.id}`, view))
        ),
      update: ({ params, payload }) => CurrentUser.use((user) => views.update(user, params.id, payload)),
      remove: ({ params }) => CurrentUser.use((user) => views.remove(user, params.id))
    })
  })
)

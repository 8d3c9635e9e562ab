import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Workspaces } from "./service.ts"

export const WorkspacesHttp = HttpApiBuilder.group(
  HubApi,
  "workspaces",
  Effect.fn(function*(handlers) {
    const workspaces = yield* Workspaces
    return handlers.handleAll({
      list: ({ query }) => Effect.flatMap(CurrentUser, (user) => workspaces.list(user, query)),
      create: Effect.fn(function*({ payload }) {
        const workspace = yield* workspaces.create(yield* CurrentUser, payload.name)
        return created(`/workspaces/${workspace.id}`, workspace)
      }),
      switch: ({ payload }) => Effect.flatMap(CurrentUser, (user) => workspaces.enter(user, payload.workspace_id)),
      get: ({ params }) => Effect.flatMap(CurrentUser, (user) => workspaces.get(user, params.id)),
      update: ({ params, payload }) =>
        Effect.flatMap(CurrentUser, (user) => workspaces.update(user, params.id, payload))
    })
  })
)

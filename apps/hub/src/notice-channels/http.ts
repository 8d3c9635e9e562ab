import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { NoticeChannels } from "./service.ts"

export const NoticeChannelsHttp = HttpApiBuilder.group(
  HubApi,
  "notice_channels",
  Effect.fn(function*(handlers) {
    const channels = yield* NoticeChannels
    return handlers.handleAll({
      list: ({ query }) => CurrentUser.use((user) => channels.list(user, query)),
      create: ({ payload }) =>
        CurrentUser.use((user) => channels.create(user, payload)).pipe(
          Effect.map((channel) => created(`/notice-channels/${channel.id}`, channel))
        ),
      get: ({ params }) => CurrentUser.use((user) => channels.get(user, params.id)),
      update: ({ params, payload }) => CurrentUser.use((user) => channels.update(user, params.id, payload)),
      remove: ({ params }) => CurrentUser.use((user) => channels.remove(user, params.id)),
      test: ({ params }) => CurrentUser.use((user) => channels.test(user, params.id))
    })
  })
)

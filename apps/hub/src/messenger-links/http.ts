import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { noStore } from "../edge/no-store.ts"
import { MessengerLinks } from "./service.ts"

export const MessengerLinksHttp = HttpApiBuilder.group(
  HubApi,
  "messenger_links",
  Effect.fn(function*(handlers) {
    const links = yield* MessengerLinks
    return handlers.handleAll({
      list: ({ query }) => CurrentUser.use((user) => links.list(user, query)),
      create: () =>
        Effect.andThen(noStore, CurrentUser.use(links.create)).pipe(
          Effect.map((link) => created(`/auth/messenger-links/${link.id}`, link))
        ),
      confirm: ({ params }) => CurrentUser.use((user) => links.confirm(user, params.id)),
      remove: ({ params }) => CurrentUser.use((user) => links.remove(user, params.id))
    })
  })
)

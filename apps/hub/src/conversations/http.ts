import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Conversations } from "./service.ts"

export const ConversationsHttp = HttpApiBuilder.group(
  HubApi,
  "conversations",
  Effect.fn(function*(handlers) {
    const conversations = yield* Conversations
    return handlers.handleAll({
      list: ({ params, query }) => CurrentPrincipal.use((principal) => conversations.list(principal, params.id, query)),
      create: ({ params, payload }) =>
        CurrentPrincipal.use((principal) => conversations.create(principal, params.id, payload)).pipe(
          Effect.map((made) => created(`/agents/${made.agent_id}/conversations/${made.id}`, made))
        ),
      get: ({ params, query }) =>
        CurrentPrincipal.use((principal) => conversations.get(principal, params.id, params.cid, query)),
      addMessage: ({ params, payload }) =>
        CurrentPrincipal.use((principal) => conversations.addMessage(principal, params.id, params.cid, payload)).pipe(
          Effect.map((message) => created(`/agents/${params.id}/conversations/${params.cid}`, message))
        )
    })
  })
)

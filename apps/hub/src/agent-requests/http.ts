import { HubApi } from "@countersign/domain/api"
import { CurrentAgent, CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AgentRequests } from "./service.ts"

export const AgentRequestsHttp = HttpApiBuilder.group(
  HubApi,
  "agent_requests",
  Effect.fn(function*(handlers) {
    const requests = yield* AgentRequests
    return handlers.handleAll({
      create: ({ payload }) =>
        CurrentAgent.use((agent) => requests.create(agent, payload)).pipe(
          Effect.map((request) => created(`/agent-requests/${request.id}`, request))
        ),
      list: ({ query }) => CurrentPrincipal.use((principal) => requests.list(principal, query)),
      get: ({ params, query }) =>
        CurrentPrincipal.use((principal) => requests.get(principal, params.id, query.wait ?? 0)),
      answer: ({ params, payload }) => CurrentUser.use((user) => requests.answer(user, params.id, payload))
    })
  })
)

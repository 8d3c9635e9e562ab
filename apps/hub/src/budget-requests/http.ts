import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BudgetRequests } from "./service.ts"

export const BudgetRequestsHttp = HttpApiBuilder.group(
  HubApi,
  "budget_requests",
  Effect.fn(function*(handlers) {
    const requests = yield* BudgetRequests
    return handlers.handleAll({
      list: ({ query }) => CurrentPrincipal.use((principal) => requests.list(principal, query)),
      create: ({ payload }) =>
        CurrentPrincipal.use((principal) => requests.create(principal, payload)).pipe(
          Effect.map((request) => created(`/budget-requests/${request.id}`, request))
        ),
      get: ({ params }) => CurrentPrincipal.use((principal) => requests.get(principal, params.id)),
      decide: ({ params, payload }) =>
        CurrentPrincipal.use((principal) => requests.decide(principal, params.id, payload))
    })
  })
)

import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal, CurrentUser } from "@countersign/domain/auth"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BudgetAlerts } from "./alerts.ts"
import { Budgets } from "./service.ts"

export const BudgetsHttp = HttpApiBuilder.group(
  HubApi,
  "budgets",
  Effect.fn(function*(handlers) {
    const budgets = yield* Budgets
    const alerts = yield* BudgetAlerts
    return handlers.handleAll({
      get: ({ params }) => CurrentPrincipal.use((principal) => budgets.get(principal, params.id)),
      set: ({ params, payload }) => CurrentUser.use((user) => budgets.set(user, params.id, payload)),
      alerts: ({ query }) => CurrentUser.use((user) => alerts.list(user, query))
    })
  })
)

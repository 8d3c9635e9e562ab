import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import {
  filtersOf,
  id,
  manyOf,
  moment,
  oneOf,
  operationName,
  searchOf,
  serviceName,
  text,
  wholeNumber
} from "../app/search.ts"
import { amountCentsMax } from "../components/money-text.ts"

export const requestStatuses = ["executed", "running", "approval_required", "blocked", "failed"] as const

/** Newest first without a sort. */
export const requestOrders = ["created_at", "-cost_cents", "cost_cents"] as const

export const requestsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "requests",
  validateSearch: filtersOf({
    q: text(),
    status: manyOf(requestStatuses),
    agent_id: id("agt"),
    service: serviceName,
    operation: operationName,
    mode: oneOf(["live", "test"]),
    reason_code: text(64),
    min_cents: wholeNumber(0, amountCentsMax),
    max_cents: wholeNumber(0, amountCentsMax),
    standing_approval_id: id("sta"),
    from: moment,
    to: moment,
    sort: oneOf(requestOrders),
    hide: text()
  }),
  component: lazyScreen(() => import("./requests-screen.tsx"), "RequestsScreen")
})

export const requestRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "requests/$id",
  validateSearch: searchOf({ view: oneOf(["form", "json", "diff"]) }),
  component: lazyScreen(() => import("./request-screen.tsx"), "RequestScreen")
})

export const requestsRoutes = [requestsRoute, requestRoute] as const

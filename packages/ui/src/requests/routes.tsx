import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { manyOf, moment, oneOf, searchOf, text, wholeNumber } from "../app/search.ts"
import { centsMax } from "../listing/amount.ts"

export const requestStatuses = ["executed", "running", "approval_required", "blocked", "failed"] as const

/** Newest first without one. */
export const requestOrders = ["created_at", "-cost_cents", "cost_cents"] as const

export const requestsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "requests",
  validateSearch: searchOf({
    q: text(),
    status: manyOf(requestStatuses),
    agent_id: text(64),
    service: text(64),
    operation: text(64),
    mode: oneOf(["live", "test"]),
    reason_code: text(64),
    min_cents: wholeNumber(0, centsMax),
    max_cents: wholeNumber(0, centsMax),
    standing_approval_id: text(64),
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

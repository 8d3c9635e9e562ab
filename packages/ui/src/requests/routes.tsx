import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { manyOf, moment, oneOf, searchOf, text } from "../app/search.ts"

export const requestStatuses = ["executed", "running", "approval_required", "blocked", "failed"] as const

export const requestsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "requests",
  validateSearch: searchOf({
    q: text(), status: manyOf(requestStatuses), agent_id: text(64), service: text(64), operation: text(64), mode: oneOf(["live", "test"]),
    standing_approval_id: text(64), from: moment, to: moment, hide: text()
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

import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { filtersOf, oneOf, text } from "../app/search.ts"

export const workflowStatuses = ["draft", "pending_review", "published"] as const
export const visibilities = ["private", "team", "org"] as const

const workflowsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "workflows",
  validateSearch: filtersOf({
    view: oneOf(["templates"]),
    q: text(),
    status: oneOf(workflowStatuses),
    visibility: oneOf(visibilities)
  }),
  component: lazyScreen(() => import("./screens.ts"), "WorkflowsScreen")
})

const workflowRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "workflows/$id",
  component: lazyScreen(() => import("./screens.ts"), "WorkflowScreen")
})

export const workflowsRoutes = [workflowsRoute, workflowRoute] as const

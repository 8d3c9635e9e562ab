import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { filtersOf, id, oneOf } from "../app/search.ts"

export const runStatuses = ["queued", "running", "waiting", "succeeded", "failed", "cancelled"] as const

const runsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "workflow-runs",
  validateSearch: filtersOf({ status: oneOf(runStatuses), workflow_id: id("wfl"), agent_id: id("agt") }),
  component: lazyScreen(() => import("./screens.ts"), "RunsScreen")
})

const runRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "workflow-runs/$id",
  component: lazyScreen(() => import("./screens.ts"), "RunScreen")
})

export const runsRoutes = [runsRoute, runRoute] as const

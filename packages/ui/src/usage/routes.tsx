import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { moment, oneOf, searchOf, text } from "../app/search.ts"

export const usageRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "usage",
  validateSearch: searchOf({
    from: moment,
    to: moment,
    agent_id: text(64),
    service: text(64),
    operation: text(64),
    mode: oneOf(["live", "test"]),
    by: oneOf(["service", "operation", "agent"]),
    measure: oneOf(["cost", "requests"])
  }),
  component: lazyScreen(() => import("./usage-screen.tsx"), "UsageScreen")
})

export const usageRoutes = [usageRoute] as const

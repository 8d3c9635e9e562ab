import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { filtersOf, id, oneOf } from "../app/search.ts"

export const triggerKinds = ["webhook", "cron"] as const

const triggersRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "triggers",
  validateSearch: filtersOf({ kind: oneOf(triggerKinds), status: oneOf(["active", "paused"]), agent_id: id("agt") }),
  component: lazyScreen(() => import("./screens.ts"), "TriggersScreen")
})

const triggerRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "triggers/$id",
  component: lazyScreen(() => import("./screens.ts"), "TriggerScreen")
})

export const triggersRoutes = [triggersRoute, triggerRoute] as const

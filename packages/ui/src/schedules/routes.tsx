import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { filtersOf, id, oneOf } from "../app/search.ts"

export const scheduleStatuses = ["active", "paused"] as const

const schedulesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "schedules",
  validateSearch: filtersOf({ status: oneOf(scheduleStatuses), agent_id: id("agt") }),
  component: lazyScreen(() => import("./screens.ts"), "SchedulesScreen")
})

const scheduleRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "schedules/$id",
  component: lazyScreen(() => import("./screens.ts"), "ScheduleScreen")
})

export const schedulesRoutes = [schedulesRoute, scheduleRoute] as const

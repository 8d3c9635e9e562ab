import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { filtersOf, id, oneOf } from "../app/search.ts"

export const taskStatuses = ["accepted", "in_progress", "completed", "failed", "cancelled"] as const

const tasksRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "tasks",
  validateSearch: filtersOf({ status: oneOf(taskStatuses), agent_id: id("agt") }),
  component: lazyScreen(() => import("./tasks-screen.tsx"), "TasksScreen")
})

const taskRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "agents/$id/tasks/$task",
  component: lazyScreen(() => import("./task-screen.tsx"), "TaskScreen")
})

export const tasksRoutes = [tasksRoute, taskRoute] as const

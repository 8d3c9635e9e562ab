import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { filtersOf, id, oneOf, searchOf, text } from "../app/search.ts"

export const agentStatuses = ["active", "paused", "disabled"] as const

export const taskStatuses = ["accepted", "in_progress", "completed", "failed", "cancelled"] as const

/** The default without a sort is newest first. */
export const agentOrders = [
  "name",
  "-name",
  "-last_seen_at",
  "last_seen_at",
  "-spent_this_month_cents",
  "spent_this_month_cents"
] as const

const agentsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "agents",
  validateSearch: filtersOf({ q: text(), status: oneOf(agentStatuses), sort: oneOf(agentOrders), hide: text() }),
  component: lazyScreen(() => import("./agents-screen.tsx"), "AgentsScreen")
})

const familiesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "agents/families",
  validateSearch: searchOf({ root: id("agt") }),
  component: lazyScreen(() => import("../families/families-screen.tsx"), "FamiliesScreen")
})

const agentRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "agents/$id",
  component: lazyScreen(() => import("./agent-screen.tsx"), "AgentScreen")
})

const tasksRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "tasks",
  validateSearch: filtersOf({ status: oneOf(taskStatuses), agent_id: id("agt") }),
  component: lazyScreen(() => import("../tasks/tasks-screen.tsx"), "TasksScreen")
})

const taskRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "agents/$id/tasks/$task",
  component: lazyScreen(() => import("../tasks/task-screen.tsx"), "TaskScreen")
})

const conversationRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "agents/$id/conversations/$conversation",
  component: lazyScreen(() => import("./conversation-screen.tsx"), "ConversationScreen")
})

export const agentsRoutes = [
  agentsRoute,
  familiesRoute,
  agentRoute,
  tasksRoute,
  taskRoute,
  conversationRoute
] as const

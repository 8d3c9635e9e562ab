import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { filtersOf, id, oneOf, text } from "../app/search.ts"

export const agentStatuses = ["active", "paused", "disabled"] as const

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
  validateSearch: filtersOf({
    q: text(),
    status: oneOf(agentStatuses),
    team_id: id("team"),
    sort: oneOf(agentOrders),
    hide: text()
  }),
  component: lazyScreen(() => import("./agents-screen.tsx"), "AgentsScreen")
})

const agentRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "agents/$id",
  component: lazyScreen(() => import("./agent-screen.tsx"), "AgentScreen")
})

const conversationRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "agents/$id/conversations/$conversation",
  component: lazyScreen(() => import("./conversation-screen.tsx"), "ConversationScreen")
})

export const agentsRoutes = [agentsRoute, agentRoute, conversationRoute] as const

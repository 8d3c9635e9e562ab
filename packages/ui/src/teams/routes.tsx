import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { filtersOf, oneOf, text } from "../app/search.ts"

export const teamRoles = ["lead", "worker"] as const

const teamsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "teams",
  validateSearch: filtersOf({ q: text(), role: oneOf(teamRoles) }),
  component: lazyScreen(() => import("./teams-screen.tsx"), "TeamsScreen")
})

const teamRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "teams/$id",
  component: lazyScreen(() => import("./team-screen.tsx"), "TeamScreen")
})

export const teamsRoutes = [teamsRoute, teamRoute] as const

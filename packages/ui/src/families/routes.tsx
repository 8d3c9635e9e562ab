import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { id, searchOf } from "../app/search.ts"

const familiesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "agents/families",
  validateSearch: searchOf({ root: id("agt") }),
  component: lazyScreen(() => import("./families-screen.tsx"), "FamiliesScreen")
})

export const familiesRoutes = [familiesRoute] as const

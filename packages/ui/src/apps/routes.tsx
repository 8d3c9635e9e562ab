import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { searchOf, text } from "../app/search.ts"

const appsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "apps",
  validateSearch: searchOf({ app: text(64) }),
  component: lazyScreen(() => import("./apps-screen.tsx"), "AppsScreen")
})

export const appsRoutes = [appsRoute] as const

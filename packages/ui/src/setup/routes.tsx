import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { rootRoute, workspaceRoute } from "../app/routes.tsx"

/**
 * The target of the printed setup link; its token is removed from the address before this route (`app/link-token.ts`).
 */
export const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "setup",
  component: lazyScreen(() => import("./setup-screen.tsx"), "SetupScreen")
})

export const startRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "start",
  component: lazyScreen(() => import("./start-screen.tsx"), "StartScreen")
})

export const setupRoutes = [setupRoute] as const
export const startRoutes = [startRoute] as const

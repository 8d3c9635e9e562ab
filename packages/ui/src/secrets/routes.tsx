import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"

const secretsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "secrets",
  component: lazyScreen(() => import("./secrets-screen.tsx"), "SecretsScreen")
})

export const secretsRoutes = [secretsRoute] as const

import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { workspaceRoute } from "../app/routes.tsx"

const secretsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "secrets",
  component: lazyRouteComponent(() => import("./secrets-screen.tsx"), "SecretsScreen")
})

export const secretsRoutes = [secretsRoute] as const

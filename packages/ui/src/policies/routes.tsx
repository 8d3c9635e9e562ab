import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { workspaceRoute } from "../app/routes.tsx"

const policiesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "policies",
  component: lazyRouteComponent(() => import("./policies-screen.tsx"), "PoliciesScreen")
})

const newPolicyRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "policies/new",
  component: lazyRouteComponent(() => import("./new-policy-screen.tsx"), "NewPolicyScreen")
})

const policyRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "policies/$id",
  component: lazyRouteComponent(() => import("./policy-screen.tsx"), "PolicyScreen")
})

export const policiesRoutes = [policiesRoute, newPolicyRoute, policyRoute] as const

import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"

const policiesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "policies",
  component: lazyScreen(() => import("./policies-screen.tsx"), "PoliciesScreen")
})

const newPolicyRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "policies/new",
  component: lazyScreen(() => import("./new-policy-screen.tsx"), "NewPolicyScreen")
})

const policyRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "policies/$id",
  component: lazyScreen(() => import("./policy-screen.tsx"), "PolicyScreen")
})

export const policiesRoutes = [policiesRoute, newPolicyRoute, policyRoute] as const

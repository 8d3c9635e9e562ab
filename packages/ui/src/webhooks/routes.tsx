import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { filtersOf, oneOf } from "../app/search.ts"

export const deliveryStatuses = ["pending", "delivered", "failed"] as const

const webhooksRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/webhooks",
  component: lazyScreen(() => import("./screens.ts"), "WebhooksScreen")
})

const webhookRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/webhooks/$id",
  validateSearch: filtersOf({ status: oneOf(deliveryStatuses) }),
  component: lazyScreen(() => import("./screens.ts"), "WebhookScreen")
})

export const webhooksRoutes = [webhooksRoute, webhookRoute] as const

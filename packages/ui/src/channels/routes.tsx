import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"

const channelsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/channels",
  component: lazyScreen(() => import("./channels-screen.tsx"), "ChannelsScreen")
})

const linkedAccountsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/linked-accounts",
  component: lazyScreen(() => import("./linked-accounts-screen.tsx"), "LinkedAccountsScreen")
})

export const channelsRoutes = [channelsRoute, linkedAccountsRoute] as const

import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { rootRoute } from "../app/routes.tsx"
import { searchOf, text } from "../app/search.ts"

const deviceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "device",
  validateSearch: searchOf({ code: text(32) }),
  component: lazyScreen(() => import("./device-screen.tsx"), "DeviceScreen")
})

export const deviceSignInRoutes = [deviceRoute] as const

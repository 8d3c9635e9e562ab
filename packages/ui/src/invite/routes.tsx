import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { rootRoute } from "../app/routes.tsx"

/** The target of an invite's link; its token is removed from the address before this route (`app/link-token.ts`). */
const inviteRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "invite",
  component: lazyScreen(() => import("./invite-screen.tsx"), "InviteScreen")
})

export const inviteRoutes = [inviteRoute] as const

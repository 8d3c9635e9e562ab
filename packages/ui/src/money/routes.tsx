import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { oneOf, searchOf } from "../app/search.ts"

export const accountTypes = ["org", "external", "revenue", "team", "worker"] as const

export const moneyRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "money",
  /** `act=top-up` opens the dialog: other screens link to it. */
  validateSearch: searchOf({ account: oneOf(accountTypes), act: oneOf(["top-up"]) }),
  component: lazyScreen(() => import("./money-screen.tsx"), "MoneyScreen")
})

export const moneyRoutes = [moneyRoute] as const

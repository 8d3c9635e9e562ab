import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { id, oneOf, searchOf, shaped } from "../app/search.ts"

export const accountTypes = ["org", "external", "revenue", "team", "worker"] as const

export const moneyRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "money",
  validateSearch: searchOf({
    /** A type of account, or the id of a team or a person. */
    account: shaped(/^(?:org|external|revenue|team|worker|(?:team|usr)_[0-9a-z]{26})$/u),
    /** `act=top-up` opens the dialog: other screens link to it. */
    act: oneOf(["top-up"]),
    /** The list beside the wallet; the ledger by default. */
    view: oneOf(["payments", "codes"]),
    /** Stripe returns to the screen with the id of the payment. */
    payment: id("pay")
  }),
  component: lazyScreen(() => import("./money-screen.tsx"), "MoneyScreen")
})

export const moneyRoutes = [moneyRoute] as const

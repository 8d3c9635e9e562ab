import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { filtersOf, id, oneOf, searchOf, shaped, text, wholeNumber } from "../app/search.ts"
import { amountCentsMax } from "../components/money-text.ts"
import { ageSecondsMax } from "../listing/age.ts"
import { inboxKinds, operationText } from "./inbox-filter.ts"

export const payloadViews = ["form", "json", "diff"] as const

/** Newest first without a sort. */
export const decidedOrders = ["requested_at", "-cost_cents", "cost_cents"] as const

/** `open` is the approval shown beside the list, `of` its workspace if that differs from the address's. */
export const inboxRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "inbox",
  validateSearch: filtersOf({
    open: text(64),
    of: text(64),
    show: oneOf(["decided"]),
    q: text(),
    kind: oneOf(inboxKinds),
    workspace: id("org"),
    view: oneOf(payloadViews),
    agent_id: id("agt"),
    operation: shaped(operationText),
    min_cents: wholeNumber(0, amountCentsMax),
    max_cents: wholeNumber(0, amountCentsMax),
    min_age_seconds: wholeNumber(0, ageSecondsMax),
    max_age_seconds: wholeNumber(0, ageSecondsMax),
    /** The sort of decided approvals. */
    sort: oneOf(decidedOrders)
  }),
  component: lazyScreen(() => import("./inbox-screen.tsx"), "InboxScreen")
})

export const approvalRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "approvals/$id",
  validateSearch: searchOf({ view: oneOf(payloadViews) }),
  component: lazyScreen(() => import("./approval-screen.tsx"), "ApprovalScreen")
})

export const standingRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "standing",
  validateSearch: searchOf({ q: text(), agent_id: text(64) }),
  component: lazyScreen(() => import("./standing-screen.tsx"), "StandingScreen")
})

export const approvalRoutes = [inboxRoute, approvalRoute, standingRoute] as const

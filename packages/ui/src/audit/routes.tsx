import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { filtersOf, id, moment, text, wholeNumber } from "../app/search.ts"
import { amountCentsMax } from "../components/money-text.ts"

export const auditRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "audit",
  validateSearch: filtersOf({
    q: text(),
    action: text(128),
    actor_id: text(128),
    subject_id: text(128),
    agent_id: id("agt"),
    service: text(64),
    operation: text(64),
    outcome: text(64),
    min_cents: wholeNumber(0, amountCentsMax),
    max_cents: wholeNumber(0, amountCentsMax),
    from: moment,
    to: moment,
    hide: text(),
    /** The number of the open entry. */
    entry: wholeNumber(1, 999_999_999)
  }),
  component: lazyScreen(() => import("./audit-screen.tsx"), "AuditScreen")
})

export const auditRoutes = [auditRoute] as const

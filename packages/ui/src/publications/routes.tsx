import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { filtersOf, oneOf, text } from "../app/search.ts"

export const publicationsRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "publications",
    validateSearch: filtersOf({
      /** The marketplace by default. */
      view: oneOf(["published", "review"]),
      /** Only of the marketplace. */
      q: text(),
      category: text(),
      /** Of a publication or of a publish request, by the view. */
      status: oneOf(["active", "revoked", "pending", "approved", "rejected", "withdrawn"])
    }),
    component: lazyScreen(() => import("./publications-screen.tsx"), "PublicationsScreen")
  })
] as const

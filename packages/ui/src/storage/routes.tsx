import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { oneOf, searchOf, text } from "../app/search.ts"

export const storageRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "storage",
    validateSearch: searchOf({
      /** A folder; it ends with a slash. */
      prefix: text(512),
      view: oneOf(["deleted"]),
      object: text(64)
    }),
    component: lazyScreen(() => import("./storage-screen.tsx"), "StorageScreen")
  })
] as const

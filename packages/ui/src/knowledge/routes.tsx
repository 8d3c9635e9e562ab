import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { searchOf, text, wholeNumber } from "../app/search.ts"

export const knowledgeRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "knowledge",
    validateSearch: searchOf({ q: text() }),
    component: lazyScreen(() => import("./screens.ts"), "CollectionsScreen")
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "knowledge/$collection",
    validateSearch: searchOf({
      /** The question. */
      q: text(2_000),
      document: text(64),
      /** The passage that is shown in the document. */
      at: wholeNumber(0, 20_000)
    }),
    component: lazyScreen(() => import("./screens.ts"), "CollectionScreen")
  })
] as const

import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { filtersOf, id, oneOf, text } from "../app/search.ts"

export const memoriesRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: "agents/$id/memories",
    validateSearch: filtersOf({
      q: text(1_000),
      kind: oneOf(["fact", "preference", "event", "skill"]),
      tag: text(64),
      view: oneOf(["graph"]),
      memory: id("mem")
    }),
    component: lazyScreen(() => import("./memories-screen.tsx"), "MemoriesScreen")
  })
] as const

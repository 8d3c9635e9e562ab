import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { oneOf, searchOf } from "../app/search.ts"

const editorRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "workflows/$id/edit",
  validateSearch: searchOf({ view: oneOf(["graph", "json"]) }),
  component: lazyScreen(() => import("./editor-screen.tsx"), "EditorScreen")
})

export const workflowEditorRoutes = [editorRoute] as const

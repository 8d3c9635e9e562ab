import { createRoute, redirect } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { oneOf, searchOf, text } from "../app/search.ts"

export const origins = ["shipped", "own"] as const
export const serviceStates = ["on", "off", "secret"] as const
export const operationViews = ["payload", "try", "call"] as const

const catalogRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "catalog",
  validateSearch: searchOf({ q: text(), origin: oneOf(origins), state: oneOf(serviceStates) }),
  component: lazyScreen(() => import("./catalog-screen.tsx"), "CatalogScreen")
})

/** `_` is not a valid service name, so a service may be called `new`. */
const newRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "catalog/_/new",
  component: lazyScreen(() => import("./new-service-screen.tsx"), "NewServiceScreen")
})

const newServerRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "catalog/_/mcp",
  component: lazyScreen(() => import("./new-server-screen.tsx"), "NewServerScreen")
})

const importRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "catalog/_/import",
  component: lazyScreen(() => import("./import-screen.tsx"), "ImportScreen")
})

/** The name `import` is reserved, so this can only be a typed address of the import. */
const typedImportRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "catalog/import",
  beforeLoad: ({ params: { workspace } }) => {
    throw redirect({ to: "/w/$workspace/catalog/_/import", params: { workspace }, replace: true })
  }
})

const serviceRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "catalog/$service",
  validateSearch: searchOf({ operation: text(64), view: oneOf(operationViews), agent: text(64) }),
  component: lazyScreen(() => import("./service-screen.tsx"), "ServiceScreen")
})

const editRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "catalog/$service/edit",
  component: lazyScreen(() => import("./edit-service-screen.tsx"), "EditServiceScreen")
})

const toolsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "catalog/$service/tools",
  component: lazyScreen(() => import("./tools-screen.tsx"), "ToolsScreen")
})

export const catalogRoutes = [
  catalogRoute,
  newRoute,
  newServerRoute,
  importRoute,
  typedImportRoute,
  serviceRoute,
  editRoute,
  toolsRoute
] as const

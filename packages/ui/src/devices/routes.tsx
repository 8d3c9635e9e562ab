import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { oneOf, searchOf, text } from "../app/search.ts"

export const deviceStates = ["pending", "active", "draining", "paused", "revoked"] as const
export const commandStatuses = [
  "queued",
  "leased",
  "awaiting_consent",
  "running",
  "done",
  "cancelled",
  "expired"
] as const
export const toolNames = [
  "shell.run",
  "fs.read",
  "fs.write",
  "fs.list",
  "fs.search",
  "http.get",
  "system.info"
] as const

const devicesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "devices",
  validateSearch: searchOf({ q: text(), state: oneOf(deviceStates) }),
  component: lazyScreen(() => import("./devices-screen.tsx"), "DevicesScreen")
})

const pairRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "devices/pair",
  component: lazyScreen(() => import("./pair-screen.tsx"), "PairScreen")
})

const pairCodeRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "devices/pair/$code",
  component: lazyScreen(() => import("./pair-screen.tsx"), "PairCodeScreen")
})

const deviceRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "devices/$id",
  validateSearch: searchOf({ session: text(64), status: oneOf(commandStatuses) }),
  component: lazyScreen(() => import("./device-screen.tsx"), "DeviceScreen")
})

const queueRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "devices/$id/queue",
  validateSearch: searchOf({ tool: oneOf(toolNames), again: text(64) }),
  component: lazyScreen(() => import("./queue-screen.tsx"), "QueueScreen")
})

const commandRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "devices/$id/commands/$commandId",
  component: lazyScreen(() => import("./command-screen.tsx"), "CommandScreen")
})

export const devicesRoutes = [devicesRoute, pairRoute, pairCodeRoute, deviceRoute, queueRoute, commandRoute] as const

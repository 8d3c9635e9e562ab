/** The console's routes. A feature adds one line each to the imports and to `addChildren`. */
import { createRouter } from "@tanstack/react-router"
import { agentsRoutes } from "./agents/routes.tsx"
import { rootRoute, type RouterContext, trunkRoutes, workspaceRoute, workspaceRoutes } from "./app/routes.tsx"
import { NotFound, ScreenError } from "./app/screen-error.tsx"
import { parseSearch, stringifySearch } from "./app/search.ts"
import { approvalRoutes } from "./approvals/routes.tsx"
import { appsRoutes } from "./apps/routes.tsx"
import { auditRoutes } from "./audit/routes.tsx"
import { catalogRoutes } from "./catalog/routes.tsx"
import { channelsRoutes } from "./channels/routes.tsx"
import { chatRoutes } from "./chat/routes.tsx"
import { deviceSignInRoutes } from "./device-sign-in/routes.tsx"
import { devicesRoutes } from "./devices/routes.tsx"
import { familiesRoutes } from "./families/routes.tsx"
import { inviteRoutes } from "./invite/routes.tsx"
import { knowledgeRoutes } from "./knowledge/routes.tsx"
import { memoriesRoutes } from "./memories/routes.tsx"
import { moneyRoutes } from "./money/routes.tsx"
import { oauthRoutes } from "./oauth/routes.tsx"
import { policiesRoutes } from "./policies/routes.tsx"
import { publicationsRoutes } from "./publications/routes.tsx"
import { requestsRoutes } from "./requests/routes.tsx"
import { runsRoutes } from "./runs/routes.tsx"
import { schedulesRoutes } from "./schedules/routes.tsx"
import { secretsRoutes } from "./secrets/routes.tsx"
import { securityRoutes, settingsRoutes } from "./settings/routes.tsx"
import { setupRoutes, startRoutes } from "./setup/routes.tsx"
import { storageRoutes } from "./storage/routes.tsx"
import { tasksRoutes } from "./tasks/routes.tsx"
import { teamsRoutes } from "./teams/routes.tsx"
import { triggersRoutes } from "./triggers/routes.tsx"
import { usageRoutes } from "./usage/routes.tsx"
import { webhooksRoutes } from "./webhooks/routes.tsx"
import { workflowEditorRoutes } from "./workflow-editor/routes.tsx"
import { workflowsRoutes } from "./workflows/routes.tsx"

const routeTree = rootRoute.addChildren([
  ...trunkRoutes,
  ...setupRoutes,
  ...inviteRoutes,
  ...oauthRoutes,
  ...securityRoutes,
  ...deviceSignInRoutes,
  workspaceRoute.addChildren([
    ...workspaceRoutes,
    ...agentsRoutes,
    ...familiesRoutes,
    ...tasksRoutes,
    ...teamsRoutes,
    ...chatRoutes,
    ...approvalRoutes,
    ...auditRoutes,
    ...devicesRoutes,
    ...catalogRoutes,
    ...secretsRoutes,
    ...appsRoutes,
    ...storageRoutes,
    ...knowledgeRoutes,
    ...workflowsRoutes,
    ...workflowEditorRoutes,
    ...runsRoutes,
    ...schedulesRoutes,
    ...triggersRoutes,
    ...policiesRoutes,
    ...publicationsRoutes,
    ...requestsRoutes,
    ...memoriesRoutes,
    ...moneyRoutes,
    ...usageRoutes,
    ...settingsRoutes,
    ...channelsRoutes,
    ...webhooksRoutes,
    ...startRoutes
  ])
])

export const makeRouter = (context: RouterContext) =>
  createRouter({
    routeTree,
    context,
    parseSearch,
    stringifySearch,
    // Parameters that no route reads are removed from the address and never reach the hub as a filter.
    search: { strict: true },
    // Replaces only the failed screen: the shell around it stays.
    defaultErrorComponent: ScreenError,
    defaultNotFoundComponent: NotFound,
    defaultPreload: "intent",
    // TanStack Query decides when data is stale.
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 200,
    scrollRestoration: true
  })

export type ConsoleRouter = ReturnType<typeof makeRouter>

declare module "@tanstack/react-router" {
  interface Register {
    router: ConsoleRouter
  }
}

import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { rootRoute } from "../app/routes.tsx"
import { searchOf, text } from "../app/search.ts"

/** The request of an MCP client; the hub checks it again with the person's decision. */
const consentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "oauth/authorize",
  validateSearch: searchOf({
    response_type: text(64),
    client_id: text(),
    redirect_uri: text(2_048),
    code_challenge: text(),
    code_challenge_method: text(16),
    resource: text(2_048),
    scope: text(),
    state: text(2_048)
  }),
  component: lazyScreen(() => import("./consent-screen.tsx"), "ConsentScreen")
})

export const oauthRoutes = [consentRoute] as const

/** The root routes. The `routes.tsx` of a feature adds its routes to `workspaceRoute`; `router.tsx` collects them. */
import { isHubError } from "@countersign/hub-client/error"
import type { QueryClient } from "@tanstack/react-query"
import { createRootRouteWithContext, createRoute, notFound, Outlet, redirect } from "@tanstack/react-router"
import { meQuery, workspacesQuery } from "../hub/queries.ts"
import type { Live } from "../live/live.ts"
import { keepLastWorkspace, lastWorkspace } from "./last-workspace.ts"
import { lazyScreen } from "./lazy-screen.tsx"
import { NotFound, ScreenError } from "./screen-error.tsx"
import { searchOf, text } from "./search.ts"
import { findWorkspace } from "./session.ts"
import { Shell } from "./shell.tsx"

export interface RouterContext {
  readonly queries: QueryClient
  readonly live: Live
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: ScreenError
})

/** A 401 leads to sign-in, a missing second factor to its enrollment, and both afterwards back to the same link. */
async function signedIn<A>(read: Promise<A>, to: string): Promise<A> {
  try {
    return await read
  } catch (error) {
    if (isHubError(error) && error.code === "second_factor_required") {
      throw redirect({ to: "/second-factor", search: { to }, replace: true })
    }
    if (isHubError(error) && error.status === 401) throw redirect({ to: "/sign-in", search: { to }, replace: true })
    throw error
  }
}

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: async ({ context: { queries }, location }) => {
    const { data } = await signedIn(queries.ensureQueryData(workspacesQuery), location.href)
    const last = lastWorkspace()
    const { active_workspace } = await signedIn(queries.ensureQueryData(meQuery(null)), location.href)
    const workspace = data.some(({ id }) => id === last) && last !== undefined ? last : active_workspace
    throw redirect({ href: `/w/${workspace}/inbox`, replace: true })
  }
})

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "sign-in",
  validateSearch: searchOf({ to: text(2_000) }),
  component: lazyScreen(() => import("./sign-in-screen.tsx"), "SignInScreen")
})

/** Where the hub sends the browser after a sign-in at the provider that failed, or that needs a second factor. */
const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "login",
  validateSearch: searchOf({ to: text(2_000), error: text(64) }),
  component: lazyScreen(() => import("./login-screen.tsx"), "LoginScreen")
})

/** The end of a step-up at the provider, in a window of its opener. */
const steppedUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "stepped-up",
  validateSearch: searchOf({ error: text(64) }),
  component: lazyScreen(() => import("./login-screen.tsx"), "SteppedUpScreen")
})

export const workspaceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "w/$workspace",
  beforeLoad: async ({ context: { live, queries }, location, params }) => {
    const { data } = await signedIn(queries.ensureQueryData(workspacesQuery), location.href)
    // Data read from here on is kept up to date by events.
    live.start()
    const found = findWorkspace(data, params.workspace)
    if (found === undefined) throw notFound()
    if (found.id !== params.workspace) {
      throw redirect({ href: location.href.replace(/^\/w\/[^/?#]*/u, `/w/${found.id}`), replace: true })
    }
    await signedIn(queries.ensureQueryData(meQuery(found.id)), location.href)
    keepLastWorkspace(found.id)
  },
  component: Shell,
  notFoundComponent: NotFound
})

const workspaceHomeRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ href: `/w/${params.workspace}/inbox`, replace: true })
  }
})

export const trunkRoutes = [homeRoute, signInRoute, loginRoute, steppedUpRoute] as const
export const workspaceRoutes = [workspaceHomeRoute] as const

import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router"
import { workspaceRoute } from "../app/routes.tsx"

/** As in `settings-frame.module.css`. */
const besideOneAnother = "(min-width: 1081px)"

const settingsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings",
  beforeLoad: ({ params }) => {
    if (matchMedia(besideOneAnother).matches) throw redirect({ href: `/w/${params.workspace}/settings/account`, replace: true })
  },
  component: lazyRouteComponent(() => import("./settings-screen.tsx"), "SettingsScreen")
})

const accountRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/account",
  component: lazyRouteComponent(() => import("./account-screen.tsx"), "AccountScreen")
})

const tokensRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/tokens",
  component: lazyRouteComponent(() => import("./tokens-screen.tsx"), "TokensScreen")
})

const workspaceSettingsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/workspace",
  component: lazyRouteComponent(() => import("./workspace-screen.tsx"), "WorkspaceScreen")
})

const membersRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/members",
  component: lazyRouteComponent(() => import("./members-screen.tsx"), "MembersScreen")
})

const workspacesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/workspaces",
  component: lazyRouteComponent(() => import("./workspaces-screen.tsx"), "WorkspacesScreen")
})

const appearanceRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/appearance",
  component: lazyRouteComponent(() => import("./appearance-screen.tsx"), "AppearanceScreen")
})

const keysRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/keys",
  component: lazyRouteComponent(() => import("./keys-screen.tsx"), "KeysScreen")
})

const aboutRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/about",
  component: lazyRouteComponent(() => import("./about-screen.tsx"), "AboutScreen")
})

export const settingsRoutes = [
  settingsRoute, accountRoute, tokensRoute, workspaceSettingsRoute, membersRoute, workspacesRoute,
  appearanceRoute, keysRoute, aboutRoute
] as const

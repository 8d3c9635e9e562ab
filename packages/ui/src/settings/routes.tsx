import { createRoute, redirect } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { rootRoute, workspaceRoute } from "../app/routes.tsx"
import { searchOf, text } from "../app/search.ts"

/** As in `settings-frame.module.css`. */
const besideOneAnother = "(min-width: 1081px)"

const settingsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings",
  beforeLoad: ({ params }) => {
    if (matchMedia(besideOneAnother).matches) {
      throw redirect({ href: `/w/${params.workspace}/settings/account`, replace: true })
    }
  },
  component: lazyScreen(() => import("./settings-screen.tsx"), "SettingsScreen")
})

const accountRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/account",
  component: lazyScreen(() => import("./account-screen.tsx"), "AccountScreen")
})

const securityRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/security",
  validateSearch: searchOf({ error: text(64) }),
  component: lazyScreen(() => import("./security-screen.tsx"), "SecurityScreen")
})

const tokensRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/tokens",
  component: lazyScreen(() => import("./tokens-screen.tsx"), "TokensScreen")
})

const workspaceSettingsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/workspace",
  component: lazyScreen(() => import("./workspace-screen.tsx"), "WorkspaceScreen")
})

const membersRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/members",
  component: lazyScreen(() => import("./members-screen.tsx"), "MembersScreen")
})

const workspacesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/workspaces",
  component: lazyScreen(() => import("./workspaces-screen.tsx"), "WorkspacesScreen")
})

const appearanceRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/appearance",
  component: lazyScreen(() => import("./appearance-screen.tsx"), "AppearanceScreen")
})

const notificationsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/notifications",
  component: lazyScreen(() => import("./notifications-screen.tsx"), "NotificationsScreen")
})

const mailPreviewRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/notifications/mail",
  component: lazyScreen(() => import("./mail-preview-screen.tsx"), "MailPreviewScreen")
})

const keysRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/keys",
  component: lazyScreen(() => import("./keys-screen.tsx"), "KeysScreen")
})

const aboutRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: "settings/about",
  component: lazyScreen(() => import("./about-screen.tsx"), "AboutScreen")
})

/** Outside of a workspace: for people to whom one is closed until they have a second factor. */
const factorRequiredRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "second-factor",
  validateSearch: searchOf({ to: text(2_000) }),
  component: lazyScreen(() => import("./factor-required-screen.tsx"), "FactorRequiredScreen")
})

export const securityRoutes = [factorRequiredRoute] as const

export const settingsRoutes = [
  settingsRoute,
  accountRoute,
  securityRoute,
  tokensRoute,
  workspaceSettingsRoute,
  membersRoute,
  workspacesRoute,
  appearanceRoute,
  notificationsRoute,
  mailPreviewRoute,
  keysRoute,
  aboutRoute
] as const

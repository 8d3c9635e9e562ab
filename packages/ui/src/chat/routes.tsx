import { createRoute } from "@tanstack/react-router"
import { lazyScreen } from "../app/lazy-screen.tsx"
import { workspaceRoute } from "../app/routes.tsx"
import { filtersOf, text } from "../app/search.ts"

const validateSearch = filtersOf({ q: text() })
const component = lazyScreen(() => import("./chat-screen.tsx"), "ChatScreen")

const chatsRoute = createRoute({ getParentRoute: () => workspaceRoute, path: "chat", validateSearch, component })

const chatRoute = createRoute({ getParentRoute: () => workspaceRoute, path: "chat/$id", validateSearch, component })

export const chatRoutes = [chatsRoute, chatRoute] as const

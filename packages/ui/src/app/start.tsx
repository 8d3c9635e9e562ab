/** Puts the parts together and draws. The desktop app will call it with a client of its own. */
import { RouterProvider } from "@tanstack/react-router"
import { createRoot } from "react-dom/client"
import type { HubClient } from "../hub/client.ts"
import { makeFetchClient } from "../hub/fetch-client.ts"
import { hubClock } from "../hub/hub-time.ts"
import { makeQueryClient } from "../hub/query-client.ts"
import { currentLocale } from "../text/catalogue.ts"
import { Providers } from "./providers.tsx"
import { makeRouter } from "./router.tsx"

export const start = (root: HTMLElement, hub: HubClient = makeFetchClient({ clock: hubClock })): void => {
  const queries = makeQueryClient({
    hub,
    onSignedOut: () => {
      const { href, pathname } = router.latestLocation
      if (pathname !== "/sign-in" && pathname !== "/setup") void router.navigate({ to: "/sign-in", search: { to: href }, replace: true })
    }
  })
  const router = makeRouter(queries)
  createRoot(root).render(
    <Providers queries={queries} locale={currentLocale()}>
      <RouterProvider router={router} />
    </Providers>
  )
}

/** Assembles and renders the console. The desktop app passes its own client. */
import type { HubClient } from "@countersign/hub-client/client"
import { makeFetchClient } from "@countersign/hub-client/fetch-client"
import { RouterProvider } from "@tanstack/react-router"
import { createRoot } from "react-dom/client"
import { applyAppearance } from "./app/appearance.ts"
import { listenToKeys } from "./app/keys.ts"
import { takeLinkToken } from "./app/link-token.ts"
import { onlyConnected } from "./app/only-connected.ts"
import { listenForTyping } from "./app/pending-overlay.ts"
import { Providers } from "./app/providers.tsx"
import { makeSessionEnds } from "./app/session-ends.ts"
import { forgetFailedStyles } from "./components/lazy-part.ts"
import { hubClock } from "./hub/hub-time.ts"
import { makeQueryClient } from "./hub/query-client.ts"
import { makeCallHealth } from "./live/call-health.ts"
import { makeLive } from "./live/live.ts"
import { makeRouter } from "./router.tsx"

export const start = (root: HTMLElement, client: HubClient = makeFetchClient({ clock: hubClock })): void => {
  const calls = makeCallHealth(client)
  const hub = onlyConnected(calls.hub)
  takeLinkToken()
  applyAppearance()
  const queries = makeQueryClient({ hub, onSignedOut: () => session.ended() })
  const live = makeLive({
    hub,
    queries,
    calls,
    onSignedOut: () => session.ended(),
    onSignedIn: () => session.beganElsewhere()
  })
  const session = makeSessionEnds(queries, () => live, () => router)
  const router = makeRouter({ queries, live })
  forgetFailedStyles()
  listenToKeys()
  listenForTyping()
  createRoot(root).render(
    <Providers queries={queries} console={{ live, session }}>
      <RouterProvider router={router} />
    </Providers>
  )
}

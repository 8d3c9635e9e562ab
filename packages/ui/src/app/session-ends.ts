/** Handles signing in and out, in every tab of the browser at once. */
import type { QueryClient } from "@tanstack/react-query"
import type { Live } from "../live/live.ts"
import { returnTo } from "./return-to.ts"

/** The parts of the router that are used. */
export interface RouterPort {
  readonly latestLocation: { readonly href: string; readonly pathname: string }
  readonly navigate: (
    to: { readonly to: "/sign-in"; readonly search: { readonly to?: string }; readonly replace?: boolean }
  ) => Promise<void>
  readonly history: { readonly replace: (href: string) => void }
}

export interface SessionEnds {
  /** The hub or another tab reports that the session ended. Safe to call twice. */
  readonly ended: () => void
  /** This tab signed in: drops the cache of any other person and opens the link. */
  readonly began: (to: string | undefined) => void
  /** Another tab signed in: a tab on the sign-in screen opens its own link. */
  readonly beganElsewhere: () => void
  /** The person signed out here. */
  readonly left: () => void
}

const signedOutPaths: ReadonlySet<string> = new Set(["/sign-in", "/login", "/stepped-up", "/setup", "/invite"])

export const makeSessionEnds = (queries: QueryClient, live: () => Live, router: () => RouterPort): SessionEnds => {
  const leave = (to: string | undefined) => {
    live().stop()
    void router().navigate({
      to: "/sign-in",
      search: to === undefined || to === "/" ? {} : { to },
      replace: to !== undefined
    }).then(() => queries.clear())
  }
  const openLink = (to: string | undefined) => {
    queries.clear()
    router().history.replace(returnTo(to))
  }
  return {
    ended: () => {
      const { href, pathname } = router().latestLocation
      if (!signedOutPaths.has(pathname)) leave(href)
    },
    began: (to) => {
      live().announceSignIn()
      openLink(to)
    },
    beganElsewhere: () => {
      const { href, pathname } = router().latestLocation
      if (pathname === "/sign-in") openLink(new URLSearchParams(href.slice(href.indexOf("?"))).get("to") ?? undefined)
      else if (!signedOutPaths.has(pathname)) void queries.invalidateQueries()
    },
    left: () => {
      live().announceSignOut()
      leave(undefined)
    }
  }
}

/** Signing in and out, in every tab of the browser at once. */
import type { QueryClient } from "@tanstack/react-query"
import type { Live } from "../live/live.ts"
import { returnTo } from "./return-to.ts"

/** What of the router is used. */
export interface Ways {
  readonly latestLocation: { readonly href: string; readonly pathname: string }
  readonly navigate: (
    to: { readonly to: "/sign-in"; readonly search: { readonly to?: string }; readonly replace?: boolean }
  ) => Promise<void>
  readonly history: { readonly replace: (href: string) => void }
}

export interface SessionEnds {
  /** The hub says that nobody is signed in, or another tab does. Twice is once. */
  readonly ended: () => void
  /** This tab signed in: what another person saw before is forgotten, and the link is opened. */
  readonly began: (to: string | undefined) => void
  /** Another tab signed in: a tab that waits at the door goes on to its own link. */
  readonly beganElsewhere: () => void
  /** The person signed out here. */
  readonly left: () => void
}

const doors: ReadonlySet<string> = new Set(["/sign-in", "/setup"])

export const makeSessionEnds = (queries: QueryClient, live: () => Live, ways: () => Ways): SessionEnds => {
  const leave = (to: string | undefined) => {
    live().stop()
    void ways().navigate({
      to: "/sign-in",
      search: to === undefined || to === "/" ? {} : { to },
      replace: to !== undefined
    }).then(() => queries.clear())
  }
  const goOn = (to: string | undefined) => {
    queries.clear()
    ways().history.replace(returnTo(to))
  }
  return {
    ended: () => {
      const { href, pathname } = ways().latestLocation
      if (!doors.has(pathname)) leave(href)
    },
    began: (to) => {
      live().tellSignedIn()
      goOn(to)
    },
    beganElsewhere: () => {
      const { href, pathname } = ways().latestLocation
      if (pathname === "/sign-in") goOn(new URLSearchParams(href.slice(href.indexOf("?"))).get("to") ?? undefined)
      else if (!doors.has(pathname)) void queries.invalidateQueries()
    },
    left: () => {
      live().tellSignedOut()
      leave(undefined)
    }
  }
}

/**
 * What came since a list was read. New rows wait behind a bar, so that nothing moves under the pointer; `show` reads the list again from
 * its top. Rows that a list holds already are replaced in place (`follow.ts`), which moves nothing.
 */
import { type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useCallback, useSyncExternalStore } from "react"
import type { ListName } from "../hub/contract.ts"
import { keyOfQuery, reaches } from "../hub/touch.ts"

/** Beyond it one counts no more: "100+". */
export const arrivalsMax = 100

export interface Arrivals {
  /** `token` tells two news of one thing to be one. */
  readonly add: (endpoint: ListName, workspace: string, token: string) => void
  readonly count: (endpoint: ListName, workspace: string | null) => number
  readonly clear: (endpoint: ListName, workspace: string | null) => void
  readonly subscribe: (listener: () => void) => () => void
}

export const makeArrivals = (): Arrivals => {
  const tokens = new Map<ListName, Map<string, Set<string>>>()
  const listeners = new Set<() => void>()
  const tell = () => listeners.forEach((listener) => listener())
  return {
    add: (endpoint, workspace, token) => {
      const byWorkspace = tokens.get(endpoint) ?? new Map<string, Set<string>>()
      tokens.set(endpoint, byWorkspace)
      const set = byWorkspace.get(workspace) ?? new Set<string>()
      byWorkspace.set(workspace, set)
      if (set.size >= arrivalsMax || set.has(token)) return
      set.add(token)
      tell()
    },
    count: (endpoint, workspace) => {
      const byWorkspace = tokens.get(endpoint)
      if (byWorkspace === undefined) return 0
      if (workspace !== null) return byWorkspace.get(workspace)?.size ?? 0
      let count = 0
      for (const set of byWorkspace.values()) count += set.size
      return Math.min(count, arrivalsMax)
    },
    clear: (endpoint, workspace) => {
      if (workspace === null) tokens.delete(endpoint)
      else tokens.get(endpoint)?.delete(workspace)
      tell()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}

export const arrivals = makeArrivals()

/** Reads the lists of an endpoint again from their first page. */
const readFromTop = (queries: QueryClient, endpoint: ListName, workspace: string | null): Promise<void> => {
  const ofList = { predicate: (query: { readonly queryKey: ReadonlyArray<unknown> }) => reaches(keyOfQuery(query), workspace, [endpoint]) }
  for (const query of queries.getQueryCache().findAll(ofList)) {
    const data = query.state.data as { readonly pages?: ReadonlyArray<unknown>; readonly pageParams?: ReadonlyArray<unknown> } | undefined
    // The first page that is held may not be the first of the list.
    if (data?.pages !== undefined && data.pages.length > 0) {
      if (data.pageParams?.[0] === null) query.setData({ pages: data.pages.slice(0, 1), pageParams: [null] })
      else query.reset()
    }
  }
  return queries.invalidateQueries(ofList)
}

/** `workspace` null: of all workspaces. Scroll to the list's top when `show` is pressed. */
export const useArrivals = (endpoint: ListName, workspace: string | null) => {
  const queries = useQueryClient()
  const count = useSyncExternalStore(arrivals.subscribe, () => arrivals.count(endpoint, workspace))
  const show = useCallback(() => {
    arrivals.clear(endpoint, workspace)
    return readFromTop(queries, endpoint, workspace)
  }, [queries, endpoint, workspace])
  return { count, show }
}

/**
 * New rows since a list was read. They are only counted, so that nothing moves under the pointer; `show` refetches the
 * list from its top. Rows that a list already has are replaced in place (`follow.ts`), which moves nothing.
 */
import type { ListName } from "@countersign/hub-client/contract"
import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query"
import { useCallback, useSyncExternalStore } from "react"
import { keyOfQuery, reaches } from "../hub/touch.ts"

/** Larger counts are shown as "100+". */
export const arrivalsMax = 100

export interface Arrivals {
  /** `token` identifies repeated news of one object: its id, or the version of the log. */
  readonly add: (endpoint: ListName, workspace: string, token: string) => void
  readonly count: (endpoint: ListName, workspace: string | null) => number
  /** The same array until something changes. */
  readonly of: (endpoint: ListName) => ReadonlyArray<Arrival>
  /** Clears arrivals up to a mark and those that the list contains; without a mark, all of them. */
  readonly clear: (endpoint: ListName, workspace: string | null, upTo?: number, held?: ReadonlySet<string>) => void
  /** The current position in the order of arrivals. */
  readonly mark: () => number
  readonly subscribe: (listener: () => void) => () => void
}

export interface Arrival {
  readonly workspace: string
  readonly token: string
  readonly at: number
}

const none: ReadonlyArray<Arrival> = []

export const makeArrivals = (): Arrivals => {
  const byList = new Map<ListName, ReadonlyArray<Arrival>>()
  const listeners = new Set<() => void>()
  let last = 0
  const isOf = (workspace: string | null) => (each: Arrival) => workspace === null || each.workspace === workspace
  const set = (endpoint: ListName, next: ReadonlyArray<Arrival>) => {
    byList.set(endpoint, next)
    listeners.forEach((listener) => listener())
  }
  return {
    add: (endpoint, workspace, token) => {
      last++
      const before = byList.get(endpoint) ?? []
      const same = before.find((each) => each.workspace === workspace && each.token === token)
      if (same === undefined && before.filter(isOf(workspace)).length >= arrivalsMax) return
      set(endpoint, [...before.filter((each) => each !== same), { workspace, token, at: last }])
    },
    count: (endpoint, workspace) => Math.min(arrivalsMax, (byList.get(endpoint) ?? []).filter(isOf(workspace)).length),
    of: (endpoint) => byList.get(endpoint) ?? none,
    clear: (endpoint, workspace, upTo = last, held) => {
      const before = byList.get(endpoint)
      if (before === undefined || before.length === 0) return
      const isMine = isOf(workspace)
      set(endpoint, before.filter((each) => !isMine(each) || (each.at > upTo && held?.has(each.token) !== true)))
    },
    mark: () => last,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}

export const arrivals = makeArrivals()

interface Pages {
  readonly pages: ReadonlyArray<{ readonly data: ReadonlyArray<{ readonly id?: string }> }>
  readonly pageParams: ReadonlyArray<unknown>
}

/** Clears the arrivals of a list that was read from its first page, since it contains them. */
export const clearWhatIsRead = (queries: QueryClient): () => void => {
  const begun = new WeakMap<Query, number>()
  return queries.getQueryCache().subscribe((event) => {
    if (event.type !== "updated") return
    const { action, query } = event
    const key = keyOfQuery(query)
    if (key === undefined || key[3] !== "pages") return
    if (action.type === "fetch") begun.set(query, arrivals.mark())
    else if (action.type === "success" && action.manual !== true && query.state.fetchMeta?.fetchMore === undefined) {
      const { pageParams, pages } = query.state.data as Pages
      const held = new Set(pages.flatMap((page) => page.data.flatMap(({ id }) => id ?? [])))
      if (pageParams[0] === null) arrivals.clear(key[0] as ListName, key[1], begun.get(query) ?? 0, held)
    }
  })
}

/** Refetches the lists of an endpoint from their first page. */
const readFromTop = (queries: QueryClient, endpoint: ListName, workspace: string | null): Promise<void> => {
  const ofList = { predicate: (query: Query) => reaches(keyOfQuery(query), workspace, [endpoint]) }
  for (const query of queries.getQueryCache().findAll(ofList)) {
    const data = query.state.data as Partial<Pages> | undefined
    if (data?.pages === undefined || data.pages.length === 0) continue
    // The first loaded page may not be the first of the list.
    if (data.pageParams?.[0] === null) query.setData({ pages: data.pages.slice(0, 1), pageParams: [null] })
    else query.reset()
  }
  return queries.invalidateQueries(ofList)
}

/**
 * `workspace` null: all workspaces. `ids`: the tokens of the arrivals. Scroll to the list's top when `show` is called.
 */
export const useArrivals = (endpoint: ListName, workspace: string | null) => {
  const queries = useQueryClient()
  const all = useSyncExternalStore(arrivals.subscribe, () => arrivals.of(endpoint))
  const ids = all.filter((each) => workspace === null || each.workspace === workspace).map(({ token }) => token)
  const show = useCallback(() => readFromTop(queries, endpoint, workspace), [queries, endpoint, workspace])
  return { count: Math.min(arrivalsMax, ids.length), ids, show }
}

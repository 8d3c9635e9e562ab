/**
 * The loaded rows of a long list and their position in the list. At most 400 are in memory: pages at the other end are
 * dropped and fetched again on return. The start of each page is recorded when it is first loaded, so that rows never
 * change position.
 */
import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  type UseInfiniteQueryOptions,
  type UseInfiniteQueryResult,
  useQueryClient
} from "@tanstack/react-query"
import { useCallback, useEffect, useRef } from "react"
import { type HubKey, rowsOf } from "../hub/query-options.ts"

interface PageOf<R> {
  readonly data: ReadonlyArray<R>
  readonly next_cursor: string | null
}
type Pages<R> = InfiniteData<PageOf<R>, string | null>

/** The result of `hubPages` for any list. */
export interface ListOptions {
  readonly queryKey: HubKey
  readonly queryFn?: unknown
}

export interface Held<R> {
  readonly pages: UseInfiniteQueryResult<Pages<R>>
  readonly rows: ReadonlyArray<R>
  /** Index of the first loaded row in the list. */
  readonly offset: number
  /** Number of known rows. */
  readonly count: number
  /** Called by the table with the visible range. */
  readonly onRange: (first: number, end: number) => void
  /** The list with its filters. */
  readonly name: string
}

/** Rows that are loaded ahead of the visible ones. */
const aheadRows = 40
const listsMax = 50

interface Places {
  /** Index of a page's first row, by the page's own cursor; "" for the first page. */
  readonly starts: Map<string, number>
  /** Number of rows that were ever loaded. */
  reached: number
}

const known = new Map<string, Places>()

const placesOf = (name: string): Places => {
  const found = known.get(name) ?? { starts: new Map([["", 0]]), reached: 0 }
  known.delete(name)
  if (known.size >= listsMax) known.delete(known.keys().next().value ?? "")
  known.set(name, found)
  return found
}

/** Records the start of each loaded page; returns the index of the first row. */
export const placed = <R>(places: Places, { pageParams, pages }: Pages<R>): number => {
  const first = places.starts.get(pageParams[0] ?? "") ?? 0
  let at = first
  pages.forEach((page, index) => {
    places.starts.set(pageParams[index] ?? "", at)
    at += page.data.length
    if (page.next_cursor !== null) places.starts.set(page.next_cursor, at)
  })
  const isEnd = pages.at(-1)?.next_cursor === null
  places.reached = isEnd ? at : Math.max(places.reached, at)
  return first
}

/** The cursor of the page with this row, as far as the list was ever loaded. */
export const cursorAt = ({ starts }: Places, index: number): string =>
  [...starts].reduce(
    ([cursor, best], [each, start]) =>
      start <= index && start > best ? [each, start] as const : [cursor, best] as const,
    ["", 0] as readonly [string, number]
  )[0]

export const makePlaces = (): Places => ({ starts: new Map([["", 0]]), reached: 0 })

/** `useHeldRows<Row<"audit.list">>(hubPages("audit.list", …))`. */
export const useHeldRows = <R>(options: ListOptions): Held<R> => {
  const queries = useQueryClient()
  const pages = useInfiniteQuery(
    { ...options, placeholderData: keepPreviousData } as unknown as UseInfiniteQueryOptions<
      PageOf<R>,
      Error,
      Pages<R>,
      HubKey,
      string | null
    >
  )
  const name = JSON.stringify(options.queryKey)
  const { data } = pages
  const places = placesOf(name)
  const offset = data === undefined || pages.isPlaceholderData ? 0 : placed(places, data)
  const rows = rowsOf(data)
  const count = pages.isPlaceholderData ? rows.length : Math.max(places.reached, offset + rows.length)

  const sight = useRef({ first: 0, end: aheadRows })
  const jumping = useRef<string>(undefined)
  const pull = useRef<() => void>(undefined)
  useEffect(() => {
    pull.current = () => {
      const { end, first } = sight.current
      const held = offset + rows.length
      if (pages.isPlaceholderData || pages.isError || data === undefined) return
      if (rows.length > 0 && (first >= held + aheadRows || end + aheadRows <= offset)) {
        return jump(cursorAt(places, first))
      }
      if (pages.isFetching || jumping.current !== undefined) return
      if (end + aheadRows > held && pages.hasNextPage) void pages.fetchNextPage()
      else if (first - aheadRows < offset && pages.hasPreviousPage) void pages.fetchPreviousPage()
    }
    pull.current()
  })
  /** After a drag over a long distance, the page there is fetched by its cursor, without the pages between. */
  const jump = (cursor: string) => {
    if (jumping.current === cursor) return
    jumping.current = cursor
    const pageParam = cursor === "" ? null : cursor
    const read = options.queryFn as (context: unknown) => Promise<PageOf<R>>
    const isWanted = () => jumping.current === cursor
    void queries.cancelQueries({ queryKey: options.queryKey, exact: true })
      .then(() =>
        read({ client: queries, pageParam, queryKey: options.queryKey, signal: new AbortController().signal })
      )
      .then((page) => {
        if (!isWanted()) return
        jumping.current = undefined
        queries.setQueryData<Pages<R>>(options.queryKey, { pages: [page], pageParams: [pageParam] })
      }, () => {
        if (isWanted()) jumping.current = undefined
      })
  }
  const onRange = useCallback((first: number, end: number) => {
    sight.current = { first, end }
    pull.current?.()
  }, [])

  return { pages, rows, offset, count, onRange, name }
}

/**
 * TanStack Query options for screens, created from an endpoint's name. A key is `[endpoint, workspace, input]`, so that
 * events and mutations find affected queries by the endpoint and the workspace (`touch.ts`).
 */
import type { HubClient } from "@countersign/hub-client/client"
import type { AnyInput, EndpointName, Input, ListName, ListPage, Output, Row } from "@countersign/hub-client/contract"
import { HubError } from "@countersign/hub-client/error"
import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query"

/** Rows of one page. */
export const pageRows = 50
/** Maximum rows in a list; pages at the other end are dropped and fetched again on the way back. */
export const heldRowsMax = 400

/**
 * `form` is the shape of the data: one answer, pages of a list, or all rows of it. Keys are created only here, so that
 * two definitions of one key cannot have different shapes.
 */
export type HubKey = readonly [
  endpoint: EndpointName,
  workspace: string | null,
  input: AnyInput,
  form?: "pages" | "all"
]

const clients = new WeakMap<QueryClient, HubClient>()

/** Sets the hub for the queries of a QueryClient. */
export const bindHub = (queries: QueryClient, hub: HubClient): void => {
  clients.set(queries, hub)
}

export const hubOf = (queries: QueryClient): HubClient => {
  const hub = clients.get(queries)
  if (hub === undefined) throw new Error("This QueryClient has no hub.")
  return hub
}

/** One answer of a GET. `workspace` null: for the person, not for a workspace. */
export const hubQuery = <E extends EndpointName>(endpoint: E, workspace: string | null, input: Input<E>) =>
  queryOptions({
    queryKey: [endpoint, workspace, input] as HubKey,
    queryFn: ({ client, signal }): Promise<Output<E>> =>
      hubOf(client).call(endpoint, input, { signal, workspace: workspace ?? undefined })
  })

/** One page of a list, for an endpoint that can also answer in another form. */
export const hubPage = <E extends ListName>(endpoint: E, workspace: string, input: Input<E>) =>
  queryOptions({
    queryKey: [endpoint, workspace, input as AnyInput] as HubKey,
    queryFn: async ({ client, signal }): Promise<ListPage<E>> =>
      await hubOf(client).call(endpoint, input, { signal, workspace }) as ListPage<E>
  })

const clockDoubtMillis = 15_000

const isClockDoubt = (error: unknown): boolean =>
  error instanceof HubError && Array.isArray(error.data["checks"]) &&
  error.data["checks"].some((check: { readonly name?: unknown; readonly ok?: unknown }) =>
    check.name === "clock" && check.ok === false
  )

/** True while the hub is not ready because its clock is unreliable; any other answer, or none, is false. */
export const clockDoubtQuery = queryOptions({
  queryKey: ["discovery.ready", null, {}] as HubKey,
  queryFn: ({ client, signal }): Promise<boolean> =>
    hubOf(client).call("discovery.ready", {}, { signal }).then(() => false, isClockDoubt),
  refetchInterval: clockDoubtMillis
})

/** Cursors lead forward only, so the previous page's cursor is kept by the list and the page's own cursor. */
const reachedFrom = new Map<string, string | null>()
const reachedFromMax = 20_000

/**
 * A list by cursor, 50 rows per page, at most 400 in memory. `input.query` has the filters, never `cursor` or `limit`.
 * Use with `useInfiniteQuery`; `rowsOf(data)` gives the rows.
 */
export const hubPages = <E extends ListName>(endpoint: E, workspace: string | null, input: Input<E>) => {
  const queryKey: HubKey = [endpoint, workspace, input as AnyInput, "pages"]
  const name = JSON.stringify(queryKey)
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: null as string | null,
    maxPages: heldRowsMax / pageRows,
    queryFn: async ({ client, pageParam, signal }): Promise<ListPage<E>> => {
      const { query, ...rest } = input as AnyInput
      const asked = {
        ...rest,
        query: { ...query, limit: pageRows, ...pageParam === null ? {} : { cursor: pageParam } }
      }
      const page = await hubOf(client).call(endpoint, asked as unknown as Input<E>, {
        signal,
        workspace: workspace ?? undefined
      })
      const next = (page as { readonly next_cursor: string | null }).next_cursor
      if (next !== null) {
        if (reachedFrom.size >= reachedFromMax) reachedFrom.delete(reachedFrom.keys().next().value ?? "")
        reachedFrom.set(name + next, pageParam)
      }
      return page as ListPage<E>
    },
    getNextPageParam: (page) => (page as { readonly next_cursor: string | null }).next_cursor ?? undefined,
    getPreviousPageParam: (_page, _pages, param) => param === null ? undefined : reachedFrom.get(name + param)
  })
}

/** Maximum number of pages that `hubAll` reads. */
const allPagesMax = 5
const allPageRows = 200

/** All rows of a bounded list, up to 1,000. `input.query` has the filters, never `cursor` or `limit`. */
export const hubAll = <E extends ListName>(
  endpoint: E,
  workspace: string | null,
  filtered: Input<E> = {} as Input<E>
) =>
  queryOptions({
    queryKey: [endpoint, workspace, filtered as AnyInput, "all"] as HubKey,
    queryFn: async ({ client, signal }): Promise<ReadonlyArray<Row<E>>> => {
      const rows: Array<Row<E>> = []
      let cursor: string | null = null
      for (let page = 0; page < allPagesMax; page++) {
        const { query, ...rest } = filtered as AnyInput
        const input = { ...rest, query: { ...query, limit: allPageRows, ...cursor === null ? {} : { cursor } } }
        const answer: ListPage<E> = await hubOf(client).call(endpoint, input as unknown as Input<E>, {
          signal,
          workspace: workspace ?? undefined
        }) as ListPage<E>
        const { data, next_cursor } = answer as {
          readonly data: ReadonlyArray<Row<E>>
          readonly next_cursor: string | null
        }
        rows.push(...data)
        cursor = next_cursor
        if (cursor === null) break
      }
      return rows
    }
  })

/** The rows of the loaded pages, in the hub's order. */
export const rowsOf = <Item>(
  data: { readonly pages: ReadonlyArray<{ readonly data: ReadonlyArray<Item> }> } | undefined
): ReadonlyArray<Item> =>
  data === undefined ? [] : data.pages.length === 1 ? data.pages[0]!.data : data.pages.flatMap((page) => page.data)

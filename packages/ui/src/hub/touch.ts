/** Finds the queries that a change affects, by the names in their keys. */
import type { EndpointName } from "@countersign/hub-client/contract"
import type { Query, QueryClient } from "@tanstack/react-query"
import type { HubKey } from "./query-options.ts"

type GroupOf<E> = E extends `${infer Group}.${string}` ? Group : never
/** One endpoint, or all endpoints of a group. */
export type Touched = EndpointName | GroupOf<EndpointName>

export const keyOfQuery = (query: { readonly queryKey: Query["queryKey"] }): HubKey | undefined =>
  typeof query.queryKey[0] === "string" && query.queryKey[0].includes(".")
    ? query.queryKey as unknown as HubKey
    : undefined

/** A query over all workspaces (`workspace=all`, or the person's own) belongs to every workspace. */
const isOf = (key: HubKey, workspace: string | null): boolean =>
  workspace === null || key[1] === workspace || key[1] === null || key[2].query?.["workspace"] === "all"

export const reaches = (
  key: HubKey | undefined,
  workspace: string | null,
  touched: ReadonlyArray<Touched>
): key is HubKey => {
  if (key === undefined || !isOf(key, workspace)) return false
  const [endpoint] = key
  const group = endpoint.slice(0, endpoint.indexOf("."))
  return touched.some((name) => name === endpoint || name === group)
}

/** Refetches visible queries and marks the others as stale. Resolves after the refetch. */
export const touch = (queries: QueryClient, workspace: string | null, touched: ReadonlyArray<Touched>): Promise<void> =>
  touched.length === 0
    ? Promise.resolve()
    : queries.invalidateQueries({ predicate: (query) => reaches(keyOfQuery(query), workspace, touched) })

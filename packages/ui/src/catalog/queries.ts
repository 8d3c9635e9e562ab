import type { Output, Row } from "../hub/contract.ts"
import { hubOf, hubQuery } from "../hub/queries.ts"
import { queryOptions } from "@tanstack/react-query"
import type { HubKey } from "../hub/queries.ts"

export type Service = Row<"services.list">
export type Operation = Service["operations"][number]
export type Price = Operation["price"]

const pageMax = 200
/** A workspace may declare 500 beside those that the hub ships. */
const pagesMax = 5

/** The whole catalog, in order of name: the hub has no search for it, and it is bounded. */
export const allServices = (workspace: string) =>
  queryOptions({
    queryKey: ["services.list", workspace, { query: { limit: pageMax } }] as HubKey,
    queryFn: async ({ client, signal }): Promise<ReadonlyArray<Service>> => {
      const found: Array<Service> = []
      let cursor: string | null = null
      for (let page = 0; page < pagesMax; page++) {
        const answer: Output<"services.list"> = await hubOf(client).call(
          "services.list", { query: { limit: pageMax, ...cursor === null ? {} : { cursor } } }, { signal, workspace }
        )
        found.push(...answer.data)
        cursor = answer.next_cursor
        if (cursor === null) break
      }
      return found
    }
  })

export const serviceQuery = (workspace: string, name: string) => hubQuery("services.get", workspace, { params: { name } })

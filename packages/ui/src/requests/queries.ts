/** Queries of the request screens. A period includes its last day; the hub takes an exclusive end. */
import { type Input, type Row } from "@countersign/hub-client/contract"
import { hubPages, hubQuery } from "../hub/queries.ts"
import { untilMoment } from "../listing/period.ts"

export type RequestFilters = Omit<NonNullable<Input<"service_requests.list">["query"]>, "cursor" | "limit">
export type ServiceRequestRow = Row<"service_requests.list">

export const requestPages = (workspace: string, filters: RequestFilters) =>
  hubPages("service_requests.list", workspace, { query: untilMoment(filters) })

export const traceQuery = (workspace: string, id: string) => hubQuery("traces.get", workspace, { params: { id } })

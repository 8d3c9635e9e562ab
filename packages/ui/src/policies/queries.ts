import type { Row } from "@countersign/hub-client/contract"
import { hubQuery } from "../hub/queries.ts"

export type Policy = Row<"policies.list">

/** All of them: a workspace has at most 200. */
const rowsMax = 200

export const policiesQuery = (workspace: string) => hubQuery("policies.list", workspace, { query: { limit: rowsMax } })
export const policyQuery = (workspace: string, id: string) => hubQuery("policies.get", workspace, { params: { id } })

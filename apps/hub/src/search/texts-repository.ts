/** Conditions over the texts of requests, for the list of requests and for the global search. */
import type { OrgId } from "@countersign/domain/ids"
import type { SqlClient, Statement } from "effect/sql"
import { likePattern } from "../platform/db.ts"

/** Maximum number of collected index hits; with more, the newest texts are compared instead, which soon fill a page. */
export const hitsMax = 5_000
/** The newest texts, which are compared if the index does not help. */
export const unindexedTextsMax = 20_000

/** The text of `t` contains the folded text `part`. */
export const hasText = (sql: SqlClient.SqlClient, part: string): Statement.Fragment =>
  sql`t.text like ${likePattern(part)}`

/** The newest texts of a workspace as `t`. */
export const newestTexts = (sql: SqlClient.SqlClient, org: OrgId, max: number, before?: string): Statement.Fragment =>
  sql`(select * from request_texts t where t.org_id = ${org} ${
    before === undefined ? sql`` : sql`and t.request_id < ${before}`
  }
    order by t.request_id desc limit ${max}) t`

/** The conditions of a list of requests. Spec: contract 2 "list". */
import { idFloor, idSlackMillis } from "@countersign/domain/ids"
import type { RequestStatus } from "@countersign/domain/service-requests"
import type { SqlClient, Statement } from "effect/sql"
import { textArray } from "../platform/db.ts"
import { foldText, isIndexable } from "../search/rules.ts"

export interface ListFilter {
  readonly limit: number
  readonly after: string | undefined
  readonly status: ReadonlyArray<RequestStatus> | undefined
  readonly agent_id: string | undefined
  /** Only of agents that this person owns. */
  readonly owner_user_id: string | undefined
  readonly service: string | undefined
  readonly operation: string | undefined
  /** Only requests that this standing approval let pass. */
  readonly standing_approval_id: string | undefined
  readonly mode: string | undefined
  /** Bounds of `created_at` in milliseconds: from inclusive, to exclusive. */
  readonly from: number | undefined
  readonly to: number | undefined
  readonly q: string | undefined
  /** `service.operation` of those whose payloads `q` is looked for in; undefined: of all. */
  readonly searched: ReadonlyArray<string> | undefined
}

/** The stored time decides; the bound on the id only shortens the walk. */
export const between = (sql: SqlClient.SqlClient, id: Statement.Fragment, at: Statement.Fragment, { from, to }: ListFilter) => [
  ...from === undefined ? [] : [sql`${id} >= ${idFloor("req", from - idSlackMillis)}`, sql`${at} >= ${new Date(from)}`],
  ...to === undefined ? [] : [sql`${id} < ${idFloor("req", to + idSlackMillis)}`, sql`${at} < ${new Date(to)}`]
]

const escapeLike = (text: string) => text.replace(/[\\%_]/g, (character) => `\\${character}`)

/** Of statuses that most requests have: looked at while the list is walked. */
export const inState = (sql: SqlClient.SqlClient, status: ReadonlyArray<RequestStatus>) =>
  sql.or([
    sql`s.status = any(${status}::text[])`,
    ...status.includes("running") ? [sql`(s.request_id is null and h.request_id is not null)`] : [],
    ...status.includes("approval_required") ? [sql`(s.request_id is null and h.request_id is null)`] : []
  ])

/** Of statuses that few may have: found by their own indexes, a page of each, or the walk would be as long as the table. */
const rare = (
  sql: SqlClient.SqlClient,
  org: string,
  filter: ListFilter,
  status: ReadonlyArray<RequestStatus>
) => {
  const narrowed: Array<Statement.Fragment> = [sql`x.org_id = ${org}`, ...between(sql, sql`x.request_id`, sql`b.created_at`, filter)]
  if (filter.after !== undefined) narrowed.push(sql`x.request_id < ${filter.after}`)
  if (filter.agent_id !== undefined) narrowed.push(sql`x.agent_id = ${filter.agent_id}`)
  if (filter.service !== undefined) narrowed.push(sql`x.service = ${filter.service}`)
  if (filter.operation !== undefined) narrowed.push(sql`x.operation = ${filter.operation}`)
  if (filter.mode !== undefined) narrowed.push(sql`x.mode = ${filter.mode}`)
  if (filter.standing_approval_id !== undefined) {
    narrowed.push(sql`x.request_id in (select request_id from standing_uses
      where org_id = ${org} and standing_approval_id = ${filter.standing_approval_id})`)
  }
  const begun = filter.from === undefined && filter.to === undefined
    ? sql``
    : sql`join requests b on b.org_id = x.org_id and b.id = x.request_id`
  // What only the request tells cannot be counted here.
  const page = filter.owner_user_id === undefined && (filter.q ?? "") === ""
    ? sql`order by x.request_id desc limit ${filter.limit + 1}`
    : sql``
  const from = (table: Statement.Fragment, ...more: ReadonlyArray<Statement.Fragment>) =>
    sql`(select x.request_id from ${table} x ${begun} where ${sql.and([...narrowed, ...more])} ${page})`
  return sql.join(" union all ", false)([...new Set(status)].map((state) => {
    if (state === "running") return from(sql`holds`)
    if (state === "approval_required") return from(sql`approvals`, sql`x.status = 'pending'`)
    return from(sql`settlements`, sql`x.status <> 'executed'`, sql`x.status = ${state}`)
  }))
}

/** Requests that a search reads directly, the newest: they may not be indexed yet. */
const recentRows = 2_000
/** Texts that a search reads when no index answers it. */
const unindexedRows = 20_000
/** A search with so many hits is answered by a walk from the newest request on, which soon finds a page of them. */
export const hitsMax = 5_000

/** What a request itself tells, in the order of its indexes. */
const ownConditions = (sql: SqlClient.SqlClient, org: string, filter: ListFilter): ReadonlyArray<Statement.Fragment> => {
  const conditions: Array<Statement.Fragment> = [sql`r.org_id = ${org}`, ...between(sql, sql`r.id`, sql`r.created_at`, filter)]
  if (filter.after !== undefined) conditions.push(sql`r.id < ${filter.after}`)
  if (filter.agent_id !== undefined) conditions.push(sql`r.agent_id = ${filter.agent_id}`)
  if (filter.service !== undefined) conditions.push(sql`r.service = ${filter.service}`)
  if (filter.operation !== undefined) conditions.push(sql`r.operation = ${filter.operation}`)
  if (filter.mode !== undefined) conditions.push(sql`r.mode = ${filter.mode}`)
  if (filter.standing_approval_id !== undefined) {
    conditions.push(sql`r.id in (select request_id from standing_uses
      where org_id = ${org} and standing_approval_id = ${filter.standing_approval_id})`)
  }
  return conditions
}

/** The newest requests, which may not be indexed yet. */
export const recentRequests = (sql: SqlClient.SqlClient, org: string, filter: ListFilter): Statement.Fragment =>
  sql`(select * from requests r where ${sql.and(ownConditions(sql, org, filter))} order by r.id desc limit ${recentRows})`

const textMatches = (sql: SqlClient.SqlClient, q: string) => sql`t.text like ${`%${escapeLike(foldText(q))}%`}`

/** Ids of requests whose indexed text has `q`, at most `hitsMax` in any order; without the index, among the newest texts. */
export const textHits = (sql: SqlClient.SqlClient, org: string, filter: ListFilter, indexed: boolean): Statement.Fragment => {
  const q = filter.q ?? ""
  const before = filter.after === undefined ? sql`` : sql`and t.request_id < ${filter.after}`
  return indexed && isIndexable(foldText(q))
    ? sql`select t.request_id from request_texts t where t.org_id = ${org} ${before} and ${textMatches(sql, q)} limit ${hitsMax}`
    : sql`select t.request_id from (select * from request_texts t where t.org_id = ${org} ${before} order by t.request_id desc
        limit ${unindexedRows}) t where ${textMatches(sql, q)} limit ${hitsMax}`
}

/** `q` in the request's own columns, or in its payload if a person sees all of that. `inText` says whether the payload matches. */
const matchesText = (sql: SqlClient.SqlClient, filter: ListFilter, inText: Statement.Fragment): Statement.Fragment => {
  const q = filter.q ?? ""
  return sql`(r.id = ${q} or r.service || '.' || r.operation ilike ${`%${escapeLike(q)}%`}
    or (${inText} ${filter.searched === undefined ? sql`` : sql`and r.service || '.' || r.operation = any(${filter.searched}::text[])`}))`
}

/** For the newest requests: a text that is not indexed yet is compared as it is stored. */
export const matchesRecent = (sql: SqlClient.SqlClient, filter: ListFilter, hits: ReadonlyArray<string>): Statement.Fragment =>
  matchesText(sql, filter, sql`(r.id = any(${textArray([...hits])}) or (r.payload ilike ${`%${escapeLike(filter.q ?? "")}%`}
    and not exists (select 1 from request_texts t where t.org_id = r.org_id and t.request_id = r.id)))`)

/** For all others; `hits` are undefined when there are too many, and the list is walked from its newest request. */
export const matchesIndexed = (
  sql: SqlClient.SqlClient,
  filter: ListFilter,
  hits: ReadonlyArray<string> | undefined
): Statement.Fragment =>
  hits === undefined
    ? matchesText(sql, filter, sql`exists (select 1 from request_texts t where t.org_id = r.org_id and t.request_id = r.id
        and ${textMatches(sql, filter.q ?? "")})`)
    : sql`r.id = any(${textArray([...hits])}) and ${matchesText(sql, filter, sql`true`)}`

/** All but the text, over `requestJoins`. */
export const listConditions = (sql: SqlClient.SqlClient, org: string, filter: ListFilter): Statement.Fragment => {
  const conditions = [...ownConditions(sql, org, filter)]
  if (filter.owner_user_id !== undefined) {
    conditions.push(
      sql`r.agent_id in (select id from agents where org_id = ${org} and owner_user_id = ${filter.owner_user_id})`
    )
  }
  if (filter.status !== undefined) {
    conditions.push(
      filter.status.includes("executed") ? inState(sql, filter.status) : sql`r.id in (${rare(sql, org, filter, filter.status)})`
    )
  }
  return sql.and(conditions)
}

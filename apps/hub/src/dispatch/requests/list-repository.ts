/** The conditions of a list of requests. Spec: reference/requests.md "Reading requests". */
import { type AgentId, idFloor, idSlackMillis, type OrgId } from "@countersign/domain/ids"
import type { RequestStatus } from "@countersign/domain/service-requests"
import type { SqlClient, Statement } from "effect/sql"
import { ofOwnAgents } from "../../auth/own-agents-repository.ts"
import { likePattern, textArray } from "../../platform/db.ts"
import { foldText, isIndexable } from "../../search/rules.ts"
import { hasText, hitsMax, newestTexts, unindexedTextsMax } from "../../search/texts-repository.ts"

export interface ListFilter {
  readonly limit: number
  readonly after: string | undefined
  readonly status: ReadonlyArray<RequestStatus> | undefined
  readonly agent_id: AgentId | undefined
  /** Only requests of agents that this person owns, and of agents of `teams`. */
  readonly owner_user_id: string | undefined
  readonly teams: ReadonlyArray<string>
  readonly service: string | undefined
  readonly operation: string | undefined
  /** Only requests that this standing approval admitted. */
  readonly standing_approval_id: string | undefined
  readonly mode: string | undefined
  /** Bounds of `created_at` in milliseconds: from inclusive, to exclusive. */
  readonly from: number | undefined
  readonly to: number | undefined
  readonly q: string | undefined
  /** `service.operation` of the operations whose payloads `q` searches; `undefined`: of all. */
  readonly searched: ReadonlyArray<string> | undefined
}

/** The stored time decides; the bound on the id only shortens the scan. */
export const between = (
  sql: SqlClient.SqlClient,
  id: Statement.Fragment,
  at: Statement.Fragment,
  { from, to }: ListFilter
) => [
  ...from === undefined ? [] : [sql`${id} >= ${idFloor("req", from - idSlackMillis)}`, sql`${at} >= ${new Date(from)}`],
  ...to === undefined ? [] : [sql`${id} < ${idFloor("req", to + idSlackMillis)}`, sql`${at} < ${new Date(to)}`]
]

/**
 * The conditions that requests share with the tables of their states: `row` has the columns, `id` names the request.
 */
const narrowing = (
  sql: SqlClient.SqlClient,
  org: OrgId,
  filter: ListFilter,
  { at, id, row }: {
    readonly row: Statement.Fragment
    readonly id: Statement.Fragment
    readonly at: Statement.Fragment
  }
): ReadonlyArray<Statement.Fragment> => [
  sql`${row}.org_id = ${org}`,
  ...between(sql, id, at, filter),
  ...filter.after === undefined ? [] : [sql`${id} < ${filter.after}`],
  ...filter.agent_id === undefined ? [] : [sql`${row}.agent_id = ${filter.agent_id}`],
  ...filter.service === undefined ? [] : [sql`${row}.service = ${filter.service}`],
  ...filter.operation === undefined ? [] : [sql`${row}.operation = ${filter.operation}`],
  ...filter.mode === undefined ? [] : [sql`${row}.mode = ${filter.mode}`],
  ...filter.standing_approval_id === undefined ? [] : [
    sql`${id} in (select request_id from standing_uses where org_id = ${org} and standing_approval_id = ${filter.standing_approval_id})`
  ]
]

/** For common statuses: filtered while the list is scanned. */
export const inState = (sql: SqlClient.SqlClient, status: ReadonlyArray<RequestStatus>) =>
  sql.or([
    sql`s.status = any(${status}::text[])`,
    ...status.includes("running") ? [sql`(s.request_id is null and h.request_id is not null)`] : [],
    ...status.includes("approval_required") ? [sql`(s.request_id is null and h.request_id is null)`] : []
  ])

/** For rare statuses: found by their own indexes, a page of each, because a scan could read the whole table. */
const rare = (
  sql: SqlClient.SqlClient,
  org: OrgId,
  filter: ListFilter,
  status: ReadonlyArray<RequestStatus>
) => {
  const narrowed = narrowing(sql, org, filter, { row: sql`x`, id: sql`x.request_id`, at: sql`b.created_at` })
  const begun = filter.from === undefined && filter.to === undefined
    ? sql``
    : sql`join requests b on b.org_id = x.org_id and b.id = x.request_id`
  // Conditions on the request's own columns cannot be counted here.
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

/** The newest requests, which may not be indexed yet. */
const recentRows = 2_000

/** Conditions on the request's own columns, in the order of its indexes. */
const ownConditions = (sql: SqlClient.SqlClient, org: OrgId, filter: ListFilter): ReadonlyArray<Statement.Fragment> =>
  narrowing(sql, org, filter, { row: sql`r`, id: sql`r.id`, at: sql`r.created_at` })

/**
 * Ids of requests whose indexed text contains `q`, at most `hitsMax` in any order; without the index, among the newest
 * texts.
 */
export const textHits = (
  sql: SqlClient.SqlClient,
  org: OrgId,
  filter: ListFilter,
  indexed: boolean
): Statement.Fragment => {
  const q = foldText(filter.q ?? "")
  const before = filter.after === undefined ? sql`` : sql`and t.request_id < ${filter.after}`
  return indexed && isIndexable(q)
    ? sql`select t.request_id from request_texts t where t.org_id = ${org} ${before} and ${
      hasText(sql, q)
    } limit ${hitsMax}`
    : sql`select t.request_id from ${newestTexts(sql, org, unindexedTextsMax, filter.after)} where ${
      hasText(sql, q)
    } limit ${hitsMax}`
}

/**
 * `q` in the request's own columns, or in its payload if the payload is shown without masks. `inText` tests whether the
 * payload matches.
 */
const matchesText = (sql: SqlClient.SqlClient, filter: ListFilter, inText: Statement.Fragment): Statement.Fragment => {
  const q = filter.q ?? ""
  return sql`(r.id = ${q} or r.service || '.' || r.operation ilike ${likePattern(q)}
    or (${inText} ${
    filter.searched === undefined ? sql`` : sql`and r.service || '.' || r.operation = any(${filter.searched}::text[])`
  }))`
}

/**
 * Ids of the newest requests whose text is not indexed yet and matches as stored. Read it before `textHits`, which
 * finds a text that is indexed meanwhile.
 */
export const unindexedHits = (sql: SqlClient.SqlClient, org: OrgId, filter: ListFilter): Statement.Fragment =>
  sql`select r.id as request_id
    from (select * from requests r where ${
    sql.and(ownConditions(sql, org, filter))
  } order by r.id desc limit ${recentRows}) r
    where not exists (select 1 from request_texts t where t.org_id = r.org_id and t.request_id = r.id)
      and ${matchesText(sql, filter, sql`r.payload ilike ${likePattern(filter.q ?? "")}`)}`

/** The requests that a search for `q` found. */
export interface Sought {
  readonly unindexed: ReadonlyArray<string>
  /** Matching indexed requests; `undefined`: too many to list, so the list is scanned from its newest request. */
  readonly indexed: ReadonlyArray<string> | undefined
}

export const matchesSought = (
  sql: SqlClient.SqlClient,
  filter: ListFilter,
  { indexed, unindexed }: Sought
): Statement.Fragment =>
  indexed === undefined
    ? matchesText(
      sql,
      filter,
      sql`(r.id = any(${textArray([...unindexed])}) or exists (select 1 from request_texts t
        where t.org_id = r.org_id and t.request_id = r.id and ${hasText(sql, foldText(filter.q ?? ""))}))`
    )
    : sql`r.id = any(${textArray([...unindexed, ...indexed])}) and ${matchesText(sql, filter, sql`true`)}`

/** All conditions except the text search, over `requestJoins`. */
export const listConditions = (sql: SqlClient.SqlClient, org: OrgId, filter: ListFilter): Statement.Fragment => {
  const conditions = [...ownConditions(sql, org, filter)]
  if (filter.owner_user_id !== undefined) {
    conditions.push(ofOwnAgents(sql, org, sql`r.agent_id`, filter.owner_user_id, filter.teams))
  }
  if (filter.status !== undefined) {
    conditions.push(
      filter.status.includes("executed")
        ? inState(sql, filter.status)
        : sql`r.id in (${rare(sql, org, filter, filter.status)})`
    )
  }
  return sql.and(conditions)
}

/** The conditions of a list of requests. Spec: contract 2 "list". */
import { idFloor } from "@countersign/domain/ids"
import type { RequestStatus } from "@countersign/domain/service-requests"
import type { SqlClient, Statement } from "effect/sql"

export interface ListFilter {
  readonly limit: number
  readonly after: string | undefined
  readonly status: ReadonlyArray<RequestStatus> | undefined
  readonly agent_id: string | undefined
  /** Only of agents that this person owns. */
  readonly owner_user_id: string | undefined
  readonly service: string | undefined
  readonly operation: string | undefined
  readonly mode: string | undefined
  /** Bounds of `created_at` in milliseconds: from inclusive, to exclusive. */
  readonly from: number | undefined
  readonly to: number | undefined
  readonly q: string | undefined
  /** `service.operation` of those whose payloads `q` is looked for in; undefined: of all. */
  readonly searched: ReadonlyArray<string> | undefined
}

/** The id of a request is made by a hub's clock, its time by the database's: they differ by less. */
const requestIdMillis = 60_000

/** Ids that lead to a time, and the time itself, in the table that has it. */
const between = (sql: SqlClient.SqlClient, id: Statement.Fragment, at: Statement.Fragment, { from, to }: ListFilter) => [
  ...from === undefined ? [] : [sql`${id} >= ${idFloor("req", from - requestIdMillis)}`, sql`${at} >= ${new Date(from)}`],
  ...to === undefined ? [] : [sql`${id} < ${idFloor("req", to + requestIdMillis)}`, sql`${at} < ${new Date(to)}`]
]

const escapeLike = (text: string) => text.replace(/[\\%_]/g, (character) => `\\${character}`)

/** Of statuses that most requests have: looked at while the list is walked. */
const inState = (sql: SqlClient.SqlClient, status: ReadonlyArray<RequestStatus>) =>
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

/** Over `requestJoins`. */
export const listConditions = (sql: SqlClient.SqlClient, org: string, filter: ListFilter): Statement.Fragment => {
  const conditions: Array<Statement.Fragment> = [sql`r.org_id = ${org}`, ...between(sql, sql`r.id`, sql`r.created_at`, filter)]
  if (filter.after !== undefined) conditions.push(sql`r.id < ${filter.after}`)
  if (filter.agent_id !== undefined) conditions.push(sql`r.agent_id = ${filter.agent_id}`)
  if (filter.owner_user_id !== undefined) {
    conditions.push(
      sql`r.agent_id in (select id from agents where org_id = ${org} and owner_user_id = ${filter.owner_user_id})`
    )
  }
  if (filter.service !== undefined) conditions.push(sql`r.service = ${filter.service}`)
  if (filter.operation !== undefined) conditions.push(sql`r.operation = ${filter.operation}`)
  if (filter.mode !== undefined) conditions.push(sql`r.mode = ${filter.mode}`)
  if (filter.q !== undefined && filter.q !== "") {
    conditions.push(sql`(r.id = ${filter.q}
      or r.service || '.' || r.operation ilike ${`%${escapeLike(filter.q)}%`}
      or (r.payload ilike ${`%${escapeLike(filter.q)}%`}
        ${filter.searched === undefined ? sql`` : sql`and r.service || '.' || r.operation = any(${filter.searched}::text[])`}))`)
  }
  if (filter.status !== undefined) {
    conditions.push(
      filter.status.includes("executed") ? inState(sql, filter.status) : sql`r.id in (${rare(sql, org, filter, filter.status)})`
    )
  }
  return sql.and(conditions)
}

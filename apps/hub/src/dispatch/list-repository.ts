/** The conditions of a list of requests. Spec: contract 2 "list". */
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
  /** Bounds of ids: from inclusive, to exclusive. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly q: string | undefined
}

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
  const narrowed: Array<Statement.Fragment> = [sql`org_id = ${org}`]
  if (filter.after !== undefined) narrowed.push(sql`request_id < ${filter.after}`)
  if (filter.from !== undefined) narrowed.push(sql`request_id >= ${filter.from}`)
  if (filter.to !== undefined) narrowed.push(sql`request_id < ${filter.to}`)
  if (filter.agent_id !== undefined) narrowed.push(sql`agent_id = ${filter.agent_id}`)
  if (filter.service !== undefined) narrowed.push(sql`service = ${filter.service}`)
  if (filter.operation !== undefined) narrowed.push(sql`operation = ${filter.operation}`)
  if (filter.mode !== undefined) narrowed.push(sql`mode = ${filter.mode}`)
  // What only the request tells cannot be counted here.
  const page = filter.owner_user_id === undefined && (filter.q ?? "") === ""
    ? sql`order by request_id desc limit ${filter.limit + 1}`
    : sql``
  const from = (table: Statement.Fragment, ...more: ReadonlyArray<Statement.Fragment>) =>
    sql`(select request_id from ${table} where ${sql.and([...narrowed, ...more])} ${page})`
  return sql.join(" union all ", false)([...new Set(status)].map((state) => {
    if (state === "running") return from(sql`holds`)
    if (state === "approval_required") return from(sql`approvals`, sql`status = 'pending'`)
    return from(sql`settlements`, sql`status <> 'executed'`, sql`status = ${state}`)
  }))
}

/** Over `requestJoins`. */
export const listConditions = (sql: SqlClient.SqlClient, org: string, filter: ListFilter): Statement.Fragment => {
  const conditions: Array<Statement.Fragment> = [sql`r.org_id = ${org}`]
  if (filter.after !== undefined) conditions.push(sql`r.id < ${filter.after}`)
  if (filter.from !== undefined) conditions.push(sql`r.id >= ${filter.from}`)
  if (filter.to !== undefined) conditions.push(sql`r.id < ${filter.to}`)
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
      or r.payload ilike ${`%${escapeLike(filter.q)}%`})`)
  }
  if (filter.status !== undefined) {
    conditions.push(
      filter.status.includes("executed") ? inState(sql, filter.status) : sql`r.id in (${rare(sql, org, filter, filter.status)})`
    )
  }
  return sql.and(conditions)
}

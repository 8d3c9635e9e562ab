/**
 * Lists of requests in an order, or by a filter, that no index answers alone. They are scanned in parts of bounded
 * length, so a page may be short, or empty, and still have a next page. Spec: reference/requests.md "Reading requests".
 */
import type { OrgId } from "@countersign/domain/ids"
import type { RequestSort, RequestStatus } from "@countersign/domain/service-requests"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { textArray } from "../../platform/db.ts"
import { isDescending, type Place } from "../../platform/keyset.ts"
import { between, inState, listConditions, type ListFilter, matchesSought, type Sought } from "./list-repository.ts"
import { requestColumns, requestJoins, type RequestRow } from "./rows.ts"

export interface WalkFilter extends Omit<ListFilter, "after"> {
  readonly sort: RequestSort
  /** In a list by time, the key is 0. */
  readonly after: Place | undefined
  readonly reason_code: string | undefined
  /** Bounds of an executed request's cost, and of any other request's ceiling. */
  readonly min_cents: number | undefined
  readonly max_cents: number | undefined
}

/** Requests that the statements of one page scan. The first part is enough for most pages. */
const stretches: ReadonlyArray<number> = [1_000, ...Array.from({ length: 9 }, () => 5_000)]

/**
 * Whether the list must be scanned: its order, or one of its conditions, is not covered by the indexes of a
 * newest-first list.
 */
export const isWalked = ({ max_cents, min_cents, reason_code, sort }: WalkFilter): boolean =>
  sort !== "-created_at" || reason_code !== undefined || min_cents !== undefined || max_cents !== undefined

type WalkRow = { readonly [K in keyof RequestRow]: RequestRow[K] | null } & {
  readonly walk_key: number | null
  readonly end_key: number
  readonly end_id: string
  readonly stretch_rows: number
}

const approvalReason = "approval_threshold"

/** The states that can match the filter; `undefined`: any. */
const statesOf = ({ reason_code, status }: WalkFilter): ReadonlyArray<RequestStatus> | undefined => {
  if (reason_code === undefined) return status
  const states: ReadonlyArray<RequestStatus> = [
    "blocked",
    "failed",
    ...reason_code === approvalReason ? ["approval_required" as const] : []
  ]
  return states.filter((state) => status === undefined || status.includes(state))
}

/** The requests that a search found; `undefined` without a search, or when it found too many. */
const namedIn = (sought: Sought | undefined): ReadonlyArray<string> | undefined =>
  sought?.indexed === undefined ? undefined : [...new Set([...sought.unindexed, ...sought.indexed])]

const makeWalk = (sql: SqlClient.SqlClient, org: OrgId, filter: WalkFilter, sought: Sought | undefined) => {
  const named = namedIn(sought)
  const columns = sql.literal(requestColumns)
  const joins = sql.literal(requestJoins)
  const plain: ListFilter = { ...filter, after: undefined, status: undefined }
  const states = statesOf(filter)
  const isDown = isDescending(filter.sort)
  const [direction, back] = isDown ? [sql`desc`, sql`asc`] : [sql`asc`, sql`desc`]
  const nothing = sql`0::bigint`
  // Only an executed request has a cost.
  const isByCost = filter.sort.endsWith("cost_cents") && (states === undefined || states.includes("executed"))

  const part = (
    from: Statement.Fragment,
    key: Statement.Fragment,
    id: Statement.Fragment,
    place: Place | undefined,
    size: number,
    conditions: ReadonlyArray<Statement.Fragment>
  ): Statement.Fragment => {
    const after = place === undefined
      ? []
      : key === nothing
      // All rows have the same key here, so the place compares by id, which has its index.
      ? place.key !== "0" ? isDown ? [] : [sql`false`] : [sql`${id} ${isDown ? sql`<` : sql`>`} ${place.id}`]
      : [sql`(${key}, ${id}) ${isDown ? sql`<` : sql`>`} (${BigInt(place.key)}::bigint, ${place.id})`]
    const order = key === nothing
      ? sql`order by ${id} ${direction}`
      : sql`order by ${key} ${direction}, ${id} ${direction}`
    return sql`(select ${id} as id, ${key} as key from ${from} where ${
      sql.and([...conditions, ...after])
    } ${order} limit ${size})`
  }

  /** Conditions that an index of the source answers in its own order; any other would exceed the scan's bound. */
  const sources = (place: Place | undefined, size: number): ReadonlyArray<Statement.Fragment> => {
    const x = sql`x.request_id`
    const open = (state: RequestStatus) => states === undefined || states.includes(state)
    const running = () => part(sql`holds x`, nothing, x, place, size, [sql`x.org_id = ${org}`])
    const waiting = () =>
      part(sql`approvals x`, nothing, x, place, size, [
        sql`x.org_id = ${org}`,
        sql`x.status = 'pending'`,
        sql`x.request_id is not null`
      ])
    if (named !== undefined) {
      return [part(
        sql`requests x left join settlements y on y.org_id = x.org_id and y.request_id = x.id`,
        isByCost ? sql`coalesce(y.cost_cents, 0)` : nothing,
        sql`x.id`,
        place,
        size,
        [sql`x.org_id = ${org}`, sql`x.id = any(${textArray(named)})`]
      )]
    }
    if (isByCost) {
      return [
        part(sql`settlements x`, sql`x.cost_cents`, x, place, size, [sql`x.org_id = ${org}`]),
        ...open("running") ? [running()] : [],
        ...open("approval_required") ? [waiting()] : []
      ]
    }
    if (states === undefined || states.includes("executed")) {
      const agent = filter.agent_id === undefined ? [] : [sql`x.agent_id = ${filter.agent_id}`]
      const period = between(sql, sql`x.id`, sql`x.created_at`, plain)
      return [part(sql`requests x`, nothing, sql`x.id`, place, size, [sql`x.org_id = ${org}`, ...agent, ...period])]
    }
    return states.map((state) =>
      state === "running" ? running() : state === "approval_required" ? waiting() : part(
        sql`settlements x`,
        nothing,
        x,
        place,
        size,
        [sql`x.org_id = ${org}`, sql`x.status <> 'executed'`, sql`x.status = ${state}`]
      )
    )
  }

  const amount =
    sql`case when s.status = 'executed' then s.cost_cents else coalesce(s.ceiling_cents, h.ceiling_cents, r.ceiling_cents) end`
  const reasons = (code: string) =>
    sql.or([
      sql`s.reason_code = ${code}`,
      sql`(s.status = 'failed' and s.reason_code is null and starts_with(s.result, ${`{"code":${
        JSON.stringify(code)
      }`}))`,
      ...code === approvalReason ? [sql`(s.request_id is null and h.request_id is null)`] : []
    ])
  const conditions = sql.and([
    listConditions(sql, org, plain),
    ...filter.status === undefined ? [] : [inState(sql, filter.status)],
    ...filter.reason_code === undefined ? [] : [reasons(filter.reason_code)],
    ...filter.min_cents === undefined ? [] : [sql`${amount} >= ${BigInt(filter.min_cents)}::bigint`],
    ...filter.max_cents === undefined ? [] : [sql`${amount} <= ${BigInt(filter.max_cents)}::bigint`],
    ...sought === undefined ? [] : [matchesSought(sql, plain, sought)]
  ])

  /** One part of the scan: its matching rows, at most `rowsMax`, and its end. */
  const stretch = (place: Place | undefined, size: number, rowsMax: number) => {
    const parts = sources(place, size)
    return parts.length === 0 ? Effect.succeed([]) : sql<WalkRow>`with stretch as materialized (
          select u.id, u.key from (${sql.join(" union all ", false)(parts)}) u
          order by u.key ${direction}, u.id ${direction} limit ${size}),
        page as (select ${columns}, t.key as walk_key from stretch t
          join requests r on r.org_id = ${org} and r.id = t.id ${joins}
          where ${conditions} order by t.key ${direction}, t.id ${direction} limit ${rowsMax})
      select p.*, e.id as end_id, e.key as end_key, (select count(*)::int from stretch) as stretch_rows
      from (select id, key from stretch order by key ${back}, id ${back} limit 1) e
      left join page p on true
      order by p.walk_key ${direction}, p.id ${direction}`
  }
  return stretch
}

export interface WalkedPage {
  readonly rows: ReadonlyArray<RequestRow>
  readonly next: Place | undefined
}

/** At most `limit` requests, and the start of the next page. */
export const walkedPage = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, org: OrgId, filter: WalkFilter, sought: Sought | undefined) {
    const named = namedIn(sought)
    const stretch = makeWalk(sql, org, filter, sought)
    const sizes = named !== undefined ? [named.length + 1] : stretches
    const rows: Array<RequestRow> = []
    let place = filter.after
    for (const size of sizes) {
      const found = yield* stretch(place, size, filter.limit + 1 - rows.length)
      const [end] = found
      for (const row of found) {
        if (row.id === null) continue
        if (rows.length === filter.limit) return { rows, next: place }
        rows.push(row as RequestRow)
        place = { key: String(row.walk_key), id: row.id }
      }
      if (end === undefined || end.stretch_rows < size) return { rows, next: undefined }
      place = { key: String(end.end_key), id: end.end_id }
    }
    return { rows, next: place } satisfies WalkedPage
  }
)

/** List orders that a caller chooses: the statement's parts, and cursors that stay exact for equal values. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { decodeCursor, toPage } from "./cursor.ts"

type KeyType = "text" | "integer" | "time"

/** The form of a cursor's key. A time is in microseconds, as the database stores it. */
const keyPatterns: Readonly<Record<KeyType, RegExp>> = {
  text: /^\P{Cc}{0,512}$/u,
  integer: /^\d{1,18}$/,
  time: /^\d{1,17}$/
}

/** The row that a page starts after. */
export interface Place {
  readonly key: string
  readonly id: string
}

export interface Sorted {
  readonly id: string
  readonly sort_key: string
}

export interface KeyColumn {
  readonly type: KeyType
  /** Never null. Text has the collation "C". */
  readonly column: Statement.Fragment
}

export const isDescending = (sort: string): boolean => sort.startsWith("-")

/** The place in a cursor of this order; the cursor of another order is 400. */
export const decodePlace = (cursor: string | undefined, sort: string, type: KeyType, id: RegExp) =>
  Effect.map(
    decodeCursor(cursor, [new RegExp(`^${sort}$`), keyPatterns[type], id]),
    (parts): Place | undefined => parts === undefined ? undefined : { key: parts[1]!, id: parts[2]! }
  )

/** A page of rows in this order. */
export const toSortedPage = <A extends Sorted>(rows: ReadonlyArray<A>, limit: number | undefined, sort: string) =>
  toPage(rows, limit, ({ id, sort_key }) => [sort, sort_key, id])

/** `key` is selected as `sort_key`. */
export const keysetOf = (
  sql: SqlClient.SqlClient,
  sort: string,
  { column, type }: KeyColumn,
  id: Statement.Fragment
) => {
  const direction = isDescending(sort) ? sql`desc` : sql`asc`
  const valueOf = (key: string) =>
    type === "text"
      ? sql`${key}`
      : type === "integer"
      ? sql`${key}::bigint`
      : sql`(timestamptz 'epoch' + ${key}::float8 * interval '1 microsecond')`
  return {
    key: type === "time" ? sql`(extract(epoch from ${column}) * 1000000)::bigint::text` : sql`${column}::text`,
    after: (place: Place) =>
      sql`(${column}, ${id}) ${isDescending(sort) ? sql`<` : sql`>`} (${valueOf(place.key)}, ${place.id})`,
    order: sql`order by ${column} ${direction}, ${id} ${direction}`
  }
}

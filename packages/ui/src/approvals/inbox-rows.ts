/**
 * The rows of the inbox in a stable order. A refetch never moves a row: a decided row keeps its place until the
 * selection leaves it, and new rows are only counted until the person shows them. Pure.
 */
import type { Row } from "@countersign/hub-client/contract"
import { isCall } from "./words.ts"

export type ApprovalRow = Row<"approvals.list">

export interface InboxRows {
  /** In display order. */
  readonly rows: ReadonlyArray<ApprovalRow>
  /** Rows that expire within one hour of the layout; they come first. */
  readonly urgent: ReadonlySet<string>
  /** The newest known id at the layout; ids sort by creation. */
  readonly newest: string
  /** The time of the layout in milliseconds. Age filters use it, so that time alone removes no row. */
  readonly at: number
}

const hourMillis = 3_600_000

export const isPending = ({ status }: Pick<ApprovalRow, "status">): boolean => status === "pending"

const newestOf = (read: ReadonlyArray<ApprovalRow>, before: string): string =>
  read.reduce((newest, { id }) => id > newest ? id : newest, before)

/** Computes the order again: pending rows, oldest first, after the rows that expire within one hour of `now`. */
export const layOut = (read: ReadonlyArray<ApprovalRow>, now: number): InboxRows => {
  const pending = read.filter(isPending)
  const urgent = new Set(
    pending.filter(({ expires_at }) => Date.parse(expires_at) - now <= hourMillis).map(({ id }) => id)
  )
  return {
    rows: [...pending.filter(({ id }) => urgent.has(id)), ...pending.filter(({ id }) => !urgent.has(id))],
    urgent,
    newest: newestOf(read, ""),
    at: now
  }
}

/** Approved, and the request has not ended as of this row. */
export const isUnderWay = ({ kind, outcome, status }: ApprovalRow): boolean =>
  status === "approved" && isCall({ kind }) && (outcome === undefined || outcome.status === "running")

/** Whether `next` is an older state of the same approval: decisions and ended requests never revert. */
const isOlder = (next: ApprovalRow, held: ApprovalRow): boolean =>
  isPending(next) && !isPending(held) || isUnderWay(next) && !isPending(held) && !isUnderWay(held)

/** The same rows in the same places with new data. `grow`: the person loaded more, so all of them are shown. */
export const takeIn = (held: InboxRows, read: ReadonlyArray<ApprovalRow>, grow = false): InboxRows => {
  const byId = new Map(read.map((row) => [row.id as string, row]))
  let changed = false
  const rows = held.rows.map((row) => {
    const next = byId.get(row.id)
    if (next === undefined || next === row || isOlder(next, row)) return row
    changed = true
    return next
  })
  const known = new Set(held.rows.map(({ id }) => id as string))
  // A row older than the newest one came from a further page: appending it moves nothing.
  const further = read.filter((row) => isPending(row) && !known.has(row.id) && (grow || row.id < held.newest))
  if (further.length === 0) return changed ? { ...held, rows } : held
  return { ...held, rows: [...rows, ...further], newest: grow ? newestOf(read, held.newest) : held.newest }
}

/**
 * The number of new rows since the layout: read and not shown, or reported by an event and not read yet. An event may
 * arrive after the read that contains its approval; each is counted once.
 */
export const unseen = (
  held: InboxRows,
  read: ReadonlyArray<ApprovalRow>,
  reported: ReadonlyArray<string> = []
): number => {
  const shown = new Set(held.rows.map(({ id }) => id as string))
  const known = new Set([...shown, ...read.map(({ id }) => id as string)])
  return read.filter((row) => isPending(row) && row.id > held.newest && !shown.has(row.id)).length +
    new Set(reported.filter((id) => !known.has(id))).size
}

/** Rows shown as pending that are missing from a read covering their place: each must be fetched by its id. */
export const missing = (
  held: InboxRows,
  read: ReadonlyArray<ApprovalRow>,
  isWhole: boolean
): ReadonlyArray<ApprovalRow> => {
  const ids = new Set(read.map(({ id }) => id as string))
  const last = newestOf(read, "")
  return held.rows.filter((row) => isPending(row) && !ids.has(row.id) && (isWhole || row.id < last))
}

/** Call it when the selection leaves this row: a decided row is removed. */
export const leave = (held: InboxRows, id: string): InboxRows => {
  const row = held.rows.find((each) => each.id === id)
  return row === undefined || isPending(row) ? held : { ...held, rows: held.rows.filter((each) => each !== row) }
}

/** Removes decided rows except the open one. */
export const clearDecided = (held: InboxRows, open: string | undefined): InboxRows => ({
  ...held,
  rows: held.rows.filter((row) => isPending(row) || row.id === open)
})

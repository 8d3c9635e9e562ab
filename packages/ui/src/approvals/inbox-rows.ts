/**
 * The rows of the inbox as a person sees them. What was read again never moves a row: a row that was decided keeps its place
 * until the
 * selection leaves it, and what is new is counted until it is asked for. Pure.
 */
import type { Row } from "../hub/contract.ts"

export type ApprovalRow = Row<"approvals.list">

export interface InboxRows {
  /** In the order shown. */
  readonly rows: ReadonlyArray<ApprovalRow>
  /** Those that expired within the hour when the rows were laid out; they stand first. */
  readonly urgent: ReadonlySet<string>
  /** The newest id that was known when the rows were laid out: ids are in the order of their making. */
  readonly newest: string
  /** When they were laid out, in milliseconds: filters of age count from then, so that no row leaves by itself. */
  readonly at: number
}

const hourMillis = 3_600_000

export const isWaiting = ({ status }: Pick<ApprovalRow, "status">): boolean => status === "pending"

const newestOf = (read: ReadonlyArray<ApprovalRow>, before: string): string =>
  read.reduce((newest, { id }) => id > newest ? id : newest, before)

/** Lays the rows out anew: what waits, oldest first, and before it what expires within the hour of `now`. */
export const layOut = (read: ReadonlyArray<ApprovalRow>, now: number): InboxRows => {
  const waiting = read.filter(isWaiting)
  const urgent = new Set(
    waiting.filter(({ expires_at }) => Date.parse(expires_at) - now <= hourMillis).map(({ id }) => id)
  )
  return {
    rows: [...waiting.filter(({ id }) => urgent.has(id)), ...waiting.filter(({ id }) => !urgent.has(id))],
    urgent,
    newest: newestOf(read, ""),
    at: now
  }
}

/** Approved, and its request has not ended yet as far as this row knows. */
export const isUnderWay = ({ kind, outcome, status }: ApprovalRow): boolean =>
  status === "approved" && kind === "service_request" && (outcome === undefined || outcome.status === "running")

/** Whether `next` is an older state of the same approval: neither a decision nor the end of a request is taken back. */
const isOlder = (next: ApprovalRow, held: ApprovalRow): boolean =>
  isWaiting(next) && !isWaiting(held) || isUnderWay(next) && !isWaiting(held) && !isUnderWay(held)

/** The same rows in the same places, with what was read of them. `grow`: the person asked for more, so all of it is shown. */
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
  // What is older than the newest came from a further page: at the end it moves nothing.
  const further = read.filter((row) => isWaiting(row) && !known.has(row.id) && (grow || row.id < held.newest))
  if (further.length === 0) return changed ? { ...held, rows } : held
  return { ...held, rows: [...rows, ...further], newest: grow ? newestOf(read, held.newest) : held.newest }
}

/**
 * How many are new since the rows were laid out: read and not shown, or reported by an event and not read yet. An event may arrive after
 * the read that already has its approval; each is counted once.
 */
export const unseen = (
  held: InboxRows,
  read: ReadonlyArray<ApprovalRow>,
  reported: ReadonlyArray<string> = []
): number => {
  const shown = new Set(held.rows.map(({ id }) => id as string))
  const known = new Set([...shown, ...read.map(({ id }) => id as string)])
  return read.filter((row) => isWaiting(row) && row.id > held.newest && !shown.has(row.id)).length +
    new Set(reported.filter((id) => !known.has(id))).size
}

/** Shown as waiting, though a read that reaches beyond them does not have them: what became of them has to be asked. */
export const missing = (
  held: InboxRows,
  read: ReadonlyArray<ApprovalRow>,
  isWhole: boolean
): ReadonlyArray<ApprovalRow> => {
  const ids = new Set(read.map(({ id }) => id as string))
  const last = newestOf(read, "")
  return held.rows.filter((row) => isWaiting(row) && !ids.has(row.id) && (isWhole || row.id < last))
}

/** The selection left this row: if it is decided it goes. */
export const leave = (held: InboxRows, id: string): InboxRows => {
  const row = held.rows.find((each) => each.id === id)
  return row === undefined || isWaiting(row) ? held : { ...held, rows: held.rows.filter((each) => each !== row) }
}

/** Takes away what is decided, but for the row that is open. */
export const clearDecided = (held: InboxRows, open: string | undefined): InboxRows => ({
  ...held,
  rows: held.rows.filter((row) => isWaiting(row) || row.id === open)
})

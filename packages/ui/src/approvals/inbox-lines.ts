/** The lines of the inbox, from top to bottom: separators, rows, and folded groups. Pure. */
import { type ApprovalRow, type InboxRows, isPending } from "./inbox-rows.ts"

/** The minimum number of rows of one agent and operation to fold. */
export const foldFrom = 3

export type Line =
  | { readonly kind: "rule"; readonly key: "urgent" | "later" }
  /** `fold`: the open group that contains it. */
  | { readonly kind: "row"; readonly key: string; readonly row: ApprovalRow; readonly fold: string | undefined }
  | { readonly kind: "fold"; readonly key: string; readonly rows: ReadonlyArray<ApprovalRow>; readonly isOpen: boolean }

/** Device commands are never folded, so that each is read separately. */
const foldKey = ({ agent, id, kind, mode, operation, org_id, service }: ApprovalRow, part: string): string =>
  kind === "device_command" ? id : [part, org_id, agent.id, service, operation, mode].join(" ")

/** A fold takes the place of its first row. A fold that contains the open row is expanded. */
export const linesOf = (
  { rows, urgent }: Pick<InboxRows, "rows" | "urgent">,
  opened: ReadonlySet<string>,
  open: string | undefined
): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  const parts = [
    { key: "urgent" as const, rows: rows.filter(({ id }) => urgent.has(id)) },
    { key: "later" as const, rows: rows.filter(({ id }) => !urgent.has(id)) }
  ]
  for (const part of parts) {
    if (part.rows.length === 0) continue
    if (urgent.size > 0 && parts[0]!.rows.length > 0) lines.push({ kind: "rule", key: part.key })
    const equals = Map.groupBy(part.rows, (row) => foldKey(row, part.key))
    const drawn = new Set<string>()
    for (const row of part.rows) {
      const key = foldKey(row, part.key)
      const all = equals.get(key) ?? []
      if (all.length < foldFrom && !opened.has(key)) {
        lines.push({ kind: "row", key: row.id, row, fold: undefined })
        continue
      }
      if (drawn.has(key)) continue
      drawn.add(key)
      const isOpen = opened.has(key) || all.some(({ id }) => id === open)
      lines.push({ kind: "fold", key, rows: all, isOpen })
      if (isOpen) { for (const each of all) lines.push({ kind: "row", key: each.id, row: each, fold: key }) }
    }
  }
  return lines
}

/** One line for each row: decided rows are never folded. */
export const plainLines = (rows: ReadonlyArray<ApprovalRow>): ReadonlyArray<Line> =>
  rows.map((row) => ({ kind: "row", key: row.id, row, fold: undefined }))

/** The fold that contains a row, expanded or not. */
export const foldOf = (lines: ReadonlyArray<Line>, id: string): string | undefined =>
  lines.find((line) => line.kind === "fold" && line.rows.some((row) => row.id === id))?.key

/** The rows that j and k visit, in display order: a closed fold is entered at its first row. */
export const walkOf = (lines: ReadonlyArray<Line>): ReadonlyArray<ApprovalRow> =>
  lines.flatMap((line) =>
    line.kind === "row" ? [line.row] : line.kind === "fold" && !line.isOpen ? line.rows.slice(0, 1) : []
  )

/**
 * The row `by` steps from the open one, at most the first or last; undefined if that is the open one. The first row if
 * none is open or the open one is missing.
 */
export const stepFrom = (
  walk: ReadonlyArray<ApprovalRow>,
  open: string | undefined,
  by: number
): ApprovalRow | undefined => {
  const at = walk.findIndex(({ id }) => id === open)
  if (at < 0) return walk[0]
  const to = Math.min(Math.max(0, at + by), walk.length - 1)
  return to === at ? undefined : walk[to]
}

/**
 * The next pending row after the open one in display order, including rows in closed folds; wraps around at the end.
 */
export const nextPending = (lines: ReadonlyArray<Line>, open: string): ApprovalRow | undefined => {
  const rows = lines.flatMap((line) =>
    line.kind === "row" ? [line.row] : line.kind === "fold" && !line.isOpen ? line.rows : []
  )
  const at = rows.findIndex(({ id }) => id === open)
  const others = [...rows.slice(at + 1), ...rows.slice(0, Math.max(0, at))]
  return others.find((row) => isPending(row) && row.id !== open)
}

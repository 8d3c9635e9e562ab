/** What the list of the inbox draws, from top to bottom: rules, rows, and folds of equals. Pure. */
import type { ApprovalRow, InboxRows } from "./inbox-rows.ts"

/** So many of one agent and operation are folded. */
export const foldFrom = 3

export type Line =
  | { readonly kind: "rule"; readonly key: "urgent" | "later" }
  /** `fold`: it stands within an open fold. */
  | { readonly kind: "row"; readonly key: string; readonly row: ApprovalRow; readonly fold: string | undefined }
  | { readonly kind: "fold"; readonly key: string; readonly rows: ReadonlyArray<ApprovalRow>; readonly isOpen: boolean }

/** What a device would do is read one by one. */
const foldKey = ({ agent, id, kind, mode, operation, org_id, service }: ApprovalRow, part: string): string =>
  kind === "device_command" ? id : [part, org_id, agent.id, service, operation, mode].join(" ")

/** A fold stands where its first row does. One that holds the open row is open. */
export const linesOf = (
  { rows, urgent }: Pick<InboxRows, "rows" | "urgent">, opened: ReadonlySet<string>, open: string | undefined
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
      if (isOpen) for (const each of all) lines.push({ kind: "row", key: each.id, row: each, fold: key })
    }
  }
  return lines
}

/** A row each, as they are read: of what is decided nothing is folded. */
export const plainLines = (rows: ReadonlyArray<ApprovalRow>): ReadonlyArray<Line> =>
  rows.map((row) => ({ kind: "row", key: row.id, row, fold: undefined }))

/** The fold that holds a row, whether it is open or not. */
export const foldOf = (lines: ReadonlyArray<Line>, id: string): string | undefined =>
  lines.find((line) => line.kind === "fold" && line.rows.some((row) => row.id === id))?.key

/** Where j and k go, in the order drawn: a closed fold is entered at its first row. */
export const walkOf = (lines: ReadonlyArray<Line>): ReadonlyArray<ApprovalRow> =>
  lines.flatMap((line) => line.kind === "row" ? [line.row] : line.kind === "fold" && !line.isOpen ? line.rows.slice(0, 1) : [])

/** The row `by` steps from the open one; from none, or one that is not there, the first. */
export const stepFrom = (walk: ReadonlyArray<ApprovalRow>, open: string | undefined, by: 1 | -1): ApprovalRow | undefined => {
  const at = walk.findIndex(({ id }) => id === open)
  return at < 0 ? walk[0] : walk[at + by]
}

/** What a person types finds agent, operation, reason and id. */
export const matches = (row: ApprovalRow, sought: string): boolean => {
  const low = sought.trim().toLowerCase()
  return low === "" ||
    [row.agent.name, `${row.service}.${row.operation}`, row.device?.name ?? "", row.reason, row.id].some((text) => text.toLowerCase().includes(low))
}

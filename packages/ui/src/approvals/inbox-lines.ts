/** What the list of the inbox draws, from top to bottom: rules, rows, and folds of equals. Pure. */
import { isMasked } from "../patterns/json-lines.ts"
import { summaryText } from "../patterns/summary-text.ts"
import { type ApprovalRow, type InboxRows, isWaiting } from "./inbox-rows.ts"

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

/** A row each, as they are read: of what is decided nothing is folded. */
export const plainLines = (rows: ReadonlyArray<ApprovalRow>): ReadonlyArray<Line> =>
  rows.map((row) => ({ kind: "row", key: row.id, row, fold: undefined }))

/** The fold that holds a row, whether it is open or not. */
export const foldOf = (lines: ReadonlyArray<Line>, id: string): string | undefined =>
  lines.find((line) => line.kind === "fold" && line.rows.some((row) => row.id === id))?.key

/** Where j and k go, in the order drawn: a closed fold is entered at its first row. */
export const walkOf = (lines: ReadonlyArray<Line>): ReadonlyArray<ApprovalRow> =>
  lines.flatMap((line) =>
    line.kind === "row" ? [line.row] : line.kind === "fold" && !line.isOpen ? line.rows.slice(0, 1) : []
  )

/** The row `by` steps from the open one; from none, or one that is not there, the first. */
export const stepFrom = (
  walk: ReadonlyArray<ApprovalRow>,
  open: string | undefined,
  by: 1 | -1
): ApprovalRow | undefined => {
  const at = walk.findIndex(({ id }) => id === open)
  return at < 0 ? walk[0] : walk[at + by]
}

/** The next pending row after the open one in the order drawn, closed folds included; after the last, the first. */
export const nextPending = (lines: ReadonlyArray<Line>, open: string): ApprovalRow | undefined => {
  const rows = lines.flatMap((line) =>
    line.kind === "row" ? [line.row] : line.kind === "fold" && !line.isOpen ? line.rows : []
  )
  const at = rows.findIndex(({ id }) => id === open)
  const others = [...rows.slice(at + 1), ...rows.slice(0, Math.max(0, at))]
  return others.find((row) => isWaiting(row) && row.id !== open)
}

/** Values of a payload that can be searched. */
const searchedValuesMax = 2_000

/** The scalars of a payload. A masked value is an object that holds no text. */
const textsIn = (payload: unknown): ReadonlyArray<string> => {
  const texts: Array<string> = []
  const queue: Array<unknown> = [payload]
  for (let at = 0; at < queue.length && texts.length < searchedValuesMax; at++) {
    const value = queue[at]
    if (typeof value === "object" && value !== null) {
      if (!isMasked(value)) { for (const inner of Object.values(value)) queue.push(inner) }
    } else if (typeof value === "string" || typeof value === "number") texts.push(String(value))
  }
  return texts
}

const searchable = new WeakMap<ApprovalRow, string>()
const textOf = (row: ApprovalRow): string => {
  const known = searchable.get(row)
  if (known !== undefined) return known
  const { agent, device, id, operation, payload, reason, service, summary } = row
  const text = [
    agent.name,
    `${service}.${operation}`,
    device?.name ?? "",
    reason,
    id,
    summaryText(summary),
    ...textsIn(payload)
  ].join("\n").toLowerCase()
  searchable.set(row, text)
  return text
}

/** So many characters of a seal are sought; fewer would find too much. */
const sealSought = /^[0-9a-f]{4,64}$/u

/** What a person types finds agent, operation, reason, id, the values of the payload, and the beginning of the seal. */
export const matches = (row: ApprovalRow, sought: string): boolean => {
  const low = sought.trim().toLowerCase()
  return low === "" || textOf(row).includes(low) || sealSought.test(low) && row.payload_digest.startsWith(low)
}

/** The lines of the inbox, from top to bottom: separators, rows, and folded groups. Pure. */
import { type ApprovalRow, type InboxRows, isPending } from "./inbox-rows.ts"
import { amountOf, createdMillis, type InboxPlace, type InboxRequest, isOpenRequest } from "./request-rows.ts"
import { isCall } from "./words.ts"

/** The minimum number of rows of one agent and operation to fold. */
export const foldFrom = 3

export type Line =
  | { readonly kind: "rule"; readonly key: "urgent" | "later" }
  /** `fold`: the open group that contains it. */
  | { readonly kind: "row"; readonly key: string; readonly row: ApprovalRow; readonly fold: string | undefined }
  | { readonly kind: "fold"; readonly key: string; readonly rows: ReadonlyArray<ApprovalRow>; readonly isOpen: boolean }
  | { readonly kind: "request"; readonly key: string; readonly request: InboxRequest }

const requestLine = (request: InboxRequest): Line => ({ kind: "request", key: request.id, request })

/** Approvals with their lines, in display order. */
interface Block {
  readonly place: number
  readonly lines: ReadonlyArray<Line>
}

/** Neither order changes: each request comes before the first approval that `place` puts after it. */
const merged = (
  blocks: ReadonlyArray<Block>,
  requests: ReadonlyArray<{ readonly place: number; readonly request: InboxRequest }>
): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  let next = 0
  for (const block of blocks) {
    for (; next < requests.length && requests[next]!.place < block.place; next++) {
      lines.push(requestLine(requests[next]!.request))
    }
    lines.push(...block.lines)
  }
  return [...lines, ...requests.slice(next).map(({ request }) => requestLine(request))]
}

/** Device commands are never folded, so that each is read separately. */
const foldKey = ({ agent, id, kind, mode, operation, org_id, service }: ApprovalRow, part: string): string =>
  !isCall({ kind }) ? id : [part, org_id, agent.id, service, operation, mode].join(" ")

/**
 * A fold takes the place of its first row. A fold that contains the open row is expanded. Requests stand between the
 * approvals by their age; `urgent` also has the ids of requests.
 */
export const linesOf = (
  { requests = [], rows, urgent }: Pick<InboxRows, "rows" | "urgent"> & {
    readonly requests?: ReadonlyArray<InboxRequest>
  },
  opened: ReadonlySet<string>,
  open: string | undefined
): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  const parts = (["urgent", "later"] as const).map((key) => {
    const isIn = ({ id }: { readonly id: string }) => urgent.has(id) === (key === "urgent")
    return { key, rows: rows.filter(isIn), requests: requests.filter(isIn) }
  })
  const hasUrgent = parts.some(({ key, requests, rows }) => key === "urgent" && rows.length + requests.length > 0)
  for (const part of parts) {
    if (part.rows.length + part.requests.length === 0) continue
    if (hasUrgent) lines.push({ kind: "rule", key: part.key })
    const equals = Map.groupBy(part.rows, (row) => foldKey(row, part.key))
    const drawn = new Set<string>()
    const blocks: Array<Block> = []
    for (const row of part.rows) {
      const key = foldKey(row, part.key)
      const all = equals.get(key) ?? []
      const place = Date.parse(row.requested_at)
      if (all.length < foldFrom && !opened.has(key)) {
        blocks.push({ place, lines: [{ kind: "row", key: row.id, row, fold: undefined }] })
        continue
      }
      if (drawn.has(key)) continue
      drawn.add(key)
      const isOpen = opened.has(key) || all.some(({ id }) => id === open)
      const shown: ReadonlyArray<Line> = isOpen
        ? all.map((each) => ({ kind: "row", key: each.id, row: each, fold: key }))
        : []
      blocks.push({ place, lines: [{ kind: "fold", key, rows: all, isOpen }, ...shown] })
    }
    const placed = part.requests.map((request) => ({ place: createdMillis(request), request }))
    lines.push(...merged(blocks, placed))
  }
  return lines
}

/**
 * One line for each row: decided rows are never folded. `sort`: `-requested_at` by default. With further pages of
 * approvals, requests beyond the last loaded approval are left out.
 */
export const plainLines = (
  rows: ReadonlyArray<ApprovalRow>,
  requests: ReadonlyArray<InboxRequest> = [],
  { hasMore = false, sort = "-requested_at" }: {
    readonly sort?: string | undefined
    readonly hasMore?: boolean
  } = {}
): ReadonlyArray<Line> => {
  const sign = sort.startsWith("-") ? -1 : 1
  const isByCost = sort.endsWith("cost_cents")
  const blocks = rows.map((row): Block => ({
    place: sign * (isByCost ? row.cost_cents : Date.parse(row.requested_at)),
    lines: [{ kind: "row", key: row.id, row, fold: undefined }]
  }))
  const last = blocks.at(-1)?.place
  const placed = requests.map((request) => ({
    place: sign * (isByCost ? amountOf(request) ?? 0 : createdMillis(request)),
    request
  })).sort((one, other) => one.place - other.place)
  return merged(blocks, hasMore && last !== undefined ? placed.filter(({ place }) => place < last) : placed)
}

/** The fold that contains a row, expanded or not. */
export const foldOf = (lines: ReadonlyArray<Line>, id: string): string | undefined =>
  lines.find((line) => line.kind === "fold" && line.rows.some((row) => row.id === id))?.key

/** The rows that j and k visit, in display order: a closed fold is entered at its first row. */
export const walkOf = (lines: ReadonlyArray<Line>): ReadonlyArray<InboxPlace> =>
  lines.flatMap((line): ReadonlyArray<InboxPlace> =>
    line.kind === "row"
      ? [line.row]
      : line.kind === "request"
      ? [line.request]
      : line.kind === "fold" && !line.isOpen
      ? line.rows.slice(0, 1)
      : []
  )

/**
 * The row `by` steps from the open one, at most the first or last; undefined if that is the open one. The first row if
 * none is open or the open one is missing.
 */
export const stepFrom = (
  walk: ReadonlyArray<InboxPlace>,
  open: string | undefined,
  by: number
): InboxPlace | undefined => {
  const at = walk.findIndex(({ id }) => id === open)
  if (at < 0) return walk[0]
  const to = Math.min(Math.max(0, at + by), walk.length - 1)
  return to === at ? undefined : walk[to]
}

/**
 * The next pending row after the open one in display order, including rows in closed folds; wraps around at the end.
 */
export const nextPending = (lines: ReadonlyArray<Line>, open: string): InboxPlace | undefined => {
  const rows = lines.flatMap((line): ReadonlyArray<InboxPlace & { readonly isOpen: boolean }> =>
    line.kind === "request"
      ? [{ id: line.request.id, org_id: line.request.org_id, isOpen: isOpenRequest(line.request) }]
      : (line.kind === "row" ? [line.row] : line.kind === "fold" && !line.isOpen ? line.rows : []).map((row) => ({
        id: row.id,
        org_id: row.org_id,
        isOpen: isPending(row)
      }))
  )
  const at = rows.findIndex(({ id }) => id === open)
  const others = [...rows.slice(at + 1), ...rows.slice(0, Math.max(0, at))]
  return others.find(({ id, isOpen }) => isOpen && id !== open)
}

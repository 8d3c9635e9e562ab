/**
 * Wraps the lines of a log into rows of one height and of the view's width. Rows are counted as lines arrive; a binary
 * search finds the line of a row.
 */
import { revealedParts } from "@countersign/domain/hidden-characters"
import type { Look } from "./ansi.ts"
import type { Line } from "./output-log.ts"

export interface Run {
  readonly text: string
  readonly look: Look | undefined
}

export interface Row {
  readonly line: Line
  /** The row within its line, from 0. */
  readonly part: number
  readonly runs: ReadonlyArray<Run>
}

/** The width in characters of a box with a code point. */
const boxCells = 10
const wide =
  /[\p{Extended_Pictographic}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const mark = /^\p{M}$/u

/** The positions in a text where its rows start. */
export const breaks = (text: string, columns: number): ReadonlyArray<number> => {
  const found = [0]
  if (/^[ -~]*$/u.test(text)) {
    for (let at = columns; at < text.length; at += columns) found.push(at)
    return found
  }
  let at = 0
  let cells = 0
  for (const part of revealedParts(text)) {
    for (const character of part.kind === "plain" ? part.text : [part.text]) {
      const width = part.kind === "hidden"
        ? Math.min(columns, boxCells)
        : mark.test(character)
        ? 0
        : wide.test(character)
        ? 2
        : 1
      if (cells + width > columns && at > 0) {
        found.push(at)
        cells = 0
      }
      cells += width
      at += character.length
    }
  }
  return found
}

const rowsIn = (
  line: Line,
  columns: number
): number => (line.kind === "gap" ? 1 : Math.max(1, breaks(line.text, columns).length))

export interface RowIndex {
  /** Counts the new lines. */
  readonly grow: () => void
  readonly count: () => number
  readonly row: (at: number) => Row | undefined
}

export const rowOf = (line: Line, part: number, columns: number): Row => {
  if (line.kind === "gap") return { line, part, runs: [] }
  const starts = breaks(line.text, columns)
  const from = starts[part] ?? 0
  const to = starts[part + 1] ?? line.text.length
  const runs: Array<Run> = []
  let at = from
  for (const { from: start, look, to: end } of line.marks) {
    const [first, last] = [Math.max(start, from), Math.min(end, to)]
    if (first >= last) continue
    if (first > at) runs.push({ text: line.text.slice(at, first), look: undefined })
    runs.push({ text: line.text.slice(first, last), look })
    at = last
  }
  if (at < to) runs.push({ text: line.text.slice(at, to), look: undefined })
  return { line, part, runs }
}

/** `lines` may grow; `shows` excludes the lines of a hidden stream. */
export const makeRowIndex = (lines: ReadonlyArray<Line>, columns: number, shows: (line: Line) => boolean): RowIndex => {
  /** For each visible line: its index, and the number of rows up to its end. */
  const shown: Array<number> = []
  const ends: Array<number> = []
  let seen = 0
  const grow = () => {
    for (; seen < lines.length; seen++) {
      const line = lines[seen]
      if (line === undefined || !shows(line)) continue
      shown.push(seen)
      ends.push((ends.at(-1) ?? 0) + rowsIn(line, columns))
    }
  }
  grow()
  return {
    grow,
    count: () => ends.at(-1) ?? 0,
    row: (at) => {
      let [low, high] = [0, ends.length - 1]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((ends[middle] ?? 0) > at) high = middle
        else low = middle + 1
      }
      const line = lines[shown[low] ?? -1]
      return line === undefined || at >= (ends.at(-1) ?? 0)
        ? undefined
        : rowOf(line, at - (ends[low - 1] ?? 0), columns)
    }
  }
}

/** Browsers do not render higher elements; a longer log is scrolled proportionally. */
export const heightMax = 8_000_000

export interface Scrolled {
  readonly first: number
  readonly end: number
  /** The position of the first row. */
  readonly top: number
  readonly height: number
}

/** The visible rows with a margin. */
export const rowsInSight = (scrollTop: number, viewport: number, count: number, rowHeight: number): Scrolled => {
  const whole = count * rowHeight
  const height = Math.min(whole, heightMax)
  const reach = Math.max(1, height - viewport)
  const top = whole <= heightMax ? scrollTop : Math.min(1, scrollTop / reach) * (whole - viewport)
  const beyond = 6
  const first = Math.max(0, Math.floor(top / rowHeight) - beyond)
  const end = Math.min(count, Math.ceil((top + viewport) / rowHeight) + beyond)
  return { first, end, top: whole <= heightMax ? first * rowHeight : scrollTop - (top - first * rowHeight), height }
}

/**
 * Lines of a log as rows of one height that are as wide as their place: a long line goes on in the next row. Rows are counted as
 * lines come; which line a row is of is found by halving.
 */
import { revealedParts } from "../patterns/revealing-text.ts"
import type { Look } from "./ansi.ts"
import type { Line } from "./output-log.ts"

export interface Run {
  readonly text: string
  readonly look: Look | undefined
}

export interface Row {
  readonly line: Line
  /** Of its line: 0 is the first. */
  readonly part: number
  readonly runs: ReadonlyArray<Run>
}

/** Characters that a box with a code point is as wide as. */
const boxCells = 10
const wide =
  /[\p{Extended_Pictographic}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const mark = /^\p{M}$/u

/** Where in a text its rows begin. */
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
  /** Counts the lines that came since. */
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

/** `lines` may grow; `shows` leaves out those of a stream that is not wanted. */
export const makeRowIndex = (lines: ReadonlyArray<Line>, columns: number, shows: (line: Line) => boolean): RowIndex => {
  /** Of the lines that are shown: which one, and how many rows there are with it. */
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

/** Browsers draw no element that is higher; a longer log is scrolled in proportion. */
export const heightMax = 8_000_000

export interface Scrolled {
  readonly first: number
  readonly end: number
  /** Where the first of them is drawn. */
  readonly top: number
  readonly height: number
}

/** Which rows are in sight, with some beyond. */
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

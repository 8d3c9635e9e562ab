/**
 * Chooses the columns that fit. A row is never wider than its table, since a cell cut off at the side could not be read
 * or pressed.
 */

export interface FittedColumn {
  /** A CSS track: `"120px"`, `"minmax(160px, 2fr)"`. */
  readonly width: string
  /** Shown only while the table is at least this wide, in px; columns with higher values are dropped first. */
  readonly from?: number | undefined
}

/** As in `data-table.module.css`: between columns, and at both ends of a row. */
const gap = 16
const gutter = 24
const menuWidth = 32

/** The minimum width of a track. */
export const leastWidth = (track: string): number => Number(/(\d+(?:\.\d+)?)px/u.exec(track)?.[1] ?? 0)

const total = (columns: ReadonlyArray<FittedColumn>, hasMenu: boolean): number => {
  const tracks = [...columns.map(({ width }) => leastWidth(width)), ...hasMenu ? [menuWidth] : []]
  return tracks.reduce((sum, track) => sum + track, 0) + gap * Math.max(0, tracks.length - 1) + 2 * gutter
}

/**
 * Columns whose `from` is reached; of them, those with the highest `from` are dropped until the rest fits. A column
 * without `from` stays.
 */
export const fitColumns = <C extends FittedColumn>(
  columns: ReadonlyArray<C>,
  width: number,
  hasMenu: boolean
): ReadonlyArray<C> => {
  const order = columns.map(({ from = 0 }) => from)
  let shown = columns.filter(({ from = 0 }) => from <= width)
  while (total(shown, hasMenu) > width) {
    const most = Math.max(...shown.map((column) => order[columns.indexOf(column)] ?? 0))
    if (most <= 0) break
    const last = shown.findLastIndex(({ from = 0 }) => from === most)
    shown = shown.filter((_, at) => at !== last)
  }
  return shown
}

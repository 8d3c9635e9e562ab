/** Which rows of a long list are drawn: those in sight and a few beyond, never more than `drawnRowsMax`. */

export const drawnRowsMax = 80

export interface RowWindow {
  /** Index of the first drawn row. */
  readonly first: number
  /** Index after the last drawn row. */
  readonly end: number
}

const beyond = 8

/** Rows are of one height, so that their places need no measuring; `top` and `height` are of what is in sight, in pixels. */
export const rowWindow = (top: number, height: number, rowHeight: number, count: number): RowWindow => {
  if (count <= 0 || rowHeight <= 0) return { first: 0, end: 0 }
  const inSight = Math.ceil(height / rowHeight) + 1
  const around = Math.max(0, Math.min(beyond, Math.floor((drawnRowsMax - inSight) / 2)))
  const at = Math.min(Math.max(0, Math.floor(top / rowHeight)), Math.max(0, count - 1))
  const first = Math.max(0, at - around)
  return { first, end: Math.min(count, first + Math.min(drawnRowsMax, inSight + 2 * around)) }
}

/** Where to scroll so that a row is whole in sight below the head; the same place if it is. */
export const scrolledTo = (index: number, top: number, height: number, rowHeight: number): number => {
  const above = index * rowHeight
  if (above < top) return above
  return above + rowHeight > top + height ? Math.max(0, above + rowHeight - height) : top
}

/** The rows of a long list to render: the visible ones and a few more, never more than `drawnRowsMax`. */

export const drawnRowsMax = 80

export interface RowWindow {
  /** Index of the first rendered row. */
  readonly first: number
  /** Index after the last rendered row. */
  readonly end: number
}

const beyond = 8

/**
 * Rows have one height, so that their positions need no measuring; `top` and `height` are of the visible area, in
 * pixels.
 */
export const rowWindow = (top: number, height: number, rowHeight: number, count: number): RowWindow => {
  if (count <= 0 || rowHeight <= 0) return { first: 0, end: 0 }
  const inSight = Math.ceil(height / rowHeight) + 1
  const around = Math.max(0, Math.min(beyond, Math.floor((drawnRowsMax - inSight) / 2)))
  const at = Math.min(Math.max(0, Math.floor(top / rowHeight)), Math.max(0, count - 1))
  const first = Math.max(0, at - around)
  return { first, end: Math.min(count, first + Math.min(drawnRowsMax, inSight + 2 * around)) }
}

/** The scroll position that shows a whole row below the head; the current position if the row is already visible. */
export const scrolledTo = (index: number, top: number, height: number, rowHeight: number): number => {
  const above = index * rowHeight
  if (above < top) return above
  return above + rowHeight > top + height ? Math.max(0, above + rowHeight - height) : top
}

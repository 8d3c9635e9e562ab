/** The order of saved views. Pure. */

interface Placed {
  readonly id: string
  readonly position: number
}

/** The list with the item at `from` moved to `to`. */
export const moved = <V>(list: ReadonlyArray<V>, from: number, to: number): ReadonlyArray<V> => {
  const item = list[from]
  if (item === undefined || to < 0 || to >= list.length) return list
  const rest = list.filter((_, at) => at !== from)
  return [...rest.slice(0, to), item, ...rest.slice(to)]
}

/** The largest position of the contract. */
const positionMax = 1_000_000

/**
 * Positions for this order, for the views whose position changes. Each position is greater than the one before, and as
 * few views change as one pass from the first to the last allows.
 */
export const newPositions = (order: ReadonlyArray<Placed>): ReadonlyArray<Placed> => {
  let last = -1
  const placed = order.map(({ position }) => {
    last = position > last ? position : last + 1
    return last
  })
  return order.flatMap(({ id, position }, at) => {
    const next = last > positionMax ? at : placed[at]!
    return next === position ? [] : [{ id, position: next }]
  })
}

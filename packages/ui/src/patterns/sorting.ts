/** The sort of a list in an address: a field, with a `-` prefix for descending. Pure. */

export interface Sorting {
  /** The current sort. */
  readonly value: string
  /** The default sort, of an address without `sort`. */
  readonly usual: string
  readonly onSort: (sort: string) => void
}

type Direction = "ascending" | "descending"

export interface ColumnSort {
  readonly field: string
  /** The direction of the first press. */
  readonly first: Direction
}

const sortOf = (field: string, direction: Direction): string => direction === "ascending" ? field : `-${field}`

/** The direction if the list is sorted by this field; otherwise undefined. */
export const directionOf = (sort: string, field: string): Direction | undefined =>
  sort === field ? "ascending" : sort === `-${field}` ? "descending" : undefined

/** `aria-sort` of a column's head; undefined for a column that cannot sort. */
export const ariaSort = (sort: ColumnSort | undefined, sorting: Sorting | undefined): Direction | "none" | undefined =>
  sort === undefined || sorting === undefined ? undefined : directionOf(sorting.value, sort.field) ?? "none"

/** The sort after a press on a head: its first direction, then the other one, then the default sort. */
export const nextSort = ({ usual, value }: Pick<Sorting, "usual" | "value">, { field, first }: ColumnSort): string => {
  const direction = directionOf(value, field)
  if (direction === undefined) return sortOf(field, first)
  const isSecond = direction !== first
  return isSecond && directionOf(usual, field) === undefined
    ? usual
    : sortOf(field, direction === "ascending" ? "descending" : "ascending")
}

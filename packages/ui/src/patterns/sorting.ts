/** The order of a list as an address has it: a field, with `-` before it for descending. Pure. */

export interface Sorting {
  /** The order now. */
  readonly value: string
  /** The order of an address without `sort`. */
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

/** The direction in which a field sorts the list; undefined where another does. */
export const directionOf = (sort: string, field: string): Direction | undefined =>
  sort === field ? "ascending" : sort === `-${field}` ? "descending" : undefined

/** `aria-sort` of a column's head; none for a column that does not sort. */
export const ariaSort = (sort: ColumnSort | undefined, sorting: Sorting | undefined): Direction | "none" | undefined =>
  sort === undefined || sorting === undefined ? undefined : directionOf(sorting.value, sort.field) ?? "none"

/** After a press on a head: its first direction, then the other one, then the usual order. */
export const nextSort = ({ usual, value }: Pick<Sorting, "usual" | "value">, { field, first }: ColumnSort): string => {
  const direction = directionOf(value, field)
  if (direction === undefined) return sortOf(field, first)
  const isSecond = direction !== first
  return isSecond && directionOf(usual, field) === undefined
    ? usual
    : sortOf(field, direction === "ascending" ? "descending" : "ascending")
}

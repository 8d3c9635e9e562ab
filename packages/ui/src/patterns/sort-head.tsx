/** The head of a sortable column. */
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react"
import type { ReactNode } from "react"
import { classNames } from "../components/class-names.ts"
import styles from "./sort-head.module.css"
import { type ColumnSort, directionOf, nextSort, type Sorting } from "./sorting.ts"

export interface SortHeadProps {
  readonly sort: ColumnSort
  readonly sorting: Sorting
  readonly end?: boolean | undefined
  readonly children: ReactNode
}

export const SortHead = ({ children, end, sort, sorting }: SortHeadProps) => {
  const direction = directionOf(sorting.value, sort.field)
  const Arrow = direction === undefined ? ChevronsUpDown : direction === "ascending" ? ArrowUp : ArrowDown
  return (
    <button
      type="button"
      className={classNames(styles.head, end && styles.end)}
      data-sorted={direction !== undefined || undefined}
      onClick={() => sorting.onSort(nextSort(sorting, sort))}
    >
      <span className="overflow-hidden text-ellipsis">{children}</span>
      <Arrow aria-hidden className={styles.arrow} />
    </button>
  )
}

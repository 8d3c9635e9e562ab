/**
 * A long table with rows of one height: virtualized, keyboard-operable, selected by id. Rows load and unload at their
 * own index (`offset`), so that a caller may hold a few hundred of a hundred thousand. Nothing moves by itself: new
 * rows are offered by a bar.
 */
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState
} from "react"
import { Button } from "../components/button.tsx"
import { classNames } from "../components/class-names.ts"
import { ProgressLine } from "../components/progress-line.tsx"
import { fitColumns } from "./column-fit.ts"
import styles from "./data-table.module.css"
import { rowWindow, scrolledTo } from "./row-window.ts"
import { SortHead } from "./sort-head.tsx"
import { ariaSort, type ColumnSort, type Sorting } from "./sorting.ts"

export interface Column<R> {
  readonly id: string
  readonly head: ReactNode
  /** The field that a press on the head sorts by, and its first direction. */
  readonly sort?: ColumnSort | undefined
  readonly cell: (row: R) => ReactNode
  /** A CSS track: `"120px"`, `"minmax(160px, 2fr)"`. */
  readonly width: string
  /** Figures are aligned to the end. */
  readonly end?: boolean | undefined
  /**
   * Shown only while the table is at least this wide, in px; columns with higher values are dropped first if they do
   * not all fit.
   */
  readonly from?: number | undefined
  /** Below 640 px: its place in the row's two lines; left out by default. */
  readonly narrow?: "select" | "lead" | "trail" | "under" | "underTrail" | undefined
}

export interface DataTableProps<R> {
  readonly label: string
  readonly sorting?: Sorting | undefined
  /** The visible columns, in the person's order; money second to last. */
  readonly columns: ReadonlyArray<Column<R>>
  readonly rows: ReadonlyArray<R>
  readonly rowId: (row: R) => string
  /** Index of the first loaded row in the list; 0 by default. */
  readonly offset?: number | undefined
  /** Number of known rows, loaded or not; by default `offset` plus the loaded ones. */
  readonly count?: number | undefined
  /** Called with the visible range (indices in the list, end excluded) when it changes, to load more. */
  readonly onRange?: ((first: number, end: number) => void) | undefined
  readonly loading?: boolean | undefined
  readonly selectedId?: string | undefined
  /** By pointer, Enter or Space. */
  readonly onOpen?: ((row: R) => void) | undefined
  /** Keys on the focused row in addition to the table's own; return true if handled. */
  readonly onRowKey?: ((row: R, event: KeyboardEvent) => boolean) | undefined
  /** At the row's end; the menu key on the focused row also opens it, through its own trigger. */
  readonly rowMenu?: ((row: R) => ReactNode) | undefined
  readonly fresh?: { readonly text: string; readonly onShow: () => void } | undefined
  /** Shown if there are no rows and nothing is loading. */
  readonly empty?: ReactNode
  /** As high as its rows, without its own scroll bar; for at most one screen of rows. */
  readonly fit?: boolean | undefined
  readonly handle?: Ref<TableHandle> | undefined
  readonly texts: { readonly loading: string; readonly rowMenu: string }
}

/** Moves through the rows from outside of the table, such as by a shortcut of the screen. */
export interface TableHandle {
  /** By a number of rows from the focused one; the first visible row if none is focused. The table takes the focus. */
  readonly move: (by: number) => void
  readonly movePage: (by: 1 | -1) => void
  /** Opens the focused row, if any. */
  readonly open: () => void
}

interface Measures {
  readonly rowHeight: number
  readonly width: number
  readonly height: number
}

const narrowMax = 640
const headHeight = 28
/** Elements in a cell that handle presses themselves. */
const ownPress = "a, button, input, label, [role=menuitem]"

export function DataTable<R>({
  label,
  sorting,
  columns,
  rows,
  rowId,
  offset = 0,
  count = offset + rows.length,
  onRange,
  loading = false,
  selectedId,
  onOpen,
  onRowKey,
  rowMenu,
  fresh,
  empty,
  fit = false,
  handle,
  texts
}: DataTableProps<R>) {
  const base = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const probe = useRef<HTMLDivElement>(null)
  const [{ rowHeight, width, height }, setMeasures] = useState<Measures>({ rowHeight: 36, width: 1200, height: 720 })
  const [top, setTop] = useState(0)
  const [focusedId, setFocusedId] = useState<string>()

  useLayoutEffect(() => {
    const [box, row] = [scroller.current, probe.current]
    if (box === null || row === null) return
    const measure = () =>
      setMeasures((before) => {
        const rowHeight = row.offsetHeight || before.rowHeight
        const { width, height } = { width: box.clientWidth, height: box.clientHeight - headHeight }
        const same = rowHeight === before.rowHeight && width === before.width && height === before.height
        return same ? before : { rowHeight, width, height }
      })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    observer.observe(row)
    return () => observer.disconnect()
  }, [])

  const narrow = width <= narrowMax
  const shown = narrow
    ? columns.filter((column) => column.narrow !== undefined)
    : fitColumns(columns, width, rowMenu !== undefined)
  const { first, end } = fit ? { first: 0, end: count } : rowWindow(top, height, rowHeight, count)
  useLayoutEffect(() => onRange?.(first, end), [onRange, first, end])

  const heldIndex = (id: string | undefined) => id === undefined ? -1 : rows.findIndex((row) => rowId(row) === id)
  const focusedAt = heldIndex(focusedId ?? selectedId)
  const focused = focusedAt < 0 ? undefined : rows[focusedAt]

  const focusAt = (at: number) => {
    const row = rows[Math.min(Math.max(0, at), rows.length - 1)]
    const box = scroller.current
    if (row === undefined || box === null) return
    setFocusedId(rowId(row))
    if (fit) document.getElementById(`${base}-${rowId(row)}`)?.scrollIntoView({ block: "nearest" })
    else {
      box.scrollTop = scrolledTo(offset + rows.indexOf(row), box.scrollTop, box.clientHeight - headHeight, rowHeight)
    }
  }
  const page = Math.max(1, Math.floor(height / rowHeight) - 1)
  const firstVisible = Math.max(0, first - offset)
  const move = (by: number) => {
    focusAt(focusedAt < 0 ? firstVisible : focusedAt + by)
    scroller.current?.focus({ preventScroll: true })
  }
  useImperativeHandle(handle, () => ({
    move,
    movePage: (by) => move(by * page),
    open: () => focused !== undefined && onOpen?.(focused)
  }))
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: focusedAt + 1,
    ArrowUp: focusedAt < 0 ? 0 : focusedAt - 1,
    PageDown: focusedAt + page,
    PageUp: focusedAt - page,
    Home: 0,
    End: rows.length - 1
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // elements in a cell handle their own keys
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const to = moves[event.key]
    if (to !== undefined) {
      event.preventDefault()
      focusAt(to)
    } else if (focused !== undefined) {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault()
        onOpen?.(focused)
      } else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
        event.preventDefault()
        document.getElementById(`${base}-${rowId(focused)}`)?.querySelector<HTMLElement>("[data-row-menu] button")
          ?.click()
      } else if (onRowKey?.(focused, event) === true) event.preventDefault()
    }
  }

  const tracks = [...shown.map((column) => column.width), ...(rowMenu === undefined ? [] : ["32px"])].join(" ")
  const held = rows.slice(Math.max(0, first - offset), Math.max(0, end - offset))
  const heldFirst = Math.max(first, offset)
  const bare = rows.length === 0
  return (
    <div className={classNames(styles.frame, fit && styles.fit)}>
      <div ref={probe} className={styles.probe} aria-hidden />
      <div className={styles.loading}>
        <ProgressLine active={loading} label={texts.loading} />
      </div>
      {fresh !== undefined && (
        <div className={styles.fresh}>
          <Button size="small" variant="primary" onClick={fresh.onShow}>{fresh.text}</Button>
        </div>
      )}
      <div
        ref={scroller}
        className={styles.scroller}
        role="grid"
        data-selectable={shown.some((column) => column.narrow === "select") || undefined}
        aria-label={label}
        aria-rowcount={count + 1}
        aria-colcount={shown.length + (rowMenu === undefined ? 0 : 1)}
        aria-busy={loading || undefined}
        aria-activedescendant={focused !== undefined && held.includes(focused)
          ? `${base}-${rowId(focused)}`
          : undefined}
        tabIndex={0}
        style={{ "--tracks": tracks } as CSSProperties}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={onKeyDown}
        onFocus={(event) => event.target === event.currentTarget && focused === undefined && focusAt(firstVisible)}
      >
        <div role="rowgroup" className={styles.head}>
          <div role="row" aria-rowindex={1} className={styles.headRow}>
            {shown.map((column) => (
              <div
                key={column.id}
                role="columnheader"
                aria-sort={ariaSort(column.sort, sorting)}
                className={classNames(styles.cell, column.end && "text-end")}
              >
                {column.sort === undefined || sorting === undefined
                  ? column.head
                  : <SortHead sort={column.sort} sorting={sorting} end={column.end}>{column.head}</SortHead>}
              </div>
            ))}
            {rowMenu !== undefined && (
              <div role="columnheader" className={styles.cell}>
                <span className="sr-only">{texts.rowMenu}</span>
              </div>
            )}
          </div>
        </div>
        {bare
          ? (
            <div role="rowgroup">
              <div role="row">
                <div role="gridcell">{loading ? null : empty}</div>
              </div>
            </div>
          )
          : (
            <div
              role="rowgroup"
              className="relative"
              style={fit ? undefined : { blockSize: `${count * rowHeight}px` }}
            >
              {held.map((row, at) => {
                const id = rowId(row)
                const index = heldFirst + at
                return (
                  <div
                    key={id}
                    id={`${base}-${id}`}
                    role="row"
                    aria-rowindex={index + 2}
                    aria-selected={id === selectedId}
                    data-focused={(row === focused) || undefined}
                    className={styles.row}
                    style={fit ? undefined : { transform: `translateY(${index * rowHeight}px)` }}
                    onClick={(event) => {
                      if (event.defaultPrevented || (event.target as Element).closest(ownPress) !== null) return
                      setFocusedId(id)
                      onOpen?.(row)
                    }}
                  >
                    {shown.map((column) => (
                      <div
                        key={column.id}
                        role="gridcell"
                        data-place={column.narrow}
                        className={classNames(styles.cell, column.end && "text-end")}
                      >
                        {column.cell(row)}
                      </div>
                    ))}
                    {rowMenu !== undefined && (
                      <div role="gridcell" data-row-menu className={styles.menu}>{rowMenu(row)}</div>
                    )}
                  </div>
                )
              })}
            </div>
          )}
      </div>
    </div>
  )
}

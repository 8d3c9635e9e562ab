/**
 * A table of a hub list: cursors in both directions, first load, error and empty states, a bar for new rows, and
 * shortcuts.
 */
import type { ListName } from "@countersign/hub-client/contract"
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react"
import { useKey } from "../app/keys.ts"
import { ScreenState } from "../app/screen-state.tsx"
import { Button } from "../components/button.tsx"
import { arrivalsMax, useArrivals } from "../live/arrivals.ts"
import type { Column } from "../patterns/data-table.tsx"
import type { Sorting } from "../patterns/sorting.ts"
import { actText as acts } from "../text/acts.ts"
import { listingText as t } from "../text/listing.ts"
import type { Held } from "./held-rows.ts"
import { KeyedTable } from "./keyed-table.tsx"
import styles from "./listing.module.css"

export interface HubTableProps<R> {
  readonly endpoint: ListName
  readonly workspace: string
  readonly held: Held<R>
  readonly label: string
  readonly sorting?: Sorting | undefined
  readonly columns: ReadonlyArray<Column<R>>
  readonly onOpen?: (row: R) => void
  readonly onRowKey?: ((row: R, event: KeyboardEvent) => boolean) | undefined
  /** False while another part of the screen has the shortcuts of lists. */
  readonly isKeyed?: boolean | undefined
  readonly rowMenu?: (row: R) => ReactNode
  readonly selectedId?: string | undefined
  readonly empty: { readonly text: string; readonly action?: ReactNode }
  /** Replaces `empty` while filters are set. */
  readonly noMatch: string
  readonly onClear: (() => void) | undefined
}

export const HubTable = <R extends { readonly id: string }>(
  {
    columns,
    empty,
    endpoint,
    held,
    isKeyed,
    label,
    noMatch,
    onClear,
    onOpen,
    onRowKey,
    rowMenu,
    selectedId,
    sorting,
    workspace
  }: HubTableProps<R>
) => {
  const frame = useRef<HTMLDivElement>(null)
  const { count, name, offset, onRange, pages, rows } = held
  const arrived = useArrivals(endpoint, workspace)
  const toTop = () => {
    const scroller = frame.current?.querySelector("[role=grid]")
    if (scroller !== null && scroller !== undefined) scroller.scrollTop = 0
  }
  const show = () => {
    toTop()
    void arrived.show()
  }
  useEffect(toTop, [name])
  useKey("list.news", show, { when: arrived.count > 0 })
  const isLooking = rows.length === 0 && pages.hasNextPage
  // An empty list shows no bar for new rows, and nothing in it can move.
  const isBare = rows.length === 0 && onClear === undefined && pages.isSuccess && !pages.isFetching
  const { show: showFirst } = arrived
  useEffect(() => {
    if (isBare && arrived.count > 0) void showFirst()
  }, [isBare, arrived.count, showFirst])
  return (
    <div ref={frame} className="flex flex-col h-full min-h-0">
      <ScreenState
        query={pages}
        isEmpty={rows.length === 0 && !isLooking && !pages.isPlaceholderData}
        empty={onClear === undefined
          ? empty
          : { text: noMatch, action: <Button onClick={onClear}>{acts.clearFilters}</Button> }}
      >
        {isLooking
          ? <p className={`type-body text-2 ${styles.looking}`} role="status">{t.searching}</p>
          : (
            <KeyedTable
              label={label}
              sorting={sorting}
              columns={columns}
              rows={rows}
              rowId={rowId}
              offset={offset}
              count={count}
              onRange={onRange}
              onOpen={onOpen}
              isKeyed={isKeyed}
              onRowKey={onRowKey}
              rowMenu={rowMenu}
              selectedId={selectedId}
              fresh={arrived.count > 0
                ? { text: t.fresh(arrived.count, arrived.count >= arrivalsMax), onShow: show }
                : undefined}
              texts={{ loading: acts.loading, rowMenu: t.rowMenu }}
            />
          )}
      </ScreenState>
    </div>
  )
}

const rowId = ({ id }: { readonly id: string }): string => id

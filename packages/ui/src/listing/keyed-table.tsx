/** A table whose rows the shortcuts of lists move through and open, wherever the focus is. */
import { useRef } from "react"
import { useKey } from "../app/keys.ts"
import { DataTable, type DataTableProps, type TableHandle } from "../patterns/data-table.tsx"

export interface KeyedTableProps<R> extends Omit<DataTableProps<R>, "handle"> {
  /** False while another part of the screen has these shortcuts. */
  readonly isKeyed?: boolean | undefined
}

export function KeyedTable<R>({ isKeyed = true, ...table }: KeyedTableProps<R>) {
  const handle = useRef<TableHandle>(null)
  const when = isKeyed && table.rows.length > 0
  useKey("list.next", () => handle.current?.move(1), { when })
  useKey("list.previous", () => handle.current?.move(-1), { when })
  useKey("list.pageNext", () => handle.current?.movePage(1), { when })
  useKey("list.pagePrevious", () => handle.current?.movePage(-1), { when })
  useKey("list.open", () => handle.current?.open(), { when: when && table.onOpen !== undefined, listed: "active" })
  return <DataTable {...table} handle={handle} />
}

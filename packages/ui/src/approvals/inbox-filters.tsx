/** Filters of the inbox and its saved views. They narrow the rows that are read; counts elsewhere stay whole. */
import { useMemo } from "react"
import { amountFilter, amountMembers } from "../listing/amount-filter.tsx"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { SortMenu } from "../listing/sort-menu.tsx"
import { addressSorting } from "../listing/sorting.ts"
import { ViewsMenu } from "../listing/views-menu.tsx"
import { approvalText } from "../text/approvals.ts"
import { useText } from "../text/catalogue.ts"
import { listingText } from "../text/listing.ts"
import type { ApprovalRow } from "./inbox-rows.ts"
import type { InboxChange, InboxSearch } from "./inbox-search.ts"
import { operationOf } from "./words.ts"

export interface InboxFiltersProps {
  readonly search: InboxSearch
  /** All rows that are read, whether they match or not: what a filter offers. */
  readonly rows: ReadonlyArray<ApprovalRow>
  readonly change: (change: InboxChange) => void
  readonly open: (search: InboxSearch) => void
}

const orderNames = [["-requested_at", "newest"], ["requested_at", "oldest"], ["-cost_cents", "dearest"], ["cost_cents", "cheapest"]] as const

const byText = (one: { readonly text: string }, other: { readonly text: string }) => one.text.localeCompare(other.text)

const InboxFilters = ({ change, open, rows, search }: InboxFiltersProps) => {
  const t = useText(approvalText)
  const list = useText(listingText)
  const agents = useMemo(() =>
    [...new Map(rows.map(({ agent }) => [agent.id, agent.name]))].map(([value, text]) => ({ value, text })).sort(byText), [rows])
  const operations = useMemo(() => [...new Set(rows.map(operationOf))].map((value) => ({ value, text: value })).sort(byText), [rows])
  const { of: _of, open: _open, view: _view, ...kept } = search
  return (
    <FilterLine
      filters={[
        oneFilter("agent_id", t.filters.agent, search.agent_id, change, agents),
        oneFilter("operation", t.filters.operation, search.operation, change, operations),
        amountFilter(list, search, change)
      ]}
      members={amountMembers}
      change={change}
      clear={() => change({ agent_id: undefined, operation: undefined, min_cents: undefined, max_cents: undefined })}
      aside={
        <>
          {search.show === "decided" && (
            <SortMenu
              sorting={addressSorting("-requested_at", search.sort, (next) => change(next as InboxChange))}
              options={orderNames.map(([value, name]) => ({ value, text: t.orders[name] }))}
            />
          )}
          <ViewsMenu screen="inbox" search={kept} onOpen={(next) => open(next as InboxSearch)} />
        </>
      }
    />
  )
}

export default InboxFilters

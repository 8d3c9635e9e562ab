/** Filters of the inbox and its saved views. They narrow only the listed rows, not the counts elsewhere. */
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { useWorkspaceId } from "../app/session.ts"
import { approvalChoices } from "../hub/queries.ts"
import { ageFilter, ageMembers } from "../listing/age-filter.ts"
import { amountFilter, amountMembers } from "../listing/amount-filter.tsx"
import type { Choice } from "../listing/choices.tsx"
import { downloadHref } from "../listing/download.ts"
import { ExportMenu } from "../listing/export-menu.tsx"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { SortMenu } from "../listing/sort-menu.tsx"
import { addressSorting } from "../listing/sorting.ts"
import { ViewsMenu } from "../listing/views-menu.tsx"
import { approvalText as t } from "../text/approvals.ts"
import { listingText as list } from "../text/listing.ts"
import {
  decidedQuery,
  filterNames,
  type InboxFilter,
  inboxKinds,
  isNarrowed,
  operationValue,
  queryOf,
  showsApprovals
} from "./inbox-filter.ts"
import type { ApprovalRow } from "./inbox-rows.ts"
import type { InboxChange, InboxSearch } from "./inbox-search.ts"
import { operationOf } from "./words.ts"

export interface InboxFiltersProps {
  readonly search: InboxSearch
  /** The part of the search that filters the rows and the export. */
  readonly filter: InboxFilter
  /** Parts of the link that are not applied. */
  readonly ignored: ReadonlyArray<string>
  /** Loaded rows; a filter offers their values and those of the rows that it hides. */
  readonly rows: ReadonlyArray<ApprovalRow>
  /** Agents of loaded requests. */
  readonly agents: ReadonlyArray<Choice>
  readonly change: (change: InboxChange) => void
  readonly open: (search: InboxSearch) => void
}

const orderNames = [["-requested_at", "newest"], ["requested_at", "oldest"], ["-cost_cents", "dearest"], [
  "cost_cents",
  "cheapest"
]] as const

const choicesOf = (
  rows: ReadonlyArray<ApprovalRow>,
  of: (row: ApprovalRow) => readonly [value: string, text: string]
) =>
  [...new Map(rows.map(of))].map(([value, text]) => ({ value, text })).sort((one, other) =>
    one.text.localeCompare(other.text)
  )

const members = { ...amountMembers, ...ageMembers }
const cleared: InboxChange = Object.fromEntries(
  filterNames.filter((name) => name !== "workspace").map((name) => [name, undefined])
)

const InboxFilters = ({ agents: askers, change, filter, ignored, open, rows, search }: InboxFiltersProps) => {
  const workspace = useWorkspaceId()
  const { data: others } = useQuery({ ...approvalChoices, enabled: isNarrowed(filter) && search.show !== "decided" })
  const offered = useMemo(() => [...rows, ...others?.data ?? []], [others, rows])
  const agents = useMemo(() => {
    const named = choicesOf(offered, ({ agent }) => [agent.id, agent.name])
    const known = new Set(named.map(({ value }) => value as string))
    return [...named, ...askers.filter(({ value }) => !known.has(value))]
  }, [askers, offered])
  const operations = useMemo(() => choicesOf(offered, (row) => [operationValue(row), operationOf(row)]), [offered])
  const { ignored: _ignored, of: _of, open: _open, view: _view, ...kept } = search
  return (
    <FilterLine
      filters={[
        oneFilter(
          "kind",
          t.filters.kind,
          search.kind,
          change,
          inboxKinds.map((value) => ({ value, text: t.kinds[value] }))
        ),
        oneFilter("agent_id", t.filters.agent, search.agent_id, change, agents),
        oneFilter("operation", t.filters.operation, search.operation, change, operations),
        amountFilter(list, search, change),
        ageFilter(list, search, change)
      ]}
      members={members}
      // A foreign workspace is in the address as if it were a filter.
      change={(changes) => change("ignored" in changes ? { ...changes, workspace: filter.workspace } : changes)}
      ignored={ignored}
      clear={() => change(cleared)}
      aside={
        <>
          {search.show === "decided" && (
            <SortMenu
              sorting={addressSorting("-requested_at", search.sort, (next) => change(next as InboxChange))}
              options={orderNames.map(([value, name]) => ({ value, text: t.orders[name] }))}
            />
          )}
          {showsApprovals(filter) && (
            <ExportMenu
              bare
              href={downloadHref("approvals.export", workspace, {
                query: search.show === "decided" ? decidedQuery(filter, search.sort) : queryOf(filter)
              })}
              isFiltered={isNarrowed(filter)}
            />
          )}
          <ViewsMenu screen="inbox" search={kept} onOpen={(next) => open(next as InboxSearch)} />
        </>
      }
    />
  )
}

export default InboxFilters

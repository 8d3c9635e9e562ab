/** Every request of a workspace, filtered and sorted by the address. */
import type { Input } from "@countersign/hub-client/contract"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Page } from "../app/page.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Menu, MenuItem, MenuSection } from "../components/menu.tsx"
import { requestPages, type ServiceRequestRow } from "../hub/queries.ts"
import { amountMembers } from "../listing/amount-filter.tsx"
import { ColumnsMenu } from "../listing/columns-menu.tsx"
import { useColumns } from "../listing/columns.ts"
import { copyText } from "../listing/copy-text.ts"
import { downloadHref } from "../listing/download.ts"
import { type Changes, FilterLine, periodMembers } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { ListFrame } from "../listing/list-frame.tsx"
import listStyles from "../listing/listing.module.css"
import { untilMoment } from "../listing/period.ts"
import { RowMenu } from "../listing/row-menu.tsx"
import { SortMenu } from "../listing/sort-menu.tsx"
import { addressSorting } from "../listing/sorting.ts"
import { ViewsMenu } from "../listing/views-menu.tsx"
import { listingText as list } from "../text/listing.ts"
import { requestsText as t } from "../text/requests.ts"
import { codeOf } from "./reason.ts"
import { useRequestColumns } from "./request-columns.tsx"
import { useRequestFilters } from "./request-filters.ts"

const from = "/w/$workspace/requests"
const orderNames = [["-created_at", "newest"], ["created_at", "oldest"], ["-cost_cents", "dearest"], [
  "cost_cents",
  "cheapest"
]] as const
export const RequestsScreen = () => {
  const workspace = useWorkspaceId()
  const { hide, ignored, ...ordered } = useSearch({ from })
  const { sort, ...filters } = ordered
  const navigate = useNavigate({ from })
  const held = useHeldRows<ServiceRequestRow>(requestPages(workspace, untilMoment(ordered)))
  const change = (changes: Changes, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changes } as typeof filters), replace })
  const clear = () =>
    void navigate({ search: { ...sort === undefined ? {} : { sort }, ...hide === undefined ? {} : { hide } } })
  const open = ({ id }: ServiceRequestRow) =>
    void navigate({ to: "/w/$workspace/requests/$id", params: { workspace, id } })
  const choice = useColumns("requests", useRequestColumns(), "operation", hide, (next) => change({ hide: next }, true))
  const sorting = addressSorting("-created_at", sort, change)
  return (
    <Page
      title={t.title}
      layout="flush"
      busy={held.pages.isFetching}
      action={
        <ExportMenu
          query={untilMoment(filters)}
          label={Object.keys(filters).length > 0 ? t.export.filtered : t.export.whole}
        />
      }
    >
      <ListFrame
        filters={
          <FilterLine
            filters={useRequestFilters(change)}
            members={{ ...periodMembers, ...amountMembers }}
            change={change}
            clear={clear}
            search={{ value: filters.q, label: t.search }}
            ignored={ignored}
            folds
            aside={
              <>
                <span className={listStyles.narrowSort}>
                  <SortMenu
                    sorting={sorting}
                    options={orderNames.map(([value, name]) => ({ value, text: t.orders[name] }))}
                  />
                </span>
                <ColumnsMenu choice={choice} />
                <ViewsMenu
                  screen="requests"
                  search={ordered}
                  hide={choice.hide}
                  onOpen={(search) => void navigate({ search: search as typeof filters })}
                />
              </>
            }
          />
        }
      >
        <HubTable
          endpoint="service_requests.list"
          workspace={workspace}
          held={held}
          label={sort === undefined ? t.list : t.title}
          sorting={sorting}
          columns={choice.columns}
          onOpen={open}
          rowMenu={(row) => <RequestMenu row={row} onOpen={() => open(row)} change={change} />}
          empty={{ text: t.empty }}
          noMatch={t.noMatch}
          onClear={Object.keys(filters).length > 0 ? clear : undefined}
        />
      </ListFrame>
    </Page>
  )
}

interface RequestMenuProps {
  readonly row: ServiceRequestRow
  readonly onOpen: () => void
  readonly change: (changes: Changes) => void
}

/** Opens a request, or filters the list by one of its facts. */
const RequestMenu = ({ change, onOpen, row }: RequestMenuProps) => {
  const { agent_id, id, operation, service, status } = row
  const code = codeOf(row)
  return (
    <RowMenu label={list.rowMenuOf(`${service}.${operation}`)}>
      {() => (
        <>
          <MenuItem onSelect={onOpen}>{t.menu.open}</MenuItem>
          <MenuItem onSelect={() => change({ agent_id })}>{t.menu.agent}</MenuItem>
          <MenuItem onSelect={() => change({ service, operation })}>{t.menu.operation}</MenuItem>
          <MenuItem onSelect={() => change({ status: [status] })}>{t.menu.status}</MenuItem>
          {code !== undefined && <MenuItem onSelect={() => change({ reason_code: code })}>{t.menu.reason}</MenuItem>}
          <MenuItem onSelect={() => copyText(id)}>{t.menu.copy}</MenuItem>
        </>
      )}
    </RowMenu>
  )
}

interface ExportMenuProps {
  readonly query: Omit<NonNullable<Input<"service_requests.export">["query"]>, "format">
  readonly label: string
}

/** Downloads the filtered requests. */
const ExportMenu = ({ label, query }: ExportMenuProps) => {
  const workspace = useWorkspaceId()
  const file = (format: "csv" | "jsonl") =>
    downloadHref("service_requests.export", workspace, { query: { ...query, format } })
  return (
    <Menu align="end" trigger={<Button size="small">{t.export.act}</Button>}>
      <MenuSection label={label}>
        <MenuItem render={<a href={file("csv")} download />}>{t.export.csv}</MenuItem>
        <MenuItem render={<a href={file("jsonl")} download />}>{t.export.jsonl}</MenuItem>
      </MenuSection>
    </Menu>
  )
}

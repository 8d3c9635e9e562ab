/** Every request of a workspace, filtered and sorted by the address. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useMemo } from "react"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { revealTexts } from "../approvals/words.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Menu, MenuItem, MenuSection } from "../components/menu.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentChoices, allServices, requestPages, type ServiceRequestRow } from "../hub/queries.ts"
import { amountFilter, amountMembers } from "../listing/amount-filter.tsx"
import { ColumnsMenu } from "../listing/columns-menu.tsx"
import { useColumns } from "../listing/columns.ts"
import { copyText } from "../listing/copy-text.ts"
import { downloadHref } from "../listing/download.ts"
import { type Changes, FilterLine, manyFilter, oneFilter, periodFilter, periodMembers } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { ListFrame } from "../listing/list-frame.tsx"
import listStyles from "../listing/listing.module.css"
import { untilMoment } from "../listing/period.ts"
import { RowMenu } from "../listing/row-menu.tsx"
import { SortMenu } from "../listing/sort-menu.tsx"
import { addressSorting } from "../listing/sorting.ts"
import { ViewsMenu } from "../listing/views-menu.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { summaryText } from "../patterns/summary-text.ts"
import { approvalText } from "../text/approvals.ts"
import { listingText as list } from "../text/listing.ts"
import { requestsText as t } from "../text/requests.ts"
import { codeOf, reasonChoices, reasonOf } from "./reason.ts"
import styles from "./requests-screen.module.css"
import { requestStatuses } from "./routes.tsx"

const from = "/w/$workspace/requests"
const isStandingApproval = (text: string) => text.startsWith("sta_")
const orderNames = [["-created_at", "newest"], ["created_at", "oldest"], ["-cost_cents", "dearest"], [
  "cost_cents",
  "cheapest"
]] as const
const isCode = (text: string) => /^[a-z_]{1,64}$/u.test(text)
const isName = (text: string) => /^[a-z][a-z0-9_.-]{0,63}$/u.test(text)

export const RequestsScreen = () => {
  const reveal = revealTexts(approvalText)
  const workspace = useWorkspaceId()
  const can = useCan()
  const { hide, ignored, ...ordered } = useSearch({ from })
  const { sort, ...filters } = ordered
  const navigate = useNavigate({ from })
  const held = useHeldRows<ServiceRequestRow>(requestPages(workspace, untilMoment(ordered)))
  const agents = useQuery({ ...agentChoices(workspace), enabled: can("agents:read") }).data?.data
  const services = useQuery({ ...allServices(workspace), enabled: can("catalog:read") }).data

  const change = (changes: Changes, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changes } as typeof filters), replace })
  const clear = () =>
    void navigate({ search: { ...sort === undefined ? {} : { sort }, ...hide === undefined ? {} : { hide } } })
  const open = ({ id }: ServiceRequestRow) =>
    void navigate({ to: "/w/$workspace/requests/$id", params: { workspace, id } })
  const names = useMemo(() => new Map(agents?.map(({ id, name }) => [id as string, name])), [agents])
  const chosen = services?.find(({ name }) => name === filters.service)
  const operations = useMemo(
    () =>
      [
        ...new Set((chosen === undefined ? services ?? [] : [chosen]).flatMap((service) =>
          service.operations.map(({ name }) => name)
        ))
      ].sort(),
    [services, chosen]
  )

  const columns: ReadonlyArray<Column<ServiceRequestRow>> = [
    {
      id: "time",
      head: t.columns.time,
      sort: { field: "created_at", first: "descending" },
      width: "148px",
      narrow: "underTrail",
      cell: ({ created_at }) => <RelativeTime at={created_at} now={hubClock.now} />
    },
    {
      id: "status",
      head: t.columns.status,
      width: "112px",
      cell: ({ status }) => <StatusBadge status={status}>{t.statuses[status]}</StatusBadge>
    },
    {
      id: "operation",
      head: t.columns.operation,
      width: "minmax(144px, 1.4fr)",
      narrow: "lead",
      cell: (row) => (
        <span className="flex items-center gap-8 min-w-0">
          <span className={styles.narrowBadge}>
            <StatusBadge status={row.status}>{t.statuses[row.status]}</StatusBadge>
          </span>
          <Link
            quiet
            to="/w/$workspace/requests/$id"
            params={{ workspace, id: row.id }}
            className="min-w-0 overflow-hidden type-mono text-1 text-ellipsis"
            tabIndex={-1}
          >
            {row.service}.{row.operation}
          </Link>
          {row.mode === "test" && <Badge>{t.testMark}</Badge>}
        </span>
      )
    },
    {
      id: "summary",
      head: t.columns.summary,
      width: "minmax(124px, 1.4fr)",
      from: 900,
      cell: ({ summary }) => (
        <span className="block text-2 truncate">
          <RevealedText text={summaryText(summary)} texts={reveal} line />
        </span>
      )
    },
    {
      id: "agent",
      head: t.columns.agent,
      width: "minmax(104px, 1fr)",
      narrow: "under",
      cell: ({ agent_id, summary }) => (
        <>
          {names.get(agent_id) ?? (
            <span className="min-w-0 overflow-hidden type-mono text-1 text-ellipsis">{agent_id}</span>
          )}
          {summary !== undefined && summary.length > 0 && (
            <span className={styles.narrowOnly}>
              {" · "}
              <RevealedText text={summaryText(summary)} texts={reveal} line />
            </span>
          )}
        </>
      )
    },
    {
      id: "reason",
      head: t.columns.reason,
      width: "minmax(120px, 1fr)",
      from: 1_060,
      cell: (row) => <span className="text-2">{reasonOf(t, row)}</span>
    },
    {
      id: "asked",
      head: t.columns.asked,
      width: "128px",
      end: true,
      from: 760,
      cell: ({ ceiling_cents }) => (
        <span className="text-2">
          <Money cents={ceiling_cents} end />
        </span>
      )
    },
    {
      id: "cost",
      head: t.columns.cost,
      sort: { field: "cost_cents", first: "descending" },
      width: "128px",
      end: true,
      narrow: "trail",
      cell: ({ ceiling_cents, cost_cents, status }) =>
        status === "executed" ? <Money cents={cost_cents} end /> : (
          <>
            <span className={styles.wideOnly}>{t.noCost}</span>
            <span className={styles.narrowOnly}>
              <Money cents={ceiling_cents} end />
            </span>
          </>
        )
    }
  ]
  const choice = useColumns("requests", columns, "operation", hide, (next) => change({ hide: next }, true))
  const menu = (row: ServiceRequestRow) => (
    <RowMenu label={list.rowMenuOf(`${row.service}.${row.operation}`)}>
      {() => (
        <>
          <MenuItem onSelect={() => open(row)}>{t.menu.open}</MenuItem>
          <MenuItem onSelect={() => change({ agent_id: row.agent_id })}>{t.menu.agent}</MenuItem>
          <MenuItem onSelect={() => change({ service: row.service, operation: row.operation })}>
            {t.menu.operation}
          </MenuItem>
          <MenuItem onSelect={() => change({ status: [row.status] })}>{t.menu.status}</MenuItem>
          {codeOf(row) !== undefined && (
            <MenuItem onSelect={() => change({ reason_code: codeOf(row) })}>{t.menu.reason}</MenuItem>
          )}
          <MenuItem onSelect={() => copyText(row.id)}>{t.menu.copy}</MenuItem>
        </>
      )}
    </RowMenu>
  )
  const sorting = addressSorting("-created_at", sort, change)
  const options = [
    manyFilter(
      "status",
      t.filters.status,
      filters.status ?? [],
      change,
      requestStatuses.map((value) => ({ value, text: t.statuses[value] })),
      list.several
    ),
    oneFilter(
      "agent_id",
      t.filters.agent_id,
      filters.agent_id,
      change,
      agents?.map(({ id, name }) => ({ value: id, text: name })) ?? [],
      { is: (text) => text.startsWith("agt_"), label: t.agentTyped }
    ),
    oneFilter(
      "service",
      t.filters.service,
      filters.service,
      change,
      services?.map(({ name, title }) => ({ value: name, text: name, detail: title })) ?? [],
      { is: isName, label: t.serviceTyped }
    ),
    oneFilter(
      "operation",
      t.filters.operation,
      filters.operation,
      change,
      operations.map((value) => ({ value, text: value })),
      { is: isName, label: t.operationTyped }
    ),
    oneFilter("reason_code", t.filters.reason_code, filters.reason_code, change, reasonChoices(t), {
      is: isCode,
      label: t.reasonTyped
    }),
    amountFilter(list, filters, change),
    oneFilter(
      "mode",
      t.filters.mode,
      filters.mode,
      change,
      (["live", "test"] as const).map((value) => ({ value, text: t.modes[value] }))
    ),
    oneFilter("standing_approval_id", t.filters.standing_approval_id, filters.standing_approval_id, change, [], {
      is: isStandingApproval,
      label: t.standingTyped
    }),
    periodFilter(list, filters, change)
  ]
  const file = (format: "csv" | "jsonl") =>
    downloadHref("service_requests.export", workspace, { query: { ...untilMoment(filters), format } })
  return (
    <Page
      title={t.title}
      layout="flush"
      busy={held.pages.isFetching}
      action={
        <Menu align="end" trigger={<Button size="small">{t.export.act}</Button>}>
          <MenuSection label={Object.keys(filters).length > 0 ? t.export.filtered : t.export.whole}>
            <MenuItem render={<a href={file("csv")} download />}>{t.export.csv}</MenuItem>
            <MenuItem render={<a href={file("jsonl")} download />}>{t.export.jsonl}</MenuItem>
          </MenuSection>
        </Menu>
      }
    >
      <ListFrame
        filters={
          <FilterLine
            filters={options}
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
          rowMenu={menu}
          empty={{ text: t.empty }}
          noMatch={t.noMatch}
          onClear={Object.keys(filters).length > 0 ? clear : undefined}
        />
      </ListFrame>
    </Page>
  )
}

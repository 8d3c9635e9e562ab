/** Standing approvals: condition, use of each limit, creator, and expiry; each can be revoked. */
import type { Row } from "@countersign/hub-client/contract"
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { ButtonLink, Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useSearchDraft } from "../app/search-draft.ts"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { formatMoney } from "../components/money-text.ts"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentChoices, standingPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { KeyedTable } from "../listing/keyed-table.tsx"
import { useArrivals } from "../live/arrivals.ts"
import { useMayAct } from "../live/connection.ts"
import type { Column } from "../patterns/data-table.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { actText as acts } from "../text/acts.ts"
import { standingText as t } from "../text/standing.ts"
import { RevokeAllDialog, RevokeDialog } from "./revoke-dialogs.tsx"
import styles from "./standing-screen.module.css"

export type Standing = Row<"standing_approvals.list">

/** No event reports a use, so an open list is refetched at this interval. */
const usesEveryMillis = 15_000

export const StandingScreen = () => {
  const workspace = useWorkspaceId()
  const can = useCan()
  const mayAct = useMayAct()
  const filters = useSearch({ from: "/w/$workspace/standing" })
  const navigate = useNavigate({ from: "/w/$workspace/standing" })
  const filter = (changed: { readonly [K in keyof typeof filters]: (typeof filters)[K] | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...changed }) as typeof filters, replace: true })
  const [draft, setDraft] = useSearchDraft(filters.q, (q) => filter({ q }))
  const pages = useInfiniteQuery({ ...standingPages(workspace, filters.agent_id), refetchInterval: usesEveryMillis })
  const arrived = useArrivals("standing_approvals.list", workspace)
  const agents = useQuery({ ...agentChoices(workspace), enabled: can("agents:read") }).data?.data ?? []
  const names = new Map(agents.map(({ id, name }) => [id as string, name]))
  const agentName = (row: Standing) => names.get(row.agent_id) ?? t.unknownAgent
  const whoMade = ({ created_by: { email, name } }: Standing) => name === "" ? email : name

  const all = rowsOf(pages.data)
  const sought = (filters.q ?? "").toLowerCase()
  const rows = sought === ""
    ? all
    : all.filter((row) =>
      [agentName(row), `${row.service}.${row.operation}`, whoMade(row), row.id].some((text) =>
        text.toLowerCase().includes(sought)
      )
    )
  const [ending, setEnding] = useState<Standing>()
  const [isEndingAll, setEndingAll] = useState(false)
  const mayEnd = can("approvals:decide") && mayAct
  const isFiltered = Object.keys(filters).length > 0

  const columns: ReadonlyArray<Column<Standing>> = [
    {
      id: "what",
      head: t.columns.what,
      width: "minmax(180px, 3fr)",
      narrow: "lead",
      cell: (row) => (
        <span className={`truncate ${styles.what}`}>
          <b>{agentName(row)}</b> <code>{row.service}.{row.operation}</code>
          {row.mode === "test" && <Badge>{t.test}</Badge>}
          {row.when !== undefined && (
            <span title={row.when}>
              {" "}
              {t.when} <code>{row.when}</code>
            </span>
          )}
        </span>
      )
    },
    {
      id: "used",
      head: t.columns.used,
      width: "minmax(200px, 1.2fr)",
      narrow: "under",
      cell: (row) => <Used row={row} label={t.requestsOf(agentName(row), `${row.service}.${row.operation}`)} />
    },
    {
      id: "last",
      head: t.columns.last,
      width: "104px",
      from: 820,
      cell: ({ last_used_at }) =>
        last_used_at === undefined ? t.never : <RelativeTime at={last_used_at} now={hubClock.now} />
    },
    {
      id: "made",
      head: t.columns.made,
      width: "minmax(150px, 1fr)",
      from: 760,
      cell: (row) => (
        <span className="overflow-hidden text-ellipsis">
          {whoMade(row)}, <RelativeTime at={row.created_at} now={hubClock.now} />
        </span>
      )
    },
    {
      id: "ends",
      head: t.columns.ends,
      width: "132px",
      narrow: "trail",
      cell: ({ expires_at }) => <RelativeTime at={expires_at} now={hubClock.now} />
    },
    {
      id: "each",
      head: t.columns.each,
      width: "100px",
      end: true,
      from: 560,
      cell: ({ max_cost_cents }) => <Money cents={max_cost_cents} end />
    },
    {
      id: "act",
      head: <span className="sr-only">{t.columns.act}</span>,
      width: "104px",
      end: true,
      narrow: "underTrail",
      cell: (row) => (
        <Button
          size="small"
          variant="danger"
          className={styles.end}
          disabled={!mayEnd}
          onClick={() => setEnding(row)}
        >
          {t.withdraw}
        </Button>
      )
    }
  ]

  return (
    <Page
      title={t.title}
      guide="approvals"
      busy={pages.isFetching}
      action={all.length > 0 && (
        <Button
          size="small"
          variant="danger"
          disabled={!mayEnd}
          onClick={() => setEndingAll(true)}
        >
          {t.withdrawAll}
        </Button>
      )}
      filters={
        <>
          <TextField
            className={styles.search}
            label={t.search}
            labelHidden
            type="search"
            value={draft}
            placeholder={t.search}
            onChange={setDraft}
          />
          {agents.length > 0 && (
            <Select
              label={t.agent}
              labelHidden
              value={filters.agent_id ?? ""}
              onChange={(next) => filter({ agent_id: next === "" ? undefined : next })}
              options={[
                { value: "", text: t.allAgents },
                ...agents.map(({ id, name }) => ({ value: id as string, text: name }))
              ]}
            />
          )}
        </>
      }
      news={arrived.count > 0 && (
        <Button size="small" onClick={() => void arrived.show()}>{t.newer(arrived.count)}</Button>
      )}
    >
      <ScreenState
        query={pages}
        isEmpty={rows.length === 0}
        empty={isFiltered
          ? {
            text: t.noMatch,
            action: <Button onClick={() => void navigate({ search: {}, replace: true })}>{t.clear}</Button>
          }
          : {
            text: t.empty,
            detail: t.emptyHow,
            action: <ButtonLink to="/w/$workspace/inbox" params={{ workspace }}>{t.toInbox}</ButtonLink>
          }}
      >
        <p className="max-w-reading mb-16 type-body text-2">{t.lead} {!can("approvals:decide") && t.forbidden}</p>
        <KeyedTable
          label={t.title}
          columns={columns}
          rows={rows}
          rowId={({ id }) => id}
          loading={false}
          fit
          onOpen={(row) => mayEnd && setEnding(row)}
          texts={{ loading: acts.loading, rowMenu: t.columns.act }}
        />
        {pages.hasNextPage && (
          <Button onClick={() => void pages.fetchNextPage()} pending={pages.isFetchingNextPage}>{t.more}</Button>
        )}
      </ScreenState>
      {ending !== undefined && (
        <RevokeDialog
          workspace={workspace}
          standing={ending}
          agentName={agentName(ending)}
          onClose={() => setEnding(undefined)}
        />
      )}
      {isEndingAll && (
        <RevokeAllDialog
          workspace={workspace}
          agent={filters.agent_id}
          onClose={() => setEndingAll(false)}
        />
      )}
    </Page>
  )
}

interface UsedProps {
  readonly row: Standing
  readonly label: string
}

const Used = ({ label, row: { id, max_total_cents, max_uses, used_cents, uses } }: UsedProps) => {
  const workspace = useWorkspaceId()
  const can = useCan()
  const words = `${max_uses === undefined ? t.uses(uses) : t.usesOf(uses, max_uses)}, ${
    max_total_cents === undefined
      ? formatMoney(used_cents)
      : t.sumOf(formatMoney(used_cents), formatMoney(max_total_cents))
  }`
  const share = max_uses !== undefined
    ? uses / max_uses
    : max_total_cents !== undefined && max_total_cents > 0
    ? used_cents / max_total_cents
    : 0
  return (
    <span className={`grid gap-2 w-full ${styles.used}`}>
      <span className="overflow-hidden tabular-nums text-ellipsis">
        {can("requests:read")
          ? (
            <Link
              to="/w/$workspace/requests"
              params={{ workspace }}
              search={{ standing_approval_id: id }}
              title={label}
            >
              {words}
            </Link>
          )
          : words}
      </span>
      <span className={styles.track} aria-hidden>
        <span style={{ inlineSize: `${Math.min(100, share * 100)}%` }} />
      </span>
    </span>
  )
}

/** All agents of a workspace in the order of the address, with how each fares. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Ellipsis, Plus } from "lucide-react"
import { useState } from "react"
import { useBudgetAlerts, useSeeing } from "../app/budget-alerts.ts"
import { useCommands } from "../app/commands.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Avatar } from "../components/avatar.tsx"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import type { Row } from "../hub/contract.ts"
import { ColumnsMenu } from "../listing/columns-menu.tsx"
import { useColumns } from "../listing/columns.ts"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import listStyles from "../listing/listing.module.css"
import { SortMenu } from "../listing/sort-menu.tsx"
import { addressSorting } from "../listing/sorting.ts"
import { ViewsMenu } from "../listing/views-menu.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { agentsText } from "../text/agents.ts"
import { figure, useText } from "../text/catalogue.ts"
import { listingText } from "../text/listing.ts"
import { AlertMark } from "./alert-mark.tsx"
import { AgentFreezeDialog } from "./agent-freeze-dialog.tsx"
import { AgentState } from "./agent-state.tsx"
import styles from "./agents-screen.module.css"
import { CreateAgentDialog } from "./create-agent-dialog.tsx"
import { FleetStrip } from "./fleet-strip.tsx"
import { percentText } from "./percent-text.ts"
import { agentPages, fleetQuery } from "./queries.ts"
import { agentStatuses } from "./routes.tsx"
import { useMayFreezeAgent } from "./may-freeze-agent.ts"

type Agent = Row<"agents.list">

const orderNames = [
  ["-created_at", "newest"], ["name", "name"], ["-last_seen_at", "seen"], ["-spent_this_month_cents", "spent"]
] as const

/** `agent_key_live_…v3QM` as `live …v3QM`: the rest is the same of every key. */
const hintText = (hint: string): string => hint.replace(/^agent_key_(live|test)_/u, "$1 ")

export const AgentsScreen = () => {
  const t = useText(agentsText)
  const listing = useText(listingText)
  const workspace = useWorkspaceId()
  const { hide, ...ordered } = useSearch({ from: "/w/$workspace/agents" })
  const { sort, ...filters } = ordered
  const navigate = useNavigate()
  const can = useCan()
  const mayFreeze = useMayFreezeAgent()
  const held = useHeldRows<Agent>(agentPages(workspace, ordered))
  const fleet = useQuery(fleetQuery(workspace)).data?.data ?? []
  const health = new Map(fleet.map((one) => [one.agent_id as string, one]))
  const alerts = useBudgetAlerts()
  useSeeing(alerts)
  const alertsOf = Map.groupBy(alerts, ({ agent }) => agent.id as string)
  const [making, setMaking] = useState(false)
  const [freezing, setFreezing] = useState<Agent>()
  const mayMake = can("agents:write")
  const change = (changes: Readonly<Record<string, unknown>>, replace = false) =>
    void navigate({
      to: "/w/$workspace/agents",
      params: { workspace },
      search: (before) => ({ ...before, ...changes }) as typeof filters,
      replace
    })
  const clear = () => void navigate({ to: "/w/$workspace/agents", params: { workspace }, search: { ...sort === undefined ? {} : { sort }, ...hide === undefined ? {} : { hide } } })
  const open = (agent: Agent) => void navigate({ to: "/w/$workspace/agents/$id", params: { workspace, id: agent.id } })
  useCommands(mayMake ? [{ id: "agents.new", text: t.newAgent, run: () => setMaking(true) }] : [])

  const newButton = mayMake && (
    <Button variant="primary" icon={<Plus />} onClick={() => setMaking(true)}>
      {t.newAgent}
    </Button>
  )
  const columns: ReadonlyArray<Column<Agent>> = [
    {
      id: "agent",
      head: t.columns.agent,
      sort: { field: "name", first: "ascending" },
      width: "minmax(160px, 2fr)",
      narrow: "lead",
      cell: (agent) => (
        <span className={styles.agent}>
          <Avatar kind="agent" name={agent.name} />
          <Link quiet to="/w/$workspace/agents/$id" params={{ workspace, id: agent.id }}>
            {agent.name}
          </Link>
        </span>
      )
    },
    { id: "state", head: t.columns.state, width: "96px", narrow: "underTrail", cell: (agent) => <AgentState agent={agent} /> },
    {
      id: "services",
      head: t.columns.services,
      width: "minmax(120px, 2fr)",
      from: 760,
      narrow: "under",
      cell: ({ bindings }) => {
        const names = bindings.filter(({ enabled }) => enabled).map(({ service }) => service)
        return names.length === 0 ? <span className={styles.quiet}>{t.noServices}</span> : names.join(", ")
      }
    },
    {
      id: "waiting",
      head: t.columns.waiting,
      width: "64px",
      end: true,
      from: 860,
      cell: ({ id }) => {
        const count = health.get(id)?.pending_approvals ?? 0
        return <span className={count > 0 ? styles.waiting : styles.quiet}>{figure(count)}</span>
      }
    },
    {
      id: "requests",
      head: t.columns.requests,
      width: "128px",
      end: true,
      from: 960,
      cell: ({ id }) => {
        const one = health.get(id)
        if (one === undefined) return <span className={styles.quiet}>{listing.none}</span>
        const failed = one.error_rate_24h > 0 ? percentText(one.error_rate_24h) : undefined
        return <span className={failed === undefined ? undefined : styles.failed}>{t.requests(one.requests_24h, failed)}</span>
      }
    },
    {
      id: "key",
      head: t.columns.key,
      width: "104px",
      from: 1080,
      cell: ({ id, key_hint }) =>
        key_hint === null ? (
          <span className={styles.quiet}>{t.noKey}</span>
        ) : (health.get(id)?.stale_keys ?? 0) > 0 ? (
          <Badge tone="hold">{t.oldKey}</Badge>
        ) : (
          <span className={styles.hint} title={key_hint}>
            {hintText(key_hint)}
          </span>
        )
    },
    {
      id: "seen",
      head: t.columns.seen,
      sort: { field: "last_seen_at", first: "descending" },
      width: "116px",
      from: 640,
      cell: ({ last_seen_at }) =>
        last_seen_at === undefined ? (
          <span className={styles.quiet}>{t.never}</span>
        ) : (
          <RelativeTime at={last_seen_at} now={hubClock.now} />
        )
    },
    {
      id: "spent",
      head: t.columns.spent,
      sort: { field: "spent_this_month_cents", first: "descending" },
      width: "224px",
      end: true,
      narrow: "trail",
      cell: ({ id, monthly_budget_cents: cap, spent_this_month_cents: spent }) => (
        <span className={styles.spent}>
          <AlertMark alerts={alertsOf.get(id) ?? []} />
          <span className={cap !== undefined && spent >= cap && spent > 0 ? styles.over : undefined}>
            <Money cents={spent} />
          </span>{" "}
          {cap !== undefined && <span className={styles.cap}>{t.ofCap(formatMoney(cap))}</span>}
        </span>
      )
    }
  ]
  const sorting = addressSorting("-created_at", sort, change)
  const choice = useColumns("agents", columns, "agent", hide, (next) => change({ hide: next }, true))
  const rowMenu = (agent: Agent) => (
    <Menu align="end" trigger={<IconButton label={listing.rowMenuOf(agent.name)} icon={<Ellipsis />} />}>
      <MenuItem onSelect={() => open(agent)}>{t.open}</MenuItem>
      <MenuItem disabled={!mayFreeze(agent)} danger={!agent.frozen} onSelect={() => setFreezing(agent)}>
        {agent.frozen ? t.freeze.lift : t.freeze.act}
      </MenuItem>
    </Menu>
  )
  const isFiltered = filters.q !== undefined || filters.status !== undefined
  return (
    <Page
      title={t.title}
      layout="flush"
      busy={held.pages.isFetching}
      action={newButton}
      filters={
        <FilterLine
          search={{ value: filters.q, label: t.search }}
          aside={
            <>
              <span className={listStyles.narrowSort}>
                <SortMenu sorting={sorting} options={orderNames.map(([value, name]) => ({ value, text: t.orders[name] }))} />
              </span>
              <ColumnsMenu choice={choice} />
              <ViewsMenu
                screen="agents"
                search={ordered}
                hide={choice.hide}
                onOpen={(search) => void navigate({ to: "/w/$workspace/agents", params: { workspace }, search: search as typeof filters })}
              />
            </>
          }
          filters={[
            oneFilter(
              "status",
              t.statusFilter,
              filters.status,
              change,
              agentStatuses.map((value) => ({ value, text: t.status[value] }))
            )
          ]}
          change={change}
          clear={clear}
        />
      }
    >
      <div className={styles.screen}>
        {fleet.length > 0 && <FleetStrip fleet={fleet} alerts={alerts.length} />}
        <div className={styles.table}>
          <HubTable
            endpoint="agents.list"
            workspace={workspace}
            held={held}
            label={sort === undefined ? t.table : t.title}
            sorting={sorting}
            columns={choice.columns}
            onOpen={open}
            rowMenu={rowMenu}
            empty={{ text: t.empty, action: newButton }}
            noMatch={t.noMatch}
            onClear={isFiltered ? clear : undefined}
          />
        </div>
      </div>
      {making && <CreateAgentDialog onClose={() => setMaking(false)} />}
      {freezing !== undefined && <AgentFreezeDialog agent={freezing} onClose={() => setFreezing(undefined)} />}
    </Page>
  )
}

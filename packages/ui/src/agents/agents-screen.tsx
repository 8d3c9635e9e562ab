/** All agents of a workspace, with their health, in the order that the address sets. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Ellipsis, Plus } from "lucide-react"
import { useState } from "react"
import { useBudgetAlerts, useSeeing } from "../app/budget-alerts.ts"
import { useCommands } from "../app/commands.ts"
import { Page } from "../app/page.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { agentPages, fleetQuery } from "../hub/queries.ts"
import { ColumnsMenu } from "../listing/columns-menu.tsx"
import { useColumns } from "../listing/columns.ts"
import { downloadHref } from "../listing/download.ts"
import { ExportMenu } from "../listing/export-menu.tsx"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import listStyles from "../listing/listing.module.css"
import { SortMenu } from "../listing/sort-menu.tsx"
import { addressSorting } from "../listing/sorting.ts"
import { ViewsMenu } from "../listing/views-menu.tsx"
import { agentsText as t } from "../text/agents.ts"
import { listingText as listing } from "../text/listing.ts"
import { type Agent, useAgentColumns } from "./agent-columns.tsx"
import { AgentFreezeDialog } from "./agent-freeze-dialog.tsx"
import { AgentSelectionBar, useAgentSelection } from "./agent-selection.tsx"
import { CreateAgentDialog } from "./create-agent-dialog.tsx"
import { FleetStrip } from "./fleet-strip.tsx"
import { useMayFreezeAgent } from "./may-freeze-agent.ts"
import { agentStatuses } from "./routes.tsx"

const orderNames = [
  ["-created_at", "newest"],
  ["name", "name"],
  ["-last_seen_at", "seen"],
  ["-spent_this_month_cents", "spent"]
] as const

export const AgentsScreen = () => {
  const workspace = useWorkspaceId()
  const { hide, ignored, ...ordered } = useSearch({ from: "/w/$workspace/agents" })
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
  const clear = () =>
    void navigate({
      to: "/w/$workspace/agents",
      params: { workspace },
      search: { ...sort === undefined ? {} : { sort }, ...hide === undefined ? {} : { hide } }
    })
  const open = (agent: Agent) => void navigate({ to: "/w/$workspace/agents/$id", params: { workspace, id: agent.id } })
  useCommands(mayMake ? [{ id: "agents.new", text: t.newAgent, run: () => setMaking(true) }] : [])

  const newButton = mayMake && (
    <Button variant="primary" icon={<Plus />} onClick={() => setMaking(true)}>
      {t.newAgent}
    </Button>
  )
  const columns = useAgentColumns(health, alertsOf)
  const sorting = addressSorting("-created_at", sort, change)
  const choice = useColumns("agents", columns, "agent", hide, (next) => change({ hide: next }, true))
  const selection = useAgentSelection(held.rows, mayMake)
  const rowMenu = (agent: Agent) => (
    <Menu align="end" trigger={<IconButton label={listing.rowMenuOf(agent.name)} icon={<Ellipsis />} />}>
      <MenuItem
        onSelect={() =>
          open(agent)}
      >
        {t.open}
      </MenuItem>
      <MenuItem
        disabled={!mayFreeze(agent)}
        danger={!agent.frozen}
        onSelect={() =>
          setFreezing(agent)}
      >
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
      action={
        <>
          <ExportMenu href={downloadHref("agents.export", workspace, { query: ordered })} isFiltered={isFiltered} />
          {newButton}
        </>
      }
      filters={
        <FilterLine
          search={{ value: filters.q, label: t.search }}
          ignored={ignored}
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
                screen="agents"
                search={ordered}
                hide={choice.hide}
                onOpen={(search) =>
                  void navigate({
                    to: "/w/$workspace/agents",
                    params: { workspace },
                    search: search as typeof filters
                  })}
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
      <div className="flex flex-col h-full min-h-0">
        {fleet.length > 0 && <FleetStrip fleet={fleet} alerts={alerts.length} />}
        <div className="flex-1 min-h-0">
          <HubTable
            endpoint="agents.list"
            workspace={workspace}
            held={held}
            label={sort === undefined ? t.table : t.title}
            sorting={sorting}
            columns={mayMake ? [selection.column, ...choice.columns] : choice.columns}
            onOpen={open}
            onRowKey={mayMake ? selection.onRowKey : undefined}
            rowMenu={rowMenu}
            empty={{ text: t.empty, action: newButton }}
            noMatch={t.noMatch}
            onClear={isFiltered ? clear : undefined}
          />
        </div>
        <AgentSelectionBar selection={selection} />
      </div>
      {making && <CreateAgentDialog onClose={() => setMaking(false)} />}
      {freezing !== undefined && <AgentFreezeDialog agent={freezing} onClose={() => setFreezing(undefined)} />}
    </Page>
  )
}

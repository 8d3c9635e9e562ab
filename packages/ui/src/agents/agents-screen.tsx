/** All agents of a workspace, with their health, in the order that the address sets. */
import type { Output, Row } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Ellipsis, Plus } from "lucide-react"
import { type ReactNode, useState } from "react"
import { AgentViews } from "../app/agent-views.tsx"
import { useBudgetAlerts, useSeeing } from "../app/budget-alerts.ts"
import { useCommands } from "../app/commands.ts"
import { FormDialog } from "../app/form.tsx"
import { markMade } from "../app/just-made.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useCan, useMe, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { MoneyField, TextArea } from "../components/fields.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentPages, allTeams, assistantQuery, fleetQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
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
import { Money } from "../patterns/money.tsx"
import { agentsText as t } from "../text/agents.ts"
import { figure } from "../text/catalogue.ts"
import { listingText as listing } from "../text/listing.ts"
import { type Agent, useAgentColumns } from "./agent-columns.tsx"
import { AgentFreezeDialog } from "./agent-freeze-dialog.tsx"
import { AgentSelectionBar, useAgentSelection } from "./agent-selection.tsx"
import styles from "./fleet-strip.module.css"
import { KeyDialog } from "./key-dialog.tsx"
import { useMayFreezeAgent } from "./may-freeze-agent.ts"
import { percentText } from "./percent-text.ts"
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
  const { data: fleet = [], next_cursor: more = null } = useQuery(fleetQuery(workspace)).data ?? {}
  const health = new Map(fleet.map((one) => [one.agent_id as string, one]))
  const assistant = useQuery(assistantQuery(workspace))
  const teams = useQuery({ ...allTeams(workspace), enabled: can("members:read") }).data ?? []
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
  const isFiltered = filters.q !== undefined || filters.status !== undefined || filters.team_id !== undefined
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
        <>
          <AgentViews current="list" />
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
              ),
              oneFilter(
                "team_id",
                t.teamFilter,
                filters.team_id,
                change,
                teams.map(({ id, name }) => ({ value: id, text: name }))
              )
            ]}
            change={change}
            clear={clear}
          />
        </>
      }
    >
      <div className="flex flex-col h-full min-h-0">
        {fleet.length > 0 && (
          <FleetStrip fleet={fleet} isPart={more !== null} alerts={alerts.length} assistant={assistant.data?.data[0]} />
        )}
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
      {making && (
        <CreateAgentDialog
          hasAssistant={assistant.data?.data.length !== 0}
          onClose={() => setMaking(false)}
        />
      )}
      {freezing !== undefined && <AgentFreezeDialog agent={freezing} onClose={() => setFreezing(undefined)} />}
    </Page>
  )
}

type Health = Row<"agents.fleetHealth">

const hourMillis = 3_600_000

/** Fleet figures in one line, each with its unit in words. */
const FleetStrip = ({ alerts, assistant, fleet, isPart }: {
  readonly alerts: number
  readonly assistant: Agent | undefined
  readonly fleet: ReadonlyArray<Health>
  /** There are more agents than those that were read. */
  readonly isPart: boolean
}) => {
  const words = t.fleet
  const workspace = useWorkspaceId()
  const sum = (of: (one: Health) => number) => fleet.reduce((total, one) => total + of(one), 0)
  const requests = sum(({ requests_24h }) => requests_24h)
  const failed = sum(({ error_rate_24h, requests_24h }) => Math.round(error_rate_24h * requests_24h))
  const frozen = sum((one) => (one.frozen ? 1 : 0))
  const pending = sum(({ pending_approvals }) => pending_approvals)
  const stale = sum(({ stale_keys }) => stale_keys)
  const held = sum(({ held_cents }) => held_cents)
  const seen = sum(({ last_seen_at }) =>
    last_seen_at !== undefined && hubClock.now() - Date.parse(last_seen_at) < hourMillis ? 1 : 0
  )
  const facts: ReadonlyArray<
    readonly [key: string, value: ReactNode, word: string, tone?: "stop" | "hold" | undefined]
  > = [
    ["agents", figure(fleet.length), isPart ? words.newest : words.agents(fleet.length)],
    ["seen", figure(seen), words.seen],
    ["frozen", figure(frozen), words.frozen, frozen > 0 ? "stop" : undefined],
    ["waiting", figure(pending), words.waiting(pending), pending > 0 ? "hold" : undefined],
    [
      "failed",
      percentText(requests === 0 ? 0 : failed / requests),
      words.failed(requests),
      failed > 0 ? "stop" : undefined
    ],
    ["stale", figure(stale), words.stale(stale), stale > 0 ? "hold" : undefined],
    ...(alerts > 0 ? [["alerts", figure(alerts), words.alerts(alerts), "hold"] as const] : []),
    ["spent", <Money key="money" cents={sum(({ spent_this_month_cents }) => spent_this_month_cents)} />, words.spent],
    ...(held > 0 ? [["held", <Money key="money" cents={held} />, words.held] as const] : [])
  ]
  return (
    <section aria-label={words.label} className={`flex-none border-b overflow-x-auto ${styles.strip}`} tabIndex={0}>
      <ul className={`flex gap-24 ${styles.facts}`}>
        {assistant !== undefined && (
          <li className={`flex items-baseline gap-4 type-note text-2 whitespace-nowrap ${styles.fact}`}>
            <span>{words.assistant}</span>
            <span className={styles.value}>
              <Link to="/w/$workspace/agents/$id" params={{ workspace, id: assistant.id }}>{assistant.name}</Link>
            </span>
          </li>
        )}
        {facts.map(([key, value, word, tone]) => (
          <li
            key={key}
            className={`flex items-baseline gap-4 type-note text-2 whitespace-nowrap ${styles.fact}`}
            data-tone={tone}
          >
            <span className={styles.value}>{value}</span> <span>{word}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Creates an agent from a name. Its key is shown once, then its page opens. */
const CreateAgentDialog = (
  { hasAssistant, onClose }: { readonly hasAssistant: boolean; readonly onClose: () => void }
) => {
  const words = t.create
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const mayBudget = useCan()("budgets:write")
  const [name, setName] = useState("")
  const [description, setDescription] = useState("")
  const [budget, setBudget] = useState<number>()
  const [mode, setMode] = useState<"live" | "test">("live")
  const { active_workspace, workspaces } = useMe()
  const role = workspaces.find(({ id }) => id === active_workspace)?.role
  const mayMakeAssistant = !hasAssistant && (role === "owner" || role === "admin")
  const [kind, setKind] = useState<"standard" | "yupi">("standard")
  const [made, setMade] = useState<Output<"agents.create">>()
  const create = useAct("agents.create", { workspace, touches: ["agents"], onDone: setMade })

  if (made !== undefined) {
    const onKept = () => {
      onClose()
      markMade("agent", workspace, made.id)
      showToast({ text: words.done(made.name) })
      void navigate({ to: "/w/$workspace/agents/$id", params: { workspace, id: made.id } })
    }
    return <KeyDialog name={made.name} apiKey={made.api_key} onKept={onKept} />
  }
  return (
    <FormDialog
      title={words.title}
      description={words.about}
      act={words.act}
      call={create}
      failed={words.failed}
      unchanged={words.unchanged}
      disabled={name.trim() === ""}
      onClose={onClose}
      onSubmit={() => {
        create.mutate({
          payload: {
            name: name.trim(),
            mode,
            ...(kind === "standard" ? {} : { kind }),
            ...(description.trim() === "" ? {} : { description: description.trim() }),
            ...(budget === undefined ? {} : { monthly_budget_cents: budget })
          }
        })
      }}
    >
      <TextField
        label={words.name}
        value={name}
        onChange={setName}
        placeholder={words.namePlaceholder}
        maxLength={100}
        required
        path="name"
      />
      <TextArea
        label={words.description}
        aside={words.optional}
        value={description}
        onChange={setDescription}
        rows={2}
        path="description"
      />
      <MoneyField
        label={words.budget}
        aside={words.optional}
        description={mayBudget ? words.budgetAbout : words.noBudgets}
        disabled={!mayBudget}
        value={budget}
        onChange={setBudget}
        invalidText={t.budget.invalid}
        path="monthly_budget_cents"
      />
      {mayMakeAssistant && (
        <RadioGroup
          label={words.kind}
          value={kind}
          onChange={setKind}
          options={[
            { value: "standard", text: words.standard, description: words.standardAbout },
            { value: "yupi", text: words.assistant, description: words.assistantAbout }
          ]}
        />
      )}
      <RadioGroup
        label={words.mode}
        value={mode}
        onChange={setMode}
        options={[
          { value: "live", text: words.live, description: words.liveAbout },
          { value: "test", text: words.test, description: words.testAbout }
        ]}
      />
    </FormDialog>
  )
}

/** One team: its pool, members, and agents. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { useCommands } from "../app/commands.ts"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { Problem } from "../app/problem.tsx"
import { NothingHere } from "../app/screen-error.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useMe, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { allTeams, type Team, teamAgents, teamBudgetQuery } from "../hub/queries.ts"
import { useArrivals } from "../live/arrivals.ts"
import { useMayAct } from "../live/connection.ts"
import { ChangedValue } from "../patterns/changed-value.tsx"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { Moment } from "../settings/moment.tsx"
import { actText as acts } from "../text/acts.ts"
import { Phrase } from "../text/catalogue.ts"
import { teamsText } from "../text/teams.ts"
import { useMayInTeam } from "./may-in-team.ts"
import { MembersPanel } from "./members-panel.tsx"
import { MovePoolMoney } from "./move-money-dialog.tsx"
import { DeleteTeamDialog, EditTeamDialog } from "./team-dialogs.tsx"
import styles from "./team-screen.module.css"
import { useActiveTeam } from "./use-active-team.ts"

const agentsShown = 10

export const TeamScreen = () => {
  const t = teamsText
  const { id } = useParams({ from: "/w/$workspace/teams/$id" })
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const mayInTeam = useMayInTeam()
  const [open, setOpen] = useState<"edit" | "move" | "delete">()
  const close = () => setOpen(undefined)
  const teams = useQuery(allTeams(workspace))
  const team = teams.data?.find((each) => each.id === id)
  const may = team === undefined ? undefined : mayInTeam(team)
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/teams", params: { workspace } }))
  useCommands(
    team !== undefined && may?.fund === true
      ? [{ id: "team.money", text: t.move.poolTitle(team.name), run: () => setOpen("move") }]
      : []
  )
  return (
    <Page
      title={team?.name ?? t.detail.team}
      path={<Link quiet to="/w/$workspace/teams" params={{ workspace }}>{t.title}</Link>}
      busy={teams.isFetching}
    >
      <ScreenState query={teams}>
        {team === undefined || may === undefined ? <NothingHere /> : (
          <>
            <header className="flex items-start gap-12 mb-24">
              <div className="flex-1 min-w-0">
                <div className="flex flex-wrap items-center gap-4 gap-x-12">
                  <h2 className="type-title tracking-large wrap-anywhere">{team.name}</h2>
                  {team.role !== null && <Badge>{t.roles[team.role]}</Badge>}
                </div>
                <p className={`max-w-reading mt-2 type-body text-2 wrap-anywhere ${styles.description}`}>
                  {team.description === ""
                    ? <span className="text-3">{t.detail.noDescription}</span>
                    : team.description}
                </p>
              </div>
              {may.manage && <Button size="small" onClick={() => setOpen("edit")}>{t.detail.edit}</Button>}
            </header>
            <div className={`grid items-start gap-16 ${styles.columns}`}>
              <div className="grid gap-16 min-w-0">
                {may.see ? <SeenMembers team={team} /> : <p className="type-body text-2">{t.people.hidden}</p>}
              </div>
              <div className={`grid gap-16 min-w-0 ${styles.side}`}>
                {may.see && <PoolPanel team={team} onMove={may.fund ? () => setOpen("move") : undefined} />}
                <AgentsPanel team={team} />
                <DetailsPanel team={team} onDelete={may.remove ? () => setOpen("delete") : undefined} />
              </div>
            </div>
            {open === "edit" && <EditTeamDialog team={team} onClose={close} />}
            {open === "move" && <MovePoolMoney team={team} onClose={close} />}
            {open === "delete" && <DeleteTeamDialog team={team} onClose={close} />}
          </>
        )}
      </ScreenState>
    </Page>
  )
}

interface TeamProps {
  readonly team: Team
}

const SeenMembers = ({ team }: TeamProps) => {
  const workspace = useWorkspaceId()
  const budget = useQuery(teamBudgetQuery(workspace, team.id)).data
  return <MembersPanel team={team} may={useMayInTeam()(team)} hasPool={budget?.opened} />
}

const PoolPanel = ({ onMove, team }: TeamProps & { readonly onMove: (() => void) | undefined }) => {
  const t = teamsText.money
  const mayAct = useMayAct()
  const budget = useQuery(teamBudgetQuery(useWorkspaceId(), team.id))
  const { data } = budget
  const figures = data === undefined ? [] : [
    { key: "balance", name: t.balance, value: <Money cents={data.balance_cents} end /> },
    { key: "held", name: t.held, value: <Money cents={data.held_cents} end /> },
    { key: "allocated", name: t.allocated, value: <Money cents={data.allocated_cents} end /> },
    { key: "spent", name: t.spent, value: <Money cents={data.spent_this_month_cents} end /> }
  ]
  return (
    <Panel
      title={t.title}
      actions={onMove !== undefined && (
        <Button size="small" variant="primary" disabled={!mayAct} onClick={onMove}>{t.act}</Button>
      )}
    >
      <ScreenState query={budget}>
        {data !== undefined && (
          <>
            <p className="flex flex-wrap items-baseline gap-8 mb-8">
              <ChangedValue value={data.available_cents}>
                <Money cents={data.available_cents} size="amount" />
              </ChangedValue>
              <span className="type-note text-3">{t.available}</span>
            </p>
            <KeyValueList items={figures} />
            <p className="mt-12 type-note text-2">{data.opened ? t.opened : t.unopened}</p>
          </>
        )}
      </ScreenState>
    </Panel>
  )
}

const AgentsPanel = ({ team }: TeamProps) => {
  const t = teamsText.agents
  const workspace = useWorkspaceId()
  const mayRead = useCan()("agents:read")
  const agents = useQuery({ ...teamAgents(workspace, team.id, agentsShown), enabled: mayRead })
  const rows = agents.data?.data ?? []
  const { count } = useArrivals("agents.list", workspace)
  const { refetch } = agents
  useEffect(() => {
    if (mayRead && count > 0) void refetch()
  }, [mayRead, count, refetch])
  if (!mayRead) return null
  return (
    <Panel title={t.title}>
      <ScreenState query={agents}>
        {rows.length === 0 ? <p className="type-note text-2">{t.empty}</p> : (
          <div className="grid gap-12">
            <ul className="grid gap-8">
              {rows.map(({ id, name, spent_this_month_cents }) => (
                <li key={id} className="flex items-baseline justify-between gap-12">
                  <span className="min-w-0 truncate">
                    <Link quiet to="/w/$workspace/agents/$id" params={{ workspace, id }}>{name}</Link>
                  </span>
                  <span className="flex-none type-note text-3">
                    <Phrase text={t.spent} spent={<Money cents={spent_this_month_cents} />} />
                  </span>
                </li>
              ))}
            </ul>
            <p>
              <Link to="/w/$workspace/agents" params={{ workspace }} search={{ team_id: team.id }}>{t.all}</Link>
            </p>
          </div>
        )}
      </ScreenState>
    </Panel>
  )
}

const DetailsPanel = ({ onDelete, team }: TeamProps & { readonly onDelete: (() => void) | undefined }) => {
  const { active, detail: t, remove } = teamsText
  const mayAct = useMayAct()
  const me = useMe()
  const { call, enter } = useActiveTeam()
  const isActive = me.team?.id === team.id
  return (
    <Panel title={t.facts}>
      <KeyValueList
        items={[
          { key: "created", name: t.created, value: <Moment at={team.created_at} /> },
          { key: "id", name: t.id, value: <Id value={team.id} texts={acts.copying} /> }
        ]}
      />
      <div className="flex flex-wrap gap-8 mt-12">
        <Button size="small" disabled={!mayAct} pending={call.isPending} onClick={() => enter(isActive ? null : team)}>
          {isActive ? active.leave : active.enter}
        </Button>
        {onDelete !== undefined && (
          <Button size="small" variant="danger" disabled={!mayAct} onClick={onDelete}>{remove.act}</Button>
        )}
      </div>
      {call.error !== null && <Problem inline error={call.error} failed={active.failed} />}
    </Panel>
  )
}

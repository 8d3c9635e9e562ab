/** All teams of a workspace, by name, with their pools. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Ellipsis, Plus } from "lucide-react"
import { useState } from "react"
import { useCommands } from "../app/commands.ts"
import { FormDialog } from "../app/form.tsx"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useMe, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { TextArea } from "../components/fields.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { TextField } from "../components/text-field.tsx"
import { allTeams, type Team, teamBudgetQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { KeyedTable } from "../listing/keyed-table.tsx"
import { useMayAct } from "../live/connection.ts"
import type { Column } from "../patterns/data-table.tsx"
import { Money } from "../patterns/money.tsx"
import { actText as acts } from "../text/acts.ts"
import { figure, Phrase } from "../text/catalogue.ts"
import { listingText as listing } from "../text/listing.ts"
import { teamsText as t } from "../text/teams.ts"
import { teamDescriptionMax, teamNameMax } from "./limits.ts"
import { useMayInTeam } from "./may-in-team.ts"
import { teamRoles } from "./routes.tsx"
import styles from "./teams-screen.module.css"
import { useActiveTeam } from "./use-active-team.ts"

const to = "/w/$workspace/teams/$id"

/** Words are matched against name and description; all of them must match. */
const matches = ({ description, name }: Team, words: ReadonlyArray<string>): boolean => {
  const text = `${name} ${description}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

export const TeamsScreen = () => {
  const workspace = useWorkspaceId()
  const { ignored, ...filters } = useSearch({ from: "/w/$workspace/teams" })
  const navigate = useNavigate()
  const mayCreate = useCan()("members:write")
  const mayAct = useMayAct()
  const mayInTeam = useMayInTeam()
  const { team: active } = useMe()
  const { call: switching, enter } = useActiveTeam()
  const [creating, setCreating] = useState(false)
  const teams = useQuery(allTeams(workspace))
  const words = (filters.q ?? "").toLowerCase().split(/\s+/u).filter((word) => word !== "")
  const rows = (teams.data ?? [])
    .filter((team) => matches(team, words) && (filters.role === undefined || team.role === filters.role))
    .toSorted((one, two) => one.name.localeCompare(two.name))
  const isFiltered = filters.q !== undefined || filters.role !== undefined
  const here = { to: "/w/$workspace/teams", params: { workspace } } as const
  const change = (changes: Readonly<Record<string, unknown>>, replace = false) =>
    void navigate({ ...here, search: (before) => ({ ...before, ...changes }) as typeof filters, replace })
  const clear = () => void navigate({ ...here, search: {} })
  const open = (team: Team) => void navigate({ to, params: { workspace, id: team.id } })
  useCommands(mayCreate ? [{ id: "teams.new", text: t.create.title, run: () => setCreating(true) }] : [])

  const createButton = mayCreate && (
    <Button
      variant="primary"
      icon={<Plus />}
      disabled={!mayAct}
      onClick={() => setCreating(true)}
    >
      {t.create.act}
    </Button>
  )
  const columns: ReadonlyArray<Column<Team>> = [
    {
      id: "team",
      head: t.columns.team,
      width: "minmax(160px, 2fr)",
      narrow: "lead",
      cell: ({ id, name }) => (
        <span className={`flex items-center gap-8 min-w-0 ${styles.team}`}>
          <Link quiet to={to} params={{ workspace, id }}>{name}</Link>
          {active?.id === id && <Badge>{t.active.mark}</Badge>}
        </span>
      )
    },
    {
      id: "description",
      head: t.columns.description,
      width: "minmax(140px, 3fr)",
      from: 960,
      cell: ({ description }) => <span className="text-3">{description}</span>
    },
    {
      id: "members",
      head: t.columns.members,
      width: "88px",
      end: true,
      from: 760,
      cell: ({ member_count }) => figure(member_count)
    },
    {
      id: "role",
      head: t.columns.role,
      width: "120px",
      narrow: "under",
      cell: ({ role }) => role === null ? <span className="text-3">{t.notMember}</span> : t.roles[role]
    },
    {
      id: "available",
      head: t.columns.available,
      width: "152px",
      end: true,
      narrow: "trail",
      cell: (team) => mayInTeam(team).see ? <PoolFigure team={team.id} of="available" /> : unseen
    },
    {
      id: "spent",
      head: t.columns.spent,
      width: "136px",
      end: true,
      cell: (team) => mayInTeam(team).see ? <PoolFigure team={team.id} of="spent" /> : unseen
    }
  ]
  const rowMenu = (team: Team) => {
    const isActive = active?.id === team.id
    return (
      <Menu align="end" trigger={<IconButton label={listing.rowMenuOf(team.name)} icon={<Ellipsis />} />}>
        <MenuItem onSelect={() => open(team)}>{t.open}</MenuItem>
        <MenuItem disabled={!mayAct} onSelect={() => enter(isActive ? null : team)}>
          {isActive ? t.active.leave : t.active.enter}
        </MenuItem>
      </Menu>
    )
  }
  return (
    <Page
      title={t.title}
      layout="flush"
      busy={teams.isFetching}
      action={createButton}
      filters={
        <FilterLine
          search={{ value: filters.q, label: t.search }}
          ignored={ignored}
          filters={[
            oneFilter(
              "role",
              t.columns.role,
              filters.role,
              change,
              teamRoles.map((value) => ({ value, text: t.roles[value] }))
            )
          ]}
          change={change}
          clear={clear}
          aside={teams.data === undefined
            ? undefined
            : (
              <span className={`flex flex-wrap items-center gap-x-16 type-note text-3 ${styles.aside}`}>
                <span>
                  {active === null ? t.active.none : <Phrase text={t.active.line} team={<b>{active.name}</b>} />}
                </span>
                <span role="status">{t.found(rows.length)}</span>
              </span>
            )}
        />
      }
    >
      <ScreenState
        query={teams}
        isEmpty={rows.length === 0}
        empty={isFiltered
          ? { text: t.noMatch, action: <Button onClick={clear}>{acts.clearFilters}</Button> }
          : { text: t.empty, action: createButton }}
      >
        {switching.error !== null && <Problem inline error={switching.error} failed={t.active.failed} />}
        <KeyedTable
          label={t.list}
          columns={columns}
          rows={rows}
          rowId={({ id }) => id}
          onOpen={open}
          rowMenu={rowMenu}
          texts={{ loading: acts.loading, rowMenu: listing.rowMenu }}
        />
      </ScreenState>
      {creating && <CreateTeamDialog onClose={() => setCreating(false)} onMade={open} />}
    </Page>
  )
}

const unseen = <span className="text-3">{t.hidden}</span>

/** Only visible rows read their pool. */
const PoolFigure = ({ of, team }: { readonly of: "available" | "spent"; readonly team: string }) => {
  const budget = useQuery(teamBudgetQuery(useWorkspaceId(), team)).data
  if (budget === undefined) return null
  if (of === "spent") return <Money cents={budget.spent_this_month_cents} />
  return budget.opened ? <Money cents={budget.available_cents} /> : <span className="text-3">{t.noPool}</span>
}

interface CreateTeamDialogProps {
  readonly onClose: () => void
  readonly onMade: (team: Team) => void
}

const CreateTeamDialog = ({ onClose, onMade }: CreateTeamDialogProps) => {
  const words = t.create
  const workspace = useWorkspaceId()
  const [name, setName] = useState("")
  const [description, setDescription] = useState("")
  const create = useAct("teams.create", {
    workspace,
    touches: ["teams.list"],
    done: (team) => words.done(team.name),
    onDone: onMade
  })
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
      onSubmit={() =>
        create.mutate({
          payload: {
            name: name.trim(),
            ...description.trim() === "" ? {} : { description: description.trim() }
          }
        })}
    >
      <TextField
        label={words.name}
        value={name}
        onChange={setName}
        placeholder={words.namePlaceholder}
        maxLength={teamNameMax}
        required
        path="name"
      />
      <TextArea
        label={words.description}
        aside={words.optional}
        value={description}
        onChange={setDescription}
        maxLength={teamDescriptionMax}
        rows={2}
        path="description"
      />
    </FormDialog>
  )
}

/** The members of a team with their roles, allocations, and costs. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { Ellipsis } from "lucide-react"
import { useState } from "react"
import { MoreButton } from "../app/more-button.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useMe, useWorkspaceId } from "../app/session.ts"
import { Avatar } from "../components/avatar.tsx"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { Panel } from "../components/panel.tsx"
import { type Team, type TeamMember, teamMemberPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useMayAct } from "../live/connection.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { memberName } from "../patterns/member-name.ts"
import { Money } from "../patterns/money.tsx"
import { RowList } from "../patterns/row-list.tsx"
import { Phrase } from "../text/catalogue.ts"
import { teamsText } from "../text/teams.ts"
import type { MayInTeam } from "./may-in-team.ts"
import { AddMemberDialog, EndAllocationDialog, MemberRoleDialog, RemoveFromTeamDialog } from "./member-dialogs.tsx"
import { MoveMemberMoney } from "./move-money-dialog.tsx"

interface MembersPanelProps {
  readonly team: Team
  readonly may: MayInTeam
  /** Whether the team has a pool; undefined while it is being read. */
  readonly hasPool: boolean | undefined
}

type Act = "money" | "role" | "end" | "remove"

const dialogs = {
  money: MoveMemberMoney,
  role: MemberRoleDialog,
  end: EndAllocationDialog,
  remove: RemoveFromTeamDialog
} as const

export const MembersPanel = ({ hasPool, may, team }: MembersPanelProps) => {
  const t = teamsText.people
  const workspace = useWorkspaceId()
  const { user } = useMe()
  const mayAct = useMayAct()
  const [adding, setAdding] = useState(false)
  const [open, setOpen] = useState<{ readonly act: Act; readonly user: string }>()
  const close = () => setOpen(undefined)
  const pages = useInfiniteQuery(teamMemberPages(workspace, team.id))
  const rows = rowsOf(pages.data)
  // The dialog follows the row, so that it shows the current figures.
  const shown = rows.find(({ user_id }) => user_id === open?.user)
  const OpenDialog = open === undefined ? undefined : dialogs[open.act]
  const add = may.manage && <Button size="small" disabled={!mayAct} onClick={() => setAdding(true)}>{t.add}</Button>
  const acts = (member: TeamMember) => {
    const name = memberName(member)
    const show = (act: Act) => () => setOpen({ act, user: member.user_id })
    return (
      <>
        {may.allocate && (
          <Button size="small" disabled={!mayAct} aria-label={t.allocateTo(name)} onClick={show("money")}>
            {t.allocate}
          </Button>
        )}
        {(may.manage || may.allocate && member.allocation !== null) && (
          <Menu align="end" trigger={<IconButton label={t.menu(name)} icon={<Ellipsis />} />}>
            {may.manage && (
              <MenuItem onSelect={show("role")}>{member.role === "lead" ? t.makeWorker : t.makeLead}</MenuItem>
            )}
            {may.allocate && member.allocation !== null && <MenuItem danger onSelect={show("end")}>{t.end}</MenuItem>}
            {may.manage && <MenuItem danger onSelect={show("remove")}>{t.remove}</MenuItem>}
          </Menu>
        )}
      </>
    )
  }
  return (
    <Panel title={t.title} actions={add} flush>
      <ScreenState query={pages}>
        {rows.length === 0
          ? <EmptyState action={add}>{t.empty}</EmptyState>
          : (
            <RowList
              label={t.list}
              rows={rows.map((member) => ({
                key: member.user_id,
                mark: <Avatar kind="person" name={memberName(member)} size={24} />,
                title: (
                  <>
                    {memberName(member)} <Badge>{teamsText.roles[member.role]}</Badge>{" "}
                    {member.user_id === user.id && <Badge>{t.you}</Badge>}
                  </>
                ),
                detail: <MemberFacts member={member} hasPool={hasPool} />,
                acts: acts(member)
              }))}
            />
          )}
        {pages.hasNextPage && (
          <div className="px-16 py-8">
            <MoreButton pages={pages}>{t.more}</MoreButton>
          </div>
        )}
      </ScreenState>
      {adding && <AddMemberDialog team={team} members={rows} onClose={() => setAdding(false)} />}
      {shown !== undefined && OpenDialog !== undefined && <OpenDialog team={team} member={shown} onClose={close} />}
    </Panel>
  )
}

const MemberFacts = ({ hasPool, member }: Pick<MembersPanelProps, "hasPool"> & { readonly member: TeamMember }) => {
  const t = teamsText.people
  const { allocation, email, name, spent_this_month_cents: spent } = member
  return (
    <>
      {name !== "" && <span>{email}</span>}
      {allocation !== null
        ? (
          <span>
            <Phrase
              text={allocation.held_cents > 0 ? t.allocationHeld : t.allocation}
              available={<Money cents={allocation.available_cents} />}
              held={<Money cents={allocation.held_cents} />}
            />
          </span>
        )
        : hasPool !== undefined && <span>{hasPool ? t.pool : t.wallet}</span>}
      <span>
        <Phrase text={t.spent} spent={<Money cents={spent} />} />
      </span>
    </>
  )
}

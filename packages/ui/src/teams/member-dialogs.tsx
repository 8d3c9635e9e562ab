/** Adds a member to a team, changes the role, ends the allocation, and removes the member. */
import type { TeamRole } from "@countersign/domain/auth"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { FormDialog } from "../app/form.tsx"
import { heldCents } from "../app/held-cents.ts"
import { Link } from "../app/link.tsx"
import { useCan, useMe, useWorkspaceId } from "../app/session.ts"
import { formatMoney } from "../components/money-text.ts"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { allMembers, type Team, type TeamMember } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { memberName } from "../patterns/member-name.ts"
import { teamsText } from "../text/teams.ts"
import { teamRoles } from "./routes.tsx"

interface AddMemberDialogProps {
  readonly team: Team
  /** The loaded members of the team, who are not offered. */
  readonly members: ReadonlyArray<TeamMember>
  readonly onClose: () => void
}

export const AddMemberDialog = ({ members, onClose, team }: AddMemberDialogProps) => {
  const { add: t, roles, roleWords } = teamsText
  const workspace = useWorkspaceId()
  const mayInvite = useCan()("members:write")
  const [user, setUser] = useState<string>()
  const [role, setRole] = useState<TeamRole>("worker")
  const [tried, setTried] = useState(false)
  const people = useQuery(allMembers(workspace)).data
  const offered = people?.filter(({ user_id }) => members.every((member) => member.user_id !== user_id)) ?? []
  const add = useAct("teams.addMember", {
    workspace,
    touches: ["teams.list", "teams.members", "auth.me"],
    done: (member) => t.done(memberName(member)),
    onDone: onClose
  })
  return (
    <FormDialog
      title={t.title(team.name)}
      description={
        <>
          {t.about} {mayInvite && <Link to="/w/$workspace/settings/members" params={{ workspace }}>{t.invite}</Link>}
        </>
      }
      width="narrow"
      act={t.act}
      call={add}
      failed={t.failed}
      unchanged={t.unchanged}
      onClose={onClose}
      onSubmit={() => {
        setTried(true)
        if (user !== undefined) add.mutate({ params: { id: team.id }, payload: { user_id: user, role } })
      }}
    >
      <Select
        label={t.person}
        placeholder={t.pick}
        value={user}
        onChange={setUser}
        required
        path="user_id"
        error={tried && user === undefined ? t.needed : undefined}
        description={people !== undefined && offered.length === 0 ? t.nobody : undefined}
        options={offered.map((person) => ({
          value: person.user_id as string,
          text: person.name === "" ? person.email : `${person.name} (${person.email})`
        }))}
      />
      <RadioGroup
        label={t.role}
        value={role}
        onChange={setRole}
        options={teamRoles.map((value) => ({ value, text: roles[value], description: roleWords[value] }))}
      />
    </FormDialog>
  )
}

interface MemberDialogProps {
  readonly team: Team
  readonly member: TeamMember
  readonly onClose: () => void
}

/** Offers the role that the member does not have. */
export const MemberRoleDialog = ({ member, onClose, team }: MemberDialogProps) => {
  const { role: t } = teamsText
  const name = memberName(member)
  // Fixed, because the row is refetched before the dialog closes.
  const [role] = useState<TeamRole>(member.role === "lead" ? "worker" : "lead")
  const update = useAct("teams.updateMember", {
    workspace: useWorkspaceId(),
    touches: ["teams.list", "teams.members", "auth.me"],
    done: t.done(name, role),
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={update}
      onClose={onClose}
      title={t.title(name, role)}
      description={t.what[role]}
      confirmText={t[role]}
      onConfirm={() => update.mutate({ params: { id: team.id, userId: member.user_id }, payload: { role } })}
      failed={t.failed}
      unchanged={t.unchanged}
      danger={false}
    />
  )
}

export const EndAllocationDialog = ({ member, onClose, team }: MemberDialogProps) => {
  const { end: t, holds } = teamsText
  const name = memberName(member)
  const [loaded] = useState(member.allocation)
  const allocation = member.allocation ?? loaded
  const end = useAct("teams.endAllocation", {
    workspace: useWorkspaceId(),
    touches: ["teams", "ledger", "audit"],
    done: t.done(name),
    onDone: onClose
  })
  const held = heldCents(end.error)
  return (
    <ConfirmAct
      call={end}
      onClose={onClose}
      title={t.title(name)}
      description={t.what(formatMoney(allocation?.balance_cents ?? 0))}
      confirmText={t.act}
      onConfirm={() => end.mutate({ params: { id: team.id, uid: member.user_id } })}
      failed={t.failed}
      unchanged={t.unchanged}
      problem={held === undefined ? undefined : <p>{holds(formatMoney(held))}</p>}
    />
  )
}

export const RemoveFromTeamDialog = ({ member, onClose, team }: MemberDialogProps) => {
  const { holds, leave: t } = teamsText
  const { user } = useMe()
  const name = memberName(member)
  const remove = useAct("teams.removeMember", {
    workspace: useWorkspaceId(),
    touches: ["teams", "ledger", "audit", "auth.me"],
    done: t.done(name),
    onDone: onClose
  })
  const held = heldCents(remove.error)
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={member.user_id === user.id ? t.self : t.title(name)}
      description={
        <>
          {member.allocation !== null && <p>{t.allocation(formatMoney(member.allocation.balance_cents))}</p>}
          <p>{t.agents}</p>
        </>
      }
      confirmText={t.act}
      onConfirm={() => remove.mutate({ params: { id: team.id, userId: member.user_id } })}
      failed={t.failed}
      unchanged={t.unchanged}
      problem={held === undefined ? undefined : <p>{holds(formatMoney(held))}</p>}
    />
  )
}

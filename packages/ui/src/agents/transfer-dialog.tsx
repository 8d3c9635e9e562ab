/** Gives an agent to another team or person, and says who pays for it afterwards. */
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useCan, useMe, useWorkspaceId } from "../app/session.ts"
import { Select } from "../components/select.tsx"
import { allTeams, memberChoices } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { memberName } from "../patterns/member-name.ts"
import { agentActsText } from "../text/agent-acts.ts"

type Agent = Output<"agents.get">

/** Roles that can own agents, from the hub. */
const owningRoles: ReadonlyArray<string> = ["owner", "admin", "member"]
/** The choice of no team, or of no owner. */
const none = ""

export const TransferDialog = ({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) => {
  const t = agentActsText.transfer
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const can = useCan()
  const { active_workspace, user, workspaces } = useMe()
  const isMember = workspaces.find(({ id }) => id === active_workspace)?.role === "member"
  const mayRead = can("members:read")
  const people = useQuery({ ...memberChoices(workspace), enabled: mayRead }).data?.data ?? []
  // Members add agents to their own teams only.
  const teams = (useQuery({ ...allTeams(workspace), enabled: mayRead }).data ?? []).filter(({ id, role }) =>
    !isMember || role !== null || id === agent.team_id
  )
  const before = { team: agent.team_id ?? none, owner: agent.owner_user_id ?? none }
  const [team, setTeam] = useState<string>(before.team)
  const [owner, setOwner] = useState<string>(before.owner)
  const owners = people.filter(({ role }) => owningRoles.includes(role))
  const teamName = teams.find(({ id }) => id === team)?.name ?? t.someTeam
  const ownerName = (id: string) => {
    const found = people.find(({ user_id }) => user_id === id)
    return id === none ? t.nobody : found === undefined ? t.someOwner : memberName(found)
  }
  const isSame = team === before.team && owner === before.owner
  const isLost = isMember && owner !== user.id && (team === none || !teams.some(({ id }) => id === team))
  const transfer = useAct("agents.transfer", {
    workspace,
    touches: ["agents", "budgets"],
    done: t.done(agent.name),
    onDone: () => {
      onClose()
      if (isLost) void navigate({ to: "/w/$workspace/agents", params: { workspace }, replace: true })
    }
  })
  const missing = (id: string, known: ReadonlyArray<{ readonly value: string }>, text: string) =>
    known.some(({ value }) => value === id) ? [] : [{ value: id, text }]
  const teamOptions = [
    { value: none, text: t.noTeam },
    ...teams.map(({ id, name }) => ({ value: id as string, text: name }))
  ]
  const ownerOptions = owners.map((one) => ({ value: one.user_id as string, text: memberName(one) }))
  return (
    <FormDialog
      title={t.title(agent.name)}
      description={t.about}
      act={t.act}
      call={transfer}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={isSame}
      onClose={onClose}
      onSubmit={() =>
        transfer.mutate({
          params: { id: agent.id },
          payload: {
            ...team === before.team ? {} : { team_id: team === none ? null : team },
            ...owner === before.owner ? {} : { owner_user_id: owner }
          }
        })}
    >
      <Select
        label={t.owner}
        value={owner}
        onChange={setOwner}
        options={[...missing(before.owner, ownerOptions, ownerName(before.owner)), ...ownerOptions]}
        path="owner_user_id"
      />
      <Select
        label={t.team}
        value={team}
        onChange={setTeam}
        options={[...teamOptions, ...missing(before.team, teamOptions, t.someTeam)]}
        path="team_id"
      />
      <p className="type-body text-2" role="status">
        {team === none ? t.pays.noTeam : t.pays.team(ownerName(owner), teamName)}
      </p>
      {isLost && <p className="type-body">{t.lost}</p>}
    </FormDialog>
  )
}

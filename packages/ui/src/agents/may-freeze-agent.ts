/**
 * Permissions to change, freeze, and unfreeze an agent. The hub enforces them; these hooks decide which controls to
 * show.
 */
import { useLeadsTeam } from "../app/led-teams.ts"
import { useCan, useMe } from "../app/session.ts"

interface Owned {
  readonly owner_user_id: string | null
  readonly team_id?: string
}

/** Members can change only their own agents, and those of teams that they lead. */
export const useMayChangeAgent = (): (agent: Owned) => boolean => {
  const can = useCan()
  const leads = useLeadsTeam()
  const { active_workspace, user, workspaces } = useMe()
  const isMember = workspaces.find(({ id }) => id === active_workspace)?.role === "member"
  return ({ owner_user_id, team_id }) =>
    (can("agents:write") && (!isMember || owner_user_id === user.id)) || leads(team_id)
}

/** Anyone who can decide approvals can freeze any agent. Unfreezing requires the permission to change the agent. */
export const useMayFreezeAgent = (): (agent: Owned & { readonly frozen: boolean }) => boolean => {
  const can = useCan()
  const mayChange = useMayChangeAgent()
  return (agent) => mayChange(agent) || (!agent.frozen && can("approvals:decide"))
}

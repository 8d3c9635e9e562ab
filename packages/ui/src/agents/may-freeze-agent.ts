/** Who may change an agent, and who may freeze it or lift its freeze. The hub decides; this says which controls to offer. */
import { useCan, useMe } from "../app/session.ts"

interface Owned {
  readonly owner_user_id: string | null
}

/** A member changes their own agents only. */
export const useMayChangeAgent = (): (agent: Owned) => boolean => {
  const can = useCan()
  const { active_workspace, user, workspaces } = useMe()
  const isMember = workspaces.find(({ id }) => id === active_workspace)?.role === "member"
  return ({ owner_user_id }) => can("agents:write") && (!isMember || owner_user_id === user.id)
}

/** Whoever decides approvals may freeze any agent; lifting a freeze is a change of the agent. */
export const useMayFreezeAgent = (): (agent: Owned & { readonly frozen: boolean }) => boolean => {
  const can = useCan()
  const mayChange = useMayChangeAgent()
  return (agent) => mayChange(agent) || (!agent.frozen && can("approvals:decide"))
}

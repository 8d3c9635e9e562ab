/** Who may stop one agent: whoever may change it. The hub decides; this says what is worth offering. */
import { useCan, useMe } from "../app/session.ts"

export const useMayFreezeAgent = (): (agent: { readonly owner_user_id: string | null }) => boolean => {
  const can = useCan()
  const { active_workspace, user, workspaces } = useMe()
  const isMember = workspaces.find(({ id }) => id === active_workspace)?.role === "member"
  return ({ owner_user_id }) => can("agents:write") && (!isMember || owner_user_id === user.id)
}

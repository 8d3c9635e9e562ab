/**
 * Permission to change a device: members may change only their own. The hub enforces it; this decides which controls to
 * show.
 */
import { useCan, useMe } from "../app/session.ts"
import type { Device } from "../hub/queries.ts"

export const useMayChangeDevice = (): (device: Pick<Device, "owner_user_id">) => boolean => {
  const can = useCan()
  const { active_workspace, user, workspaces } = useMe()
  const isMember = workspaces.find(({ id }) => id === active_workspace)?.role === "member"
  return ({ owner_user_id }) => can("devices:write") && (!isMember || owner_user_id === user.id)
}

/** Approvers may freeze a workspace. Unfreezing requires the permission to change the workspace. */
import { useCan, useWorkspace } from "./session.ts"

export const useMayFreeze = (): boolean => {
  const can = useCan()
  const { frozen } = useWorkspace()
  return can("workspace:write") || (!frozen && can("approvals:decide"))
}

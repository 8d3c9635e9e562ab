/** Where a person goes after saving a rule: back to the list, or to the rule where the hub has warnings. */
import { useNavigate } from "@tanstack/react-router"
import { keepWarnings } from "../app/save-warnings.tsx"
import { useWorkspaceId } from "../app/session.ts"
import type { Output } from "../hub/contract.ts"

export const useLeaveRule = () => {
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  return ({ id, warnings }: Output<"policies.create">) => {
    keepWarnings(`${workspace}/policies/${id}`, warnings)
    void (warnings.length === 0
      ? navigate({ to: "/w/$workspace/policies", params: { workspace }, ignoreBlocker: true })
      : navigate({ to: "/w/$workspace/policies/$id", params: { workspace, id }, ignoreBlocker: true }))
  }
}

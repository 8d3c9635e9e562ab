/** Where to go after saving a policy: to the list, or to the policy if the hub returned warnings. */
import type { Output } from "@countersign/hub-client/contract"
import { useNavigate } from "@tanstack/react-router"
import { keepWarnings } from "../app/save-warnings.tsx"
import { useWorkspaceId } from "../app/session.ts"

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

/** Whether the rail still offers the first steps: until the workspace has its first decided approval. */
import { useQuery } from "@tanstack/react-query"
import { useEffect, useSyncExternalStore } from "react"
import { firstDecisionQuery } from "../hub/queries.ts"
import { kept } from "./kept.ts"
import { useCan, useWorkspaceId } from "./session.ts"

/** Workspaces that completed the first steps are not checked again. */
const doneMax = 200

const done = kept<ReadonlyArray<string>>(
  "start.done",
  (value) =>
    Array.isArray(value) && value.length <= doneMax && value.every((id) => typeof id === "string") ? value : undefined
)

export const useStartUnfinished = (): boolean => {
  const workspace = useWorkspaceId()
  const can = useCan()
  const isKnownDone = useSyncExternalStore(done.subscribe, () => done.get()?.includes(workspace) === true)
  const mayTake = can("agents:write") && can("billing:write") && can("approvals:read")
  const decided = useQuery({
    ...firstDecisionQuery(workspace),
    enabled: mayTake && !isKnownDone
  }).data?.data.length
  useEffect(() => {
    if (decided !== undefined && decided > 0) done.set([...new Set([...done.get() ?? [], workspace])].slice(-doneMax))
  }, [decided, workspace])
  return mayTake && !isKnownDone && decided === 0
}

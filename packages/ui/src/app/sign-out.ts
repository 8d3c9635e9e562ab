/**
 * Ends the session on the hub, then leaves in every tab. If the hub cannot be reached, the session is not shown as
 * ended.
 */
import { useCallback } from "react"
import { useAct } from "../hub/use-hub.ts"
import { useConsole } from "./console-context.ts"

export const useSignOut = (): () => void => {
  const { session } = useConsole()
  const { isPending, mutate } = useAct("auth.logout", { workspace: null, onDone: session.left })
  return useCallback(() => {
    if (!isPending) mutate({})
  }, [isPending, mutate])
}

/**
 * Ends the session on the hub, then leaves in every tab. If the hub cannot be reached, the session is not shown as
 * ended.
 */
import { useAct } from "../hub/use-hub.ts"
import { useConsole } from "./console-context.ts"

export const useSignOut = (): () => void => {
  const { session } = useConsole()
  const out = useAct("auth.logout", { workspace: null, onDone: session.left })
  return () => {
    if (!out.isPending) out.mutate({})
  }
}

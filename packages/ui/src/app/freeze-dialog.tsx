/** Freezes all spending of a workspace, or resumes it. The state shown is the hub's latest answer. */
import { ConfirmDialog } from "../components/confirm-dialog.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { actText as acts } from "../text/acts.ts"
import { shellText } from "../text/shell.ts"
import { openOverlay } from "./overlay.ts"
import { Problem } from "./problem.tsx"
import { useWorkspace } from "./session.ts"

const FreezeDialog = () => {
  const { freeze: t, offline } = shellText
  const { frozen, id, name } = useWorkspace()
  const mayAct = useMayAct()
  const set = useAct("workspaces.update", {
    workspace: id,
    touches: ["workspaces", "approvals"],
    onDone: (workspace) => {
      openOverlay(undefined)
      showToast({ text: workspace.frozen ? t.done(name) : t.lifted(name) })
    }
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && openOverlay(undefined)}
      title={frozen ? t.liftTitle(name) : t.title(name)}
      description={frozen ? t.liftWhat : t.what}
      confirmText={frozen ? t.lift : t.act}
      cancelText={acts.cancel}
      onConfirm={() => mayAct && set.mutate({ params: { id }, payload: { frozen: !frozen } })}
      pending={set.isPending}
      pendingText={acts.asking}
      danger={!frozen}
      error={!mayAct
        ? offline.spoken
        : set.error === null
        ? undefined
        : <Problem inline error={set.error} failed={t.failed} />}
    />
  )
}

export default FreezeDialog

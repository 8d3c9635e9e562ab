/** Freezes all spending of a workspace, or resumes it. The state shown is the hub's latest answer. */
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { shellText } from "../text/shell.ts"
import { ConfirmAct } from "./confirm-act.tsx"
import { openOverlay } from "./overlay.ts"
import { useWorkspace } from "./session.ts"

const FreezeDialog = () => {
  const { freeze: t } = shellText
  const { frozen, id, name } = useWorkspace()
  const set = useAct("workspaces.update", {
    workspace: id,
    touches: ["workspaces", "approvals"],
    onDone: (workspace) => {
      openOverlay(undefined)
      showToast({ text: workspace.frozen ? t.done(name) : t.lifted(name) })
    }
  })
  return (
    <ConfirmAct
      call={set}
      onClose={() => openOverlay(undefined)}
      title={frozen ? t.liftTitle(name) : t.title(name)}
      description={frozen ? t.liftWhat : t.what}
      confirmText={frozen ? t.lift : t.act}
      onConfirm={() => set.mutate({ params: { id }, payload: { frozen: !frozen } })}
      danger={!frozen}
      failed={t.failed}
    />
  )
}

export default FreezeDialog

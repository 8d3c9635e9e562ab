/** Freezes and unfreezes one agent. The state shown is the hub's latest answer. */
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { ConfirmDialog } from "../components/confirm-dialog.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { actText as acts } from "../text/acts.ts"
import { agentsText } from "../text/agents.ts"
import { shellText } from "../text/shell.ts"

export interface AgentFreezeDialogProps {
  readonly agent: { readonly id: string; readonly name: string; readonly frozen: boolean }
  readonly onClose: () => void
}

export const AgentFreezeDialog = ({ agent, onClose }: AgentFreezeDialogProps) => {
  const t = agentsText.freeze
  const { offline } = shellText
  const mayAct = useMayAct()
  const set = useAct("agents.update", {
    workspace: useWorkspaceId(),
    touches: ["agents", "approvals"],
    onDone: ({ frozen, name }) => {
      showToast({ text: frozen ? t.done(name) : t.lifted(name) })
      onClose()
    }
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={agent.frozen ? t.liftTitle(agent.name) : t.title(agent.name)}
      description={agent.frozen ? t.liftWhat : t.what}
      confirmText={agent.frozen ? t.lift : t.act}
      cancelText={acts.cancel}
      onConfirm={() => mayAct && set.mutate({ params: { id: agent.id }, payload: { frozen: !agent.frozen } })}
      pending={set.isPending}
      pendingText={acts.asking}
      danger={!agent.frozen}
      error={!mayAct
        ? offline.spoken
        : set.error === null
        ? undefined
        : <Problem inline error={set.error} failed={t.failed} />}
    />
  )
}

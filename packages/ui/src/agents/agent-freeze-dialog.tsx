/** Freezes and unfreezes one agent. The state shown is the hub's latest answer. */
import { ConfirmAct } from "../app/confirm-act.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { useAct } from "../hub/use-hub.ts"
import { agentsText } from "../text/agents.ts"

export interface AgentFreezeDialogProps {
  readonly agent: { readonly id: string; readonly name: string; readonly frozen: boolean }
  readonly onClose: () => void
}

export const AgentFreezeDialog = ({ agent, onClose }: AgentFreezeDialogProps) => {
  const t = agentsText.freeze
  const set = useAct("agents.update", {
    workspace: useWorkspaceId(),
    touches: ["agents", "approvals"],
    done: ({ frozen, name }) => frozen ? t.done(name) : t.lifted(name),
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={set}
      onClose={onClose}
      title={agent.frozen ? t.liftTitle(agent.name) : t.title(agent.name)}
      description={agent.frozen ? t.liftWhat : t.what}
      confirmText={agent.frozen ? t.lift : t.act}
      onConfirm={() => set.mutate({ params: { id: agent.id }, payload: { frozen: !agent.frozen } })}
      danger={!agent.frozen}
      failed={t.failed}
    />
  )
}

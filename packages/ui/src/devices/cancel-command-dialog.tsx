import { ConfirmAct } from "../app/confirm-act.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { showToast } from "../components/toast.tsx"
import type { Command } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { commandsText } from "../text/commands.ts"

export const CancelCommandDialog = (
  { command, onClose }: { readonly command: Command; readonly onClose: () => void }
) => {
  const t = commandsText.cancel
  const cancel = useAct("device_commands.cancel", {
    workspace: useWorkspaceId(),
    touches: ["device_commands.get", "device_sessions.commands", "devices"],
    onDone: ({ status }) => {
      if (status === "cancelled") showToast({ text: t.doneQueued })
      else if (status !== "done" && status !== "expired") showToast({ text: t.done })
      onClose()
    }
  })
  return (
    <ConfirmAct
      call={cancel}
      onClose={onClose}
      title={t.title}
      description={command.status === "queued" ? t.queued : t.running}
      confirmText={t.confirm}
      cancelText={t.keep}
      onConfirm={() => cancel.mutate({ params: { id: command.id } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}

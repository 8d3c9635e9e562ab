import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { ConfirmDialog } from "../components/confirm-dialog.tsx"
import { showToast } from "../components/toast.tsx"
import type { Command } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { actText as acts } from "../text/acts.ts"
import { commandsText } from "../text/commands.ts"

export const CancelCommandDialog = (
  { command, onClose }: { readonly command: Command; readonly onClose: () => void }
) => {
  const t = commandsText.cancel
  const mayAct = useMayAct()
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
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t.title}
      description={command.status === "queued" ? t.queued : t.running}
      confirmText={t.confirm}
      cancelText={t.keep}
      pending={cancel.isPending}
      pendingText={acts.asking}
      danger
      onConfirm={() => mayAct && cancel.mutate({ params: { id: command.id } })}
      error={cancel.error === null
        ? undefined
        : <Problem inline error={cancel.error} failed={t.failed} unchanged={t.unchanged} />}
    />
  )
}

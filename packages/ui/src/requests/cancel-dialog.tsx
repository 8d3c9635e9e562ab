/** Cancels a request: a pending one is canceled at once, a running one is stopped if its provider supports it. */
import { Problem } from "../app/problem.tsx"
import { ConfirmDialog } from "../components/confirm-dialog.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { actText as acts } from "../text/acts.ts"
import { requestsText } from "../text/requests.ts"

export interface RequestActProps {
  readonly workspace: string
  readonly id: string
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

export const touchedByRequest = ["service_requests", "traces", "approvals", "ledger", "audit"] as const

export const CancelDialog = (
  { id, isPending, onOpenChange, open, workspace }: RequestActProps & { readonly isPending: boolean }
) => {
  const t = requestsText.cancelDialog
  const cancel = useAct("service_requests.cancel", {
    workspace,
    touches: touchedByRequest,
    onDone: () => {
      onOpenChange(false)
      showToast({ text: t.done })
    }
  })
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(next) => {
        cancel.reset()
        onOpenChange(next)
      }}
      title={t.title}
      description={isPending ? t.waiting : t.running}
      cancelText={t.keep}
      confirmText={t.confirm}
      pendingText={acts.asking}
      pending={cancel.isPending}
      danger
      onConfirm={() => cancel.mutate({ params: { id } })}
      error={cancel.error === null
        ? undefined
        : <Problem inline error={cancel.error} failed={t.failed} unchanged={t.unchanged} />}
    />
  )
}

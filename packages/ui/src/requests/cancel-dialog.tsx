/** Cancels a request: a pending one is canceled at once, a running one is stopped if its provider supports it. */
import { ConfirmAct } from "../app/confirm-act.tsx"
import { useAct } from "../hub/use-hub.ts"
import { requestsText } from "../text/requests.ts"

export interface RequestActProps {
  readonly workspace: string
  readonly id: string
  readonly onClose: () => void
}

export const touchedByRequest = ["service_requests", "traces", "approvals", "ledger", "audit"] as const

export const CancelDialog = (
  { id, isPending, onClose, workspace }: RequestActProps & { readonly isPending: boolean }
) => {
  const t = requestsText.cancelDialog
  const cancel = useAct("service_requests.cancel", {
    workspace,
    touches: touchedByRequest,
    done: t.done,
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={cancel}
      onClose={onClose}
      title={t.title}
      description={isPending ? t.waiting : t.running}
      cancelText={t.keep}
      confirmText={t.confirm}
      onConfirm={() => cancel.mutate({ params: { id } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}

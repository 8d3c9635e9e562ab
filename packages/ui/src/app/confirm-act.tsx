/**
 * Confirms one call to the hub: shows its progress and its error, and stays open until the call succeeded. It shows an
 * outage too, during which the page refuses the call (`only-connected.ts`).
 */
import type { ReactNode } from "react"
import { ConfirmDialog, type ConfirmDialogProps } from "../components/confirm-dialog.tsx"
import { useMayAct } from "../live/connection.ts"
import { actText } from "../text/acts.ts"
import { shellText } from "../text/shell.ts"
import { Problem, type ProblemProps } from "./problem.tsx"

type Shown = Pick<
  ConfirmDialogProps,
  "title" | "description" | "children" | "confirmText" | "onConfirm" | "disabled" | "danger" | "phrase" | "pendingText"
>

export interface ConfirmActProps extends Shown, Pick<ProblemProps, "failed" | "unchanged"> {
  /** The state of the call that `onConfirm` makes. */
  readonly call: { readonly isPending: boolean; readonly error: unknown }
  readonly cancelText?: string
  /** An error that needs other words than `failed` and the hub's message. */
  readonly problem?: ReactNode
  readonly onClose: () => void
}

/** Red unless `danger` is false, because most of these acts cannot be undone. */
export const ConfirmAct = (
  { call, cancelText = actText.cancel, danger = true, failed, onClose, problem, unchanged, ...shown }: ConfirmActProps
) => {
  const mayAct = useMayAct()
  const refused = call.error === null || call.error === undefined
    ? undefined
    : problem ?? <Problem inline error={call.error} failed={failed} unchanged={unchanged} />
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      cancelText={cancelText}
      danger={danger}
      pending={call.isPending}
      pendingText={actText.asking}
      error={refused ?? (mayAct ? undefined : shellText.offline.spoken)}
      {...shown}
    />
  )
}

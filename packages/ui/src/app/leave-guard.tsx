/** Leaving a screen with unsaved changes requires a confirmation. */
import { useBlocker } from "@tanstack/react-router"
import { ConfirmDialog } from "../components/confirm-dialog.tsx"
import { leaveText as t } from "../text/leave.ts"

export const LeaveGuard = ({ isChanged }: { readonly isChanged: boolean }) => {
  const leaving = useBlocker({
    shouldBlockFn: () => isChanged,
    withResolver: true,
    enableBeforeUnload: () => isChanged
  })
  return (
    <ConfirmDialog
      open={leaving.status === "blocked"}
      onOpenChange={(open) => !open && leaving.reset?.()}
      title={t.title}
      description={t.what}
      confirmText={t.act}
      cancelText={t.stay}
      danger
      onConfirm={() => leaving.proceed?.()}
    />
  )
}

/**
 * A dialog with one form and its buttons. Submitting is disabled during a call and during an outage; closing is
 * disabled during a call.
 */
import { type ReactNode, useId } from "react"
import { Button } from "../components/button.tsx"
import { Dialog, type DialogProps } from "../components/dialog.tsx"
import { useMayAct } from "../live/connection.ts"
import { actText as acts } from "../text/acts.ts"

export interface FormDialogProps extends Pick<DialogProps, "title" | "description" | "width"> {
  /** The label of the submit button; "Save" by default. */
  readonly act?: string
  readonly pending: boolean
  /** The current content cannot be sent. */
  readonly disabled?: boolean
  /** The browser validates the fields before submission. */
  readonly validates?: boolean
  /** A button before the other buttons. */
  readonly aside?: ReactNode
  readonly onClose: () => void
  readonly onSubmit: (form: HTMLFormElement) => void
  readonly children: ReactNode
}

export const FormDialog = ({
  act,
  aside,
  children,
  disabled = false,
  onClose,
  onSubmit,
  pending,
  validates = false,
  ...frame
}: FormDialogProps) => {
  const mayAct = useMayAct()
  const id = useId()
  return (
    <Dialog
      open
      held={pending}
      onOpenChange={(open) => !open && onClose()}
      closeText={acts.close}
      footer={
        <>
          {aside}
          <Button onClick={onClose} disabled={pending}>
            {acts.cancel}
          </Button>
          <Button
            form={id}
            type="submit"
            variant="primary"
            pending={pending}
            pendingText={acts.asking}
            disabled={disabled || !mayAct}
          >
            {act ?? acts.save}
          </Button>
        </>
      }
      {...frame}
    >
      <form
        id={id}
        className="grid gap-16"
        noValidate={!validates}
        onSubmit={(event) => {
          // For a dialog inside the form of another dialog: React would bubble the event to the outer form.
          event.preventDefault()
          event.stopPropagation()
          onSubmit(event.currentTarget)
        }}
      >
        {children}
      </form>
    </Dialog>
  )
}

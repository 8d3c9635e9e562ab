/**
 * A dialog that is one form, with its act and a way out at the foot. While the hub is asked, or away, nothing is sent; while it is asked,
 * nothing closes it.
 */
import { type ReactNode, useId } from "react"
import { Button } from "../components/button.tsx"
import { Dialog, type DialogProps } from "../components/dialog.tsx"
import { useMayAct } from "../live/connection.ts"
import { actText } from "../text/acts.ts"
import { useText } from "../text/catalogue.ts"
import styles from "./form-dialog.module.css"

export interface FormDialogProps extends Pick<DialogProps, "title" | "description" | "width"> {
  /** What the act is called; "Save" unless told. */
  readonly act?: string
  readonly pending: boolean
  /** What is there cannot be sent. */
  readonly disabled?: boolean
  /** The browser looks at the fields before it is sent. */
  readonly validates?: boolean
  /** A button before the others. */
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
  const acts = useText(actText)
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
        className={styles.form}
        noValidate={!validates}
        onSubmit={(event) => {
          // A dialog within a form's dialog: React would hand the event on to that form.
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

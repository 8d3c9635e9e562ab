/** Confirms an irreversible action. The backdrop does not close it; the initial focus is on Cancel. */
import { AlertDialog } from "@base-ui/react/alert-dialog"
import { type ReactNode, useId, useRef, useState } from "react"
import { Button } from "./button.tsx"
import { classNames } from "./class-names.ts"
import styles from "./dialog.module.css"
import { TextField } from "./text-field.tsx"

export interface ConfirmDialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: ReactNode
  /** The effects of the action. */
  readonly description: ReactNode
  readonly children?: ReactNode
  readonly confirmText: string
  readonly cancelText: string
  readonly onConfirm: () => void
  readonly pending?: boolean | undefined
  readonly pendingText?: string | undefined
  /** The effects are not loaded yet. */
  readonly disabled?: boolean | undefined
  /** The confirm button has stop text. */
  readonly danger?: boolean | undefined
  /** Words to type before confirming, with the label of their field. */
  readonly phrase?: { readonly words: string; readonly label: string } | undefined
  /** The error of the last attempt. */
  readonly error?: ReactNode
}

export const ConfirmDialog = ({
  open,
  onOpenChange,
  title,
  description,
  children,
  confirmText,
  cancelText,
  onConfirm,
  pending = false,
  pendingText,
  danger,
  disabled = false,
  phrase,
  error
}: ConfirmDialogProps) => {
  const [typed, setTyped] = useState("")
  const cancel = useRef<HTMLButtonElement>(null)
  const form = useId()
  const change = (next: boolean) => {
    if (pending) return
    setTyped("")
    onOpenChange(next)
  }
  return (
    <AlertDialog.Root open={open} onOpenChange={change}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Viewport className={styles.viewport}>
          <AlertDialog.Popup
            className={classNames(styles.popup, styles.narrow)}
            initialFocus={phrase === undefined ? cancel : true}
          >
            <div className={styles.head}>
              <AlertDialog.Title className={styles.title}>{title}</AlertDialog.Title>
            </div>
            <AlertDialog.Description className={styles.description} render={<div />}>
              {description}
            </AlertDialog.Description>
            <form
              id={form}
              className={styles.body}
              onSubmit={(event) => {
                event.preventDefault()
                if (!pending && !disabled && (phrase === undefined || typed === phrase.words)) onConfirm()
              }}
            >
              {children}
              {phrase !== undefined && <TextField label={phrase.label} value={typed} onChange={setTyped} mono />}
              <div className={styles.problem} role="alert">{error}</div>
            </form>
            <div className={styles.foot}>
              <Button ref={cancel} onClick={() => change(false)} disabled={pending}>{cancelText}</Button>
              <Button
                form={form}
                type="submit"
                variant={danger ? "danger" : "primary"}
                pending={pending}
                pendingText={pendingText}
                disabled={disabled || phrase !== undefined && typed !== phrase.words}
              >
                {confirmText}
              </Button>
            </div>
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

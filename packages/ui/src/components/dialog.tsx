/** A modal dialog: it keeps focus, Escape and the backdrop close it, and focus then returns to its previous place. */
import { Dialog as Base } from "@base-ui/react/dialog"
import { X } from "lucide-react"
import { type ReactNode, type RefObject, useRef } from "react"
import { classNames } from "./class-names.ts"
import styles from "./dialog.module.css"
import { IconButton } from "./icon-button.tsx"

export interface DialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: ReactNode
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** The buttons, with the primary one last. */
  readonly footer?: ReactNode
  readonly closeText: string
  /** 400, 560, or 800 px. On a phone each fills the width and is at the foot. */
  readonly width?: "narrow" | "standard" | "wide" | undefined
  /** The element with initial focus; by default the first field, else the first focusable element. */
  readonly initialFocus?: RefObject<HTMLElement | null> | undefined
  /** During a call nothing closes it, and its close button is disabled. */
  readonly held?: boolean | undefined
}

const fields = ":is(input, textarea, select):not(:disabled):not([type=hidden]):not([type=checkbox]):not([type=radio])"

export const Dialog = ({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  closeText,
  width = "standard",
  initialFocus,
  held = false
}: DialogProps) => {
  const body = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={open} onOpenChange={(next) => (next || !held) && onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Viewport className={styles.viewport}>
          <Base.Popup
            className={classNames(styles.popup, styles[width])}
            initialFocus={initialFocus ?? (() => body.current?.querySelector<HTMLElement>(fields) ?? true)}
          >
            <div className={styles.head}>
              <Base.Title className={styles.title}>{title}</Base.Title>
              <Base.Close render={<IconButton label={closeText} icon={<X />} keys={["Esc"]} disabled={held} />} />
            </div>
            {description !== undefined && (
              <Base.Description className={styles.description}>{description}</Base.Description>
            )}
            {children !== undefined && <div ref={body} className={styles.body}>{children}</div>}
            {footer !== undefined && <div className={styles.foot}>{footer}</div>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

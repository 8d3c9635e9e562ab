/** A popover attached to the control that opened it; the page behind it stays usable. */
import { Popover as Base } from "@base-ui/react/popover"
import type { ReactElement, ReactNode } from "react"
import styles from "./popover.module.css"

export interface PopoverProps {
  readonly trigger: ReactElement
  readonly title?: ReactNode
  readonly children: ReactNode
  readonly open?: boolean | undefined
  readonly onOpenChange?: ((open: boolean) => void) | undefined
  readonly side?: "top" | "bottom" | "left" | "right" | undefined
  readonly align?: "start" | "center" | "end" | undefined
}

export const Popover = (
  { trigger, title, children, open, onOpenChange, side = "bottom", align = "start" }: PopoverProps
) => (
  <Base.Root {...(open !== undefined && { open })} {...(onOpenChange !== undefined && { onOpenChange })}>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner className={styles.positioner} side={side} align={align} sideOffset={4} collisionPadding={8}>
        <Base.Popup className={styles.popup}>
          {title !== undefined && <Base.Title className={styles.title}>{title}</Base.Title>}
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

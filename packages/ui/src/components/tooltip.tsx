/** A word about the control under the pointer or the focus, with the keys that do the same. Never the only place of a fact. */
import { Tooltip as Base } from "@base-ui/react/tooltip"
import type { ReactElement, ReactNode } from "react"
import { Kbd } from "./kbd.tsx"
import styles from "./tooltip.module.css"

export interface TooltipProps {
  readonly text: ReactNode
  readonly keys?: ReadonlyArray<string> | undefined
  readonly side?: "top" | "right" | "bottom" | "left" | undefined
  /** The control that it is about: one element that takes props and a ref. */
  readonly children: ReactElement
}

/** Once, around the app: tooltips that follow one another open at once. */
export const TooltipProvider = ({ children }: { readonly children: ReactNode }) => (
  <Base.Provider delay={500} closeDelay={0} timeout={300}>{children}</Base.Provider>
)

export const Tooltip = ({ text, keys, side = "bottom", children }: TooltipProps) => (
  // Escape is first of all the dialog's or the screen's; a word that shows by chance must not take it
  <Base.Root onOpenChange={(_, change) => change.reason === "escape-key" && change.allowPropagation()}>
    <Base.Trigger render={children} />
    <Base.Portal>
      <Base.Positioner side={side} sideOffset={6} collisionPadding={8} className={styles.positioner}>
        <Base.Popup className={styles.popup}>
          {text}
          {keys !== undefined && <Kbd keys={keys} tone="inherit" />}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

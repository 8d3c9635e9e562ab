/** A filter that is set, or one that can be: pressed it opens or toggles, its cross takes it away. */
import { X } from "lucide-react"
import type { ComponentProps, ReactNode } from "react"
import styles from "./chip.module.css"
import { classNames } from "./class-names.ts"

export interface ChipProps extends Omit<ComponentProps<"button">, "children"> {
  readonly children: ReactNode
  /** It holds a value. */
  readonly set?: boolean | undefined
  readonly onRemove?: (() => void) | undefined
  /** The name of the cross, such as "Remove the filter Agent". */
  readonly removeText?: string | undefined
}

/** Props beyond its own go to the button within, so a menu or a popover may take it as its trigger. */
export const Chip = (
  { children, set = false, onRemove, removeText, className, type = "button", ...rest }: ChipProps
) => (
  <span className={classNames(styles.chip, set && styles.set, className)}>
    <button {...rest} type={type} className={styles.main}>{children}</button>
    {onRemove !== undefined && (
      <button type="button" className={styles.remove} aria-label={removeText} onClick={onRemove}>
        <X aria-hidden />
      </button>
    )}
  </span>
)

/** A filter with or without a value: a press opens or toggles it, its cross clears it. */
import { X } from "lucide-react"
import type { ComponentProps, ReactNode } from "react"
import styles from "./chip.module.css"
import { classNames } from "./class-names.ts"

export interface ChipProps extends Omit<ComponentProps<"button">, "children"> {
  readonly children: ReactNode
  /** Whether it has a value. */
  readonly set?: boolean | undefined
  readonly onRemove?: (() => void) | undefined
  /** The name of the cross, such as "Remove the filter Agent". */
  readonly removeText?: string | undefined
}

/** Other props go to the inner button, so that a menu or a popover can use it as its trigger. */
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

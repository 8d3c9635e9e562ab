/** A button with an icon; its text is its name and its tooltip. */
import type { ComponentProps, ReactNode } from "react"
import { classNames } from "./class-names.ts"
import styles from "./icon-button.module.css"
import { Tooltip } from "./tooltip.tsx"

export interface IconButtonProps extends Omit<ComponentProps<"button">, "children" | "aria-label"> {
  readonly label: string
  /** 16 px, in the text's color. */
  readonly icon: ReactNode
  readonly keys?: ReadonlyArray<string> | undefined
  readonly pressed?: boolean | undefined
  readonly edge?: boolean | undefined
}

export const IconButton = (
  { label, icon, keys, pressed, edge = false, className, type = "button", ...rest }: IconButtonProps
) => (
  <Tooltip text={label} keys={keys}>
    <button
      {...rest}
      type={type}
      className={classNames(styles.button, edge && styles.edge, className)}
      aria-label={label}
      aria-pressed={pressed}
      aria-keyshortcuts={keys?.length === 1 ? keys[0] : undefined}
    >
      {icon}
    </button>
  </Tooltip>
)

/**
 * A button. While pending it keeps focus, place, and width: both labels share one grid cell, so the wider one sets the
 * width.
 */
import type { ComponentProps, ReactNode } from "react"
import styles from "./button.module.css"
import { classNames } from "./class-names.ts"
import { Kbd } from "./kbd.tsx"

export interface ButtonLook {
  /** `primary`: ink, one per view. `quiet`: an edge. `danger`: an edge with stop text. `bare`: text only. */
  readonly variant?: "primary" | "quiet" | "danger" | "bare" | undefined
  readonly size?: "standard" | "small" | undefined
  /** A decorative icon before the text, 16 px. */
  readonly icon?: ReactNode
  /** Shortcuts for the same action, shown in the button, such as `["A"]`. */
  readonly keys?: ReadonlyArray<string> | undefined
  readonly wide?: boolean | undefined
}

export interface ButtonProps extends ButtonLook, Omit<ComponentProps<"button">, "children"> {
  readonly children: ReactNode
  /** A call is in progress: presses do nothing, focus stays. */
  readonly pending?: boolean | undefined
  /** Shown while pending; its space is reserved from the start. */
  readonly pendingText?: string | undefined
}

const look = ({ variant = "quiet", size, wide }: ButtonLook, className: string | undefined) =>
  classNames(styles.button, styles[variant], size === "small" && styles.small, wide && styles.wide, className)

const Face = ({ icon, keys, children }: Pick<ButtonLook, "icon" | "keys"> & { readonly children: ReactNode }) => (
  <>
    {icon !== undefined && <span className={styles.icon} aria-hidden>{icon}</span>}
    <span className="overflow-hidden tabular-nums text-ellipsis">{children}</span>
    {keys !== undefined && <Kbd keys={keys} tone="inherit" />}
  </>
)

export const Button = ({
  variant,
  size,
  icon,
  keys,
  wide,
  pending = false,
  pendingText,
  children,
  className,
  onClick,
  type = "button",
  ...rest
}: ButtonProps) => (
  <button
    {...rest}
    type={pending ? "button" : type}
    className={look({ variant, size, wide }, className)}
    aria-busy={pending || undefined}
    aria-disabled={pending || undefined}
    aria-keyshortcuts={keys?.length === 1 ? keys[0] : undefined}
    onClick={pending ? undefined : onClick}
  >
    <span className={styles.face} data-away={(pending && pendingText !== undefined) || undefined}>
      <Face icon={icon} keys={keys}>{children}</Face>
    </span>
    {pendingText !== undefined && (
      <span className={styles.face} data-away={!pending || undefined}>
        <span className="overflow-hidden tabular-nums text-ellipsis">{pendingText}</span>
      </span>
    )}
  </button>
)

/** A link that looks like a button; wrap it with the router's `createLink`. */
export const ButtonLink = (
  { variant, size, icon, keys, wide, children, className, ...rest }: ButtonLook & ComponentProps<"a">
) => (
  <a {...rest} className={look({ variant, size, wide }, className)}>
    <span className={styles.face}>
      <Face icon={icon} keys={keys}>{children}</Face>
    </span>
  </a>
)

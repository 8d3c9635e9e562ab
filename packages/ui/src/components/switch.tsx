/**
 * A setting that takes effect at once. It shows the confirmed state, not the click: `checked` belongs to the caller.
 */
import { type ReactNode, useId } from "react"
import styles from "./check.module.css"
import { classNames } from "./class-names.ts"

export interface SwitchProps {
  readonly label: ReactNode
  readonly labelHidden?: boolean | undefined
  readonly description?: ReactNode
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean | undefined
  /** A call is in progress. */
  readonly pending?: boolean | undefined
}

export const Switch = (
  { label, labelHidden, description, checked, onChange, disabled, pending = false }: SwitchProps
) => {
  const id = useId()
  return (
    <div className={styles.line}>
      <input
        id={id}
        type="checkbox"
        role="switch"
        className={classNames(styles.mark, styles.switch)}
        checked={checked}
        disabled={disabled}
        aria-busy={pending || undefined}
        aria-describedby={description === undefined ? undefined : `${id}-about`}
        onChange={(event) => {
          if (!pending) onChange(event.currentTarget.checked)
        }}
      />
      <label htmlFor={id} className={classNames(styles.label, labelHidden && "sr-only")}>{label}</label>
      {description !== undefined && <p id={`${id}-about`} className={styles.about}>{description}</p>}
    </div>
  )
}

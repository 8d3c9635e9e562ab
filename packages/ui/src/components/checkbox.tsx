/** A checkbox that is submitted with its form: the browser's own input, drawn in ink. */
import { type ComponentProps, type ReactNode, useId } from "react"
import styles from "./check.module.css"
import { classNames } from "./class-names.ts"

type Native = Omit<ComponentProps<"input">, "checked" | "defaultChecked" | "onChange" | "type" | "id" | "size">

export interface CheckboxProps extends Native {
  readonly label: ReactNode
  /** The label is for screen readers only, as for a row's checkbox. */
  readonly labelHidden?: boolean | undefined
  readonly description?: ReactNode
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  /** Indeterminate: some of its items are on. */
  readonly partly?: boolean | undefined
}

export const Checkbox = (
  { label, labelHidden, description, checked, onChange, partly = false, className, ...rest }: CheckboxProps
) => {
  const id = useId()
  return (
    <div className={classNames(styles.line, className)}>
      <input
        {...rest}
        ref={(input) => {
          if (input !== null) input.indeterminate = partly && !checked
        }}
        id={id}
        type="checkbox"
        className={classNames(styles.mark, styles.check)}
        checked={checked}
        aria-describedby={description === undefined ? undefined : `${id}-about`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label htmlFor={id} className={classNames(styles.label, labelHidden && "sr-only")}>{label}</label>
      {description !== undefined && <p id={`${id}-about`} className={styles.about}>{description}</p>}
    </div>
  )
}

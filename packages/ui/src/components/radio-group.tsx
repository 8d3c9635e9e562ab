/** A choice of one option whose descriptions should all be read. */
import { type ReactNode, useId } from "react"
import styles from "./check.module.css"
import { classNames } from "./class-names.ts"

export interface RadioOption<V extends string = string> {
  readonly value: V
  readonly text: ReactNode
  readonly description?: ReactNode
  readonly disabled?: boolean | undefined
}

export interface RadioGroupProps<V extends string = string> {
  readonly label: ReactNode
  readonly labelHidden?: boolean | undefined
  readonly value: V | undefined
  readonly onChange: (value: V) => void
  readonly options: ReadonlyArray<RadioOption<V>>
  readonly inline?: boolean | undefined
}

export const RadioGroup = <V extends string>(
  { label, labelHidden, value, onChange, options, inline }: RadioGroupProps<V>
) => {
  const name = useId()
  return (
    <fieldset className="grid gap-4" role="radiogroup">
      <legend className={classNames(styles.legend, labelHidden && "sr-only")}>{label}</legend>
      <div className={classNames(styles.options, inline && styles.inline)}>
        {options.map((option) => {
          const id = `${name}-${option.value}`
          return (
            <div key={option.value} className={styles.line}>
              <input
                id={id}
                type="radio"
                name={name}
                value={option.value}
                className={classNames(styles.mark, styles.radio)}
                checked={option.value === value}
                disabled={option.disabled}
                aria-describedby={option.description === undefined ? undefined : `${id}-about`}
                onChange={() => onChange(option.value)}
              />
              <label htmlFor={id} className={styles.label}>{option.text}</label>
              {option.description !== undefined && (
                <p id={`${id}-about`} className={styles.about}>{option.description}</p>
              )}
            </div>
          )
        })}
      </div>
    </fieldset>
  )
}

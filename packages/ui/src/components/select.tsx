/**
 * A choice of one option with the browser's own list: a phone shows its picker, and browsers with `appearance:
 * base-select` show our styles.
 */
import type { ComponentProps } from "react"
import { classNames } from "./class-names.ts"
import fieldStyles from "./field.module.css"
import { Field, type FieldOwnProps, fieldProps } from "./field.tsx"
import styles from "./select.module.css"

type Native = Omit<
  ComponentProps<"select">,
  keyof FieldOwnProps | "value" | "defaultValue" | "onChange" | "id" | "multiple" | "size"
>

export interface SelectOption<V extends string = string> {
  readonly value: V
  readonly text: string
  readonly disabled?: boolean | undefined
}

export interface SelectProps<V extends string = string> extends FieldOwnProps, Native {
  readonly value: V | undefined
  readonly onChange: (value: V) => void
  readonly options: ReadonlyArray<SelectOption<V>>
  /** Shown while nothing is selected. */
  readonly placeholder?: string | undefined
}

export const Select = <V extends string>(props: SelectProps<V>) => {
  const [field, { value, onChange, options, placeholder, ...rest }] = fieldProps(props)
  return (
    <Field {...field}>
      {(control) => (
        <div className={fieldStyles.box}>
          <select
            {...rest}
            {...control}
            className={classNames(fieldStyles.input, styles.select)}
            value={value ?? ""}
            onChange={(event) => {
              const picked = options.find((option) => option.value === event.currentTarget.value)
              if (picked !== undefined) onChange(picked.value)
            }}
          >
            {(placeholder !== undefined || value === undefined) && (
              <option value="" disabled hidden>{placeholder}</option>
            )}
            {options.map(({ value, text, disabled }) => (
              <option key={value} value={value} disabled={disabled} className={styles.option}>{text}</option>
            ))}
          </select>
        </div>
      )}
    </Field>
  )
}

/** A multi-line text field; it grows with its text up to 40 % of the window's height. */
import type { ComponentProps } from "react"
import { classNames } from "./class-names.ts"
import styles from "./field.module.css"
import { Field, type FieldOwnProps, fieldProps } from "./field.tsx"

type Native = Omit<ComponentProps<"textarea">, keyof FieldOwnProps | "value" | "defaultValue" | "onChange" | "id">

export interface TextAreaProps extends FieldOwnProps, Native {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly mono?: boolean | undefined
}

export const TextArea = (props: TextAreaProps) => {
  const [field, { value, onChange, mono, rows = 3, ...rest }] = fieldProps(props)
  return (
    <Field {...field}>
      {(control) => (
        <div className={styles.box}>
          <textarea
            spellCheck={mono ? false : undefined}
            {...rest}
            {...control}
            rows={rows}
            className={classNames(styles.input, styles.area, mono && styles.mono)}
            value={value}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        </div>
      )}
    </Field>
  )
}

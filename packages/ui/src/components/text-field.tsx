/** A single-line text field. The caller holds the value. */
import type { ComponentProps, ReactNode } from "react"
import { classNames } from "./class-names.ts"
import styles from "./field.module.css"
import { Field, type FieldOwnProps, fieldProps } from "./field.tsx"

type Native = Omit<
  ComponentProps<"input">,
  keyof FieldOwnProps | "value" | "defaultValue" | "onChange" | "prefix" | "size" | "id"
>

export interface TextFieldProps extends FieldOwnProps, Native {
  readonly value: string
  readonly onChange: (value: string) => void
  /** For ids, keys, and hosts: text to be read letter by letter. */
  readonly mono?: boolean | undefined
  readonly prefix?: ReactNode
  readonly suffix?: ReactNode
}

export const TextField = (props: TextFieldProps) => {
  const [field, { value, onChange, mono, prefix, suffix, type = "text", ...rest }] = fieldProps(props)
  return (
    <Field {...field}>
      {(control) => (
        <div className={styles.box}>
          {prefix !== undefined && <span className={styles.affix}>{prefix}</span>}
          <input
            spellCheck={mono ? false : undefined}
            autoComplete="off"
            {...rest}
            {...control}
            type={type}
            className={classNames(styles.input, mono && styles.mono)}
            value={value}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
          {suffix !== undefined && <span className={styles.affix}>{suffix}</span>}
        </div>
      )}
    </Field>
  )
}

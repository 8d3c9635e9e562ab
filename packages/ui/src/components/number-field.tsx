/** A whole number; arrow keys step it. Invalid text gives `undefined` and shows its own error. */
import type { ComponentProps, ReactNode } from "react"
import { classNames } from "./class-names.ts"
import styles from "./field.module.css"
import { Field, type FieldOwnProps, fieldProps } from "./field.tsx"
import { useTypedValue } from "./typed-value.ts"

type Native = Omit<
  ComponentProps<"input">,
  | keyof FieldOwnProps
  | "value"
  | "defaultValue"
  | "onChange"
  | "prefix"
  | "size"
  | "id"
  | "type"
  | "min"
  | "max"
  | "step"
>

export interface NumberFieldProps extends FieldOwnProps, Native {
  readonly value: number | undefined
  readonly onChange: (value: number | undefined) => void
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly step?: number | undefined
  /** The unit, such as "hours". */
  readonly suffix?: ReactNode
  /** The error for text that is not a whole number within the limits. */
  readonly invalidText: string
}

const parseWhole = (min: number, max: number) => (text: string): number | "empty" | "invalid" => {
  const trimmed = text.trim().replaceAll(",", "")
  if (trimmed === "") return "empty"
  const number = /^-?\d{1,15}$/.test(trimmed) ? Number(trimmed) : Number.NaN
  return number >= min && number <= max ? number : "invalid"
}

export const NumberField = (props: NumberFieldProps) => {
  const [field, own] = fieldProps(props)
  const { value, onChange, min = 0, max = Number.MAX_SAFE_INTEGER, step = 1, suffix, invalidText, ...rest } = own
  const typed = useTypedValue(value, onChange, parseWhole(min, max), String)
  const stepBy = (by: number) => {
    typed.settle()
    onChange(Math.min(max, Math.max(min, (value ?? min) + by)))
  }
  return (
    <Field {...field} error={field.error ?? (typed.unreadable ? invalidText : undefined)}>
      {(control) => (
        <div className={styles.box}>
          <input
            autoComplete="off"
            {...rest}
            {...control}
            type="text"
            inputMode="numeric"
            data-unreadable={typed.unreadable || undefined}
            className={classNames(styles.input, styles.figure)}
            value={typed.text}
            onChange={(event) => typed.type(event.currentTarget.value)}
            onBlur={typed.settle}
            onKeyDown={(event) => {
              if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return
              event.preventDefault()
              stepBy((event.key === "ArrowUp" ? step : -step) * (event.shiftKey ? 10 : 1))
            }}
          />
          {suffix !== undefined && <span className={styles.affix}>{suffix}</span>}
        </div>
      )}
    </Field>
  )
}

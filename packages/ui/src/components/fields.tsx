/** Fields of several lines of text, of whole numbers, and of amounts. The caller holds the value. */
import type { ComponentProps, ReactNode } from "react"
import { classNames } from "./class-names.ts"
import styles from "./field.module.css"
import { Field, type FieldOwnProps, fieldProps } from "./field.tsx"
import { exceedsMoney, parseMoney, plainMoney } from "./money-text.ts"
import { useTypedValue } from "./typed-value.ts"

type Native<Tag extends "input" | "textarea"> = Omit<
  ComponentProps<Tag>,
  keyof FieldOwnProps | "value" | "defaultValue" | "onChange" | "prefix" | "size" | "id"
>

export interface TextAreaProps extends FieldOwnProps, Native<"textarea"> {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly mono?: boolean | undefined
}

/** It grows with its text up to 40 % of the window's height. */
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

export interface NumberFieldProps extends FieldOwnProps, Omit<Native<"input">, "type" | "min" | "max" | "step"> {
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

/** A whole number; arrow keys step it. Invalid text gives `undefined` and shows its own error. */
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

export interface MoneyFieldProps extends FieldOwnProps, Omit<Native<"input">, "type"> {
  /** Integer cents, 0 to `amountCentsMax`. */
  readonly value: number | undefined
  readonly onChange: (cents: number | undefined) => void
  /** The error for an invalid amount, such as "An amount like 25.00". */
  readonly invalidText: string
  /** The error for an amount over the maximum; `invalidText` by default. */
  readonly exceededText?: string | undefined
}

/**
 * An amount in dollars on screen, in cents for the caller. Invalid text gives `undefined` and shows its own error.
 */
export const MoneyField = (props: MoneyFieldProps) => {
  const [field, { value, onChange, invalidText, exceededText, ...rest }] = fieldProps(props)
  const typed = useTypedValue(value, onChange, parseMoney, plainMoney)
  const exceeded = typed.unreadable && exceedsMoney(typed.text) ? exceededText : undefined
  return (
    <Field {...field} error={exceeded ?? field.error ?? (typed.unreadable ? invalidText : undefined)}>
      {(control) => (
        <div className={styles.box}>
          <span className={styles.affix} aria-hidden>$</span>
          <input
            autoComplete="off"
            {...rest}
            {...control}
            type="text"
            inputMode="decimal"
            data-unreadable={typed.unreadable || undefined}
            className={classNames(styles.input, styles.figure)}
            value={typed.text}
            onChange={(event) => typed.type(event.currentTarget.value)}
            onBlur={typed.settle}
          />
        </div>
      )}
    </Field>
  )
}

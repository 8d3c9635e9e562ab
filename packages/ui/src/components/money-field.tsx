/** An amount in dollars on screen, in cents for the caller. Invalid text gives `undefined` and shows its own error. */
import type { ComponentProps } from "react"
import { classNames } from "./class-names.ts"
import styles from "./field.module.css"
import { Field, type FieldOwnProps, fieldProps } from "./field.tsx"
import { exceedsMoney, parseMoney, plainMoney } from "./money-text.ts"
import { useTypedValue } from "./typed-value.ts"

type Native = Omit<
  ComponentProps<"input">,
  keyof FieldOwnProps | "value" | "defaultValue" | "onChange" | "prefix" | "size" | "id" | "type"
>

export interface MoneyFieldProps extends FieldOwnProps, Native {
  /** Integer cents, 0 to `amountCentsMax`. */
  readonly value: number | undefined
  readonly onChange: (cents: number | undefined) => void
  /** The error for an invalid amount, such as "An amount like 25.00". */
  readonly invalidText: string
  /** The error for an amount over the maximum; `invalidText` by default. */
  readonly exceededText?: string | undefined
}

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

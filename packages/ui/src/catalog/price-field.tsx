/** A price: fixed, or calculated from the payload and the provider's answer. */
import type { ReactNode } from "react"
import { MoneyField } from "../components/fields.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { TextField } from "../components/text-field.tsx"
import type { Price } from "../hub/queries.ts"
import { catalogText } from "../text/catalog.ts"
import styles from "./price-field.module.css"

/** A price in its form: the amount may be missing. */
export type PriceDraft =
  | { readonly type: "fixed"; readonly cents?: number }
  | Extract<Price, { readonly type: "quoted" }>

/** The price of a shipped model call, which a workspace may replace by another type. */
export type TokensPrice = Extract<Price, { readonly type: "tokens" }>

/** The price of a declared operation. */
export type DeclaredPrice = Exclude<Price, TokensPrice>

export const isPrice = (draft: PriceDraft): draft is DeclaredPrice =>
  draft.type === "quoted" ? draft.ceiling.trim() !== "" : draft.cents !== undefined

export interface PriceFieldProps {
  readonly value: PriceDraft | TokensPrice
  readonly onChange: (price: PriceDraft) => void
  /** The error at `cents`, `ceiling`, `estimate`, or `actual`. */
  readonly problem: (name: string) => ReactNode
}

const without = <T extends object, K extends keyof T>(from: T, name: K): Omit<T, K> => {
  const { [name]: _, ...rest } = from
  return rest
}

export const PriceField = ({ onChange, problem, value }: PriceFieldProps) => {
  const t = catalogText.priceField
  const optional = catalogText.editor.optional
  const set = (name: "estimate" | "actual", text: string) => {
    if (value.type === "quoted") {
      onChange(text === "" ? (without(value, name) as PriceDraft) : { ...value, [name]: text })
    }
  }
  return (
    <div className="grid gap-12">
      <RadioGroup
        label={t.type}
        inline
        value={value.type}
        onChange={(type) => {
          if (type !== value.type && type !== "tokens") {
            onChange(
              type === "fixed"
                ? { type }
                : { type, ceiling: value.type === "fixed" && value.cents !== undefined ? String(value.cents) : "" }
            )
          }
        }}
        options={[
          { value: "fixed", text: t.fixed, description: t.fixedAbout },
          { value: "quoted", text: t.quoted, description: t.quotedAbout },
          ...value.type === "tokens" ? [{ value: "tokens" as const, text: t.tokens, description: t.tokensAbout }] : []
        ]}
      />
      {value.type === "fixed"
        ? (
          <div className={styles.amount}>
            <MoneyField
              label={t.amountLabel}
              value={value.cents}
              onChange={(cents) => onChange(cents === undefined ? { type: "fixed" } : { type: "fixed", cents })}
              invalidText={t.invalid}
              error={problem("cents")}
            />
          </div>
        )
        : value.type === "quoted" && (
          <div className={`grid items-start gap-12 gap-x-16 ${styles.quoted}`}>
            <TextField
              label={t.ceiling}
              description={t.ceilingAbout}
              mono
              value={value.ceiling}
              onChange={(ceiling) => onChange({ ...value, ceiling })}
              error={problem("ceiling")}
            />
            <TextField
              label={t.actual}
              aside={optional}
              description={t.actualAbout}
              mono
              value={value.actual ?? ""}
              onChange={(text) => set("actual", text)}
              error={problem("actual")}
            />
            <TextField
              label={t.estimate}
              aside={optional}
              mono
              value={value.estimate ?? ""}
              onChange={(text) => set("estimate", text)}
              error={problem("estimate")}
            />
          </div>
        )}
    </div>
  )
}

/** The amount filter: its chip and its editor. */
import { useState } from "react"
import { isReadable } from "../app/field-problem.ts"
import { Button } from "../components/button.tsx"
import { MoneyField } from "../components/fields.tsx"
import type { Filter } from "../patterns/filter-bar.tsx"
import { listingText } from "../text/listing.ts"
import { type AmountRange, amountText } from "./amount.ts"
import styles from "./listing.module.css"

const AmountEditor = (
  { onApply, value }: { readonly value: AmountRange; readonly onApply: (range: AmountRange) => void }
) => {
  const t = listingText
  const [min, setMin] = useState(value.min_cents)
  const [max, setMax] = useState(value.max_cents)
  const wrong = min !== undefined && max !== undefined && min > max
  return (
    <form
      className={`grid gap-12 max-w-full ${styles.period}`}
      onSubmit={(event) => {
        event.preventDefault()
        // The field reports an invalid amount.
        if (!wrong && isReadable(event.currentTarget)) onApply({ min_cents: min, max_cents: max })
      }}
    >
      <div className={`grid gap-8 ${styles.days}`}>
        <MoneyField label={t.amount.min} value={min} onChange={setMin} invalidText={t.amount.invalid} />
        <MoneyField
          label={t.amount.max}
          value={max}
          onChange={setMax}
          invalidText={t.amount.invalid}
          error={wrong ? t.amount.wrong : undefined}
        />
      </div>
      <Button type="submit" variant="primary" disabled={wrong}>{t.apply}</Button>
    </form>
  )
}

/** The search parameters of the chip. */
export const amountMembers = { amount: ["min_cents", "max_cents"] } as const

export const amountFilter = (
  t: typeof listingText,
  range: AmountRange,
  change: (changes: Readonly<Record<string, unknown>>) => void
): Filter => ({
  id: "amount",
  name: t.amount.name,
  value: amountText(t.amount, range),
  editor: (close) => (
    <AmountEditor
      value={range}
      onApply={(next) => {
        change({ ...next })
        close()
      }}
    />
  )
})

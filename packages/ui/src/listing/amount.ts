/** A range of amounts in an address: `min_cents` and `max_cents`, both inclusive. */
import { formatMoney } from "../components/money-text.ts"

export interface AmountRange {
  readonly min_cents?: number | undefined
  readonly max_cents?: number | undefined
}

export const inRange = (cents: number, { max_cents, min_cents }: AmountRange): boolean =>
  (min_cents === undefined || cents >= min_cents) && (max_cents === undefined || cents <= max_cents)

export interface AmountText {
  readonly atLeast: (sum: string) => string
  readonly atMost: (sum: string) => string
  readonly between: (least: string, most: string) => string
}

export const amountText = (t: AmountText, { max_cents, min_cents }: AmountRange): string | undefined =>
  min_cents === undefined
    ? max_cents === undefined ? undefined : t.atMost(formatMoney(max_cents))
    : max_cents === undefined
    ? t.atLeast(formatMoney(min_cents))
    : t.between(formatMoney(min_cents), formatMoney(max_cents))

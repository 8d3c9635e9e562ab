/** An amount: tabular figures, with the symbol a little lighter than the digits. */
import { classNames } from "../components/class-names.ts"
import { moneyParts } from "../components/money-text.ts"
import styles from "./money.module.css"

export interface MoneyProps {
  /** Cents; fractions only for unit prices, shown as `< $0.01`. */
  readonly cents: number
  /** Adds `+` to positive amounts. */
  readonly signed?: boolean | undefined
  /** 13/20 in a row, 15/600 in the inbox, 34/600 as the amount of a decision. */
  readonly size?: "row" | "lead" | "amount" | undefined
  /** Aligned to the end of its column. */
  readonly end?: boolean | undefined
}

export const Money = ({ cents, signed, size = "row", end = false }: MoneyProps) => {
  const { sign, symbol, digits } = moneyParts(cents, signed)
  return (
    <span className={classNames(styles.money, styles[size], end && styles.end)}>
      {sign}
      <span className="text-2">{symbol}</span>
      {digits}
    </span>
  )
}

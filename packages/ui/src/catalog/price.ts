/** A price as text. Pure; the caller passes the texts. */
import { formatMoney } from "../components/money-text.ts"
import type { Price } from "../hub/queries.ts"
import type { catalogText } from "../text/catalog.ts"

type Words = typeof catalogText.price

/** The cents of an expression that is a plain number, rounded up as in the hub. */
export const plainCents = (expression: string): number | undefined =>
  /^\s*\d{1,12}(?:\.\d{1,6})?\s*$/u.test(expression) ? Math.ceil(Number(expression)) : undefined

/** A short text: the price of one call. */
export const priceWords = (t: Words, price: Price): string => {
  if (price.type === "fixed") return price.cents === 0 ? t.free : t.fixed(formatMoney(price.cents))
  if (price.type === "tokens") return t.tokens
  const cents = plainCents(price.ceiling)
  if (cents === undefined) return t.quoted
  return price.actual === undefined ? t.fixed(formatMoney(cents)) : t.upTo(formatMoney(cents))
}

/** The price of a service with several operations. */
export const pricesWords = (t: Words, operations: ReadonlyArray<{ readonly price: Price }>): string => {
  const texts = [...new Set(operations.map(({ price }) => priceWords(t, price)))]
  if (texts.length === 1) return texts[0] ?? ""
  if (operations.every(({ price }) => price.type === "fixed")) {
    const cents = operations.map(({ price }) => price.type === "fixed" ? price.cents : 0)
    return t.range(formatMoney(Math.min(...cents)), formatMoney(Math.max(...cents)))
  }
  return t.varies
}

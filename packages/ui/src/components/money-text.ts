/** Formats and parses cents in US dollars. Design brief 6: cents always, `−` (U+2212) for negative amounts. */

/** The largest amount of one transfer, price, or cap: `amountCentsMax` of the contract; a test compares both. */
export const amountCentsMax = 100_000_000_000

const minus = "\u2212"
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 })

export interface MoneyParts {
  /** `−`, `+`, `< `, or empty. */
  readonly sign: string
  readonly symbol: string
  readonly digits: string
}

/** `signed` adds `+` to positive amounts. An amount between 0 and one cent is shown as `< $0.01`, never as zero. */
export const moneyParts = (cents: number, signed = false): MoneyParts => {
  const size = Math.abs(cents)
  const negative = cents < 0
  if (size > 0 && size < 1) return { sign: negative ? `${minus}< ` : "< ", symbol: "$", digits: "0.01" }
  const rounded = Math.round(size)
  const digits = `${whole.format(Math.floor(rounded / 100))}.${String(rounded % 100).padStart(2, "0")}`
  return { sign: negative ? minus : signed && rounded > 0 ? "+" : "", symbol: "$", digits }
}

export const formatMoney = (cents: number, signed = false): string => {
  const { sign, symbol, digits } = moneyParts(cents, signed)
  return sign + symbol + digits
}

/** The amount as a person types it: no symbol, no separators. */
export const plainMoney = (cents: number): string =>
  `${cents < 0 ? "-" : ""}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, "0")}`

const typed = /^\$?\s*(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d{0,2}))?$/

/** The amount of typed text, over the limit or not. */
const parseAmount = (text: string): number | "empty" | "invalid" => {
  const trimmed = text.trim()
  if (trimmed === "" || trimmed === "$") return "empty"
  const match = typed.exec(trimmed)
  if (match === null || (match[1] === undefined && !match[2])) return "invalid"
  return Number((match[1] ?? "0").replaceAll(",", "")) * 100 + Number((match[2] ?? "").padEnd(2, "0"))
}

const isOver = (parsed: number | "empty" | "invalid"): boolean => typeof parsed === "number" && parsed > amountCentsMax

/** Cents of typed text; `"invalid"` if it is not an amount, has fractions of a cent, or exceeds the limit. */
export const parseMoney = (text: string): number | "empty" | "invalid" => {
  const parsed = parseAmount(text)
  return isOver(parsed) ? "invalid" : parsed
}

/** Whether typed text is an amount over the limit. */
export const exceedsMoney = (text: string): boolean => isOver(parseAmount(text))

/** Recognizes amounts of money in a payload. Pure. */

/** True for a whole number whose schema says `format: "cents"` or whose field name ends in `_cents`. */
export const isCentsField = (name: string, format: unknown, value: unknown): value is number =>
  Number.isSafeInteger(value) && (name.endsWith("_cents") || format === "cents")

/** Which field of a payload is an amount of money. Pure. */

/** The schema says `format: "cents"`, or the field's name ends in `_cents`; and the value is a whole number. */
export const isCentsField = (name: string, format: unknown, value: unknown): value is number =>
  Number.isSafeInteger(value) && (name.endsWith("_cents") || format === "cents")

/** The hub's mask: it replaces the value of a `writeOnly` field. Spec: reference/approvals.md "Masked fields". */

export const maskedValue = { $masked: true } as const

export const isMask = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 1 &&
  Object.hasOwn(value, "$masked") && "$masked" in value && value.$masked === true

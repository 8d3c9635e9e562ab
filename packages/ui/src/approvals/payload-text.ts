/** A payload as editable text. Pure. */

export type Payload = Readonly<Record<string, unknown>>

export const writtenPayload = (payload: Payload | undefined): string => JSON.stringify(payload ?? {}, null, 2)

export type ReadPayload =
  | { readonly payload: Payload }
  | { readonly problem: "not_json"; readonly message: string }
  | { readonly problem: "not_object" }

export const readPayload = (text: string): ReadPayload => {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    return isObject ? { payload: value as Payload } : { problem: "not_object" }
  } catch (error) {
    return { problem: "not_json", message: error instanceof Error ? error.message : "" }
  }
}

/** A JSON number; undefined for any other text. */
export const readNumber = (text: string): number | undefined => {
  const number = /^\s*-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$/u.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

/** Values of a parsed document, whose types are unknown. */

export type JsonObject = { readonly [name: string]: unknown }
/** An object that is being built. */
export type MutableObject = Record<string, unknown>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const array = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

export const textOf = <A extends object>(
  value: unknown,
  max: number,
  make: (text: string) => A
): A | Record<never, never> =>
  typeof value === "string" && value.trim() !== "" ? make(value.slice(0, max).toWellFormed().replaceAll("\0", "")) : {}

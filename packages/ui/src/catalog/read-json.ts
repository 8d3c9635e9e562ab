/** JSON that a person types. Empty text is valid and has no value. */
export type ReadJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string }

export const readJson = (text: string): ReadJson => {
  if (text.trim() === "") return { ok: true, value: undefined }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : "" }
  }
}

export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

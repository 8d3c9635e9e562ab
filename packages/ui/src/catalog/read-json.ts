import type { Json } from "@countersign/domain/json"

/** JSON that a person types. Empty text is valid and has no value. */
export type ReadJson =
  | { readonly ok: true; readonly value: Json | undefined }
  | { readonly ok: false; readonly message: string }

export const readJson = (text: string): ReadJson => {
  if (text.trim() === "") return { ok: true, value: undefined }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : "" }
  }
}

export const isJsonObject = (value: unknown): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

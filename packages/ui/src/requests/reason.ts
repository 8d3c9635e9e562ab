import type { requestsText } from "../text/requests.ts"

type Reasons = typeof requestsText.reasons

/** Why a request is where it is, in two or three words; a code that this console does not know stands as it is. */
export const reasonOf = (t: { readonly reasons: Reasons }, { reason_code, result, status }: { readonly reason_code?: string; readonly result?: unknown; readonly status: string }): string => {
  const code = reason_code ?? (status === "failed" ? failureOf(result) : undefined)
  return code === undefined ? "" : (t.reasons as Readonly<Record<string, string>>)[code] ?? code
}

/** `code` of a failed request's result. */
export const failureOf = (result: unknown): string | undefined => {
  const code = typeof result === "object" && result !== null ? (result as { readonly code?: unknown }).code : undefined
  return typeof code === "string" ? code : undefined
}

/** `detail` of a failed request's result. */
export const detailOf = (result: unknown): string | undefined => {
  const detail = typeof result === "object" && result !== null ? (result as { readonly detail?: unknown }).detail : undefined
  return typeof detail === "string" ? detail : undefined
}

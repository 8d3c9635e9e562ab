import type { requestsText } from "../text/requests.ts"

type Reasons = typeof requestsText.reasons

/** Why a request is where it is, in two or three words; a code that this console does not know stands as it is. */
export const reasonOf = (t: { readonly reasons: Reasons }, request: {
  readonly block?: { readonly limit: string }
  readonly reason_code?: string
  readonly result?: unknown
  readonly status: string
  readonly waiting_for?: { readonly kind: string }
}): string => {
  const { block } = request
  if (isUnknown(request)) return t.reasons.unknown_fate
  const code = isRefusal({ block }) ? "provider_refused" : codeOf(request)
  return code === undefined ? "" : (t.reasons as Readonly<Record<string, string>>)[code] ?? code
}

/** The code by which the hub finds requests like this one. */
export const codeOf = ({ reason_code, result, status }: {
  readonly reason_code?: string
  readonly result?: unknown
  readonly status: string
}): string | undefined => reason_code ?? (status === "failed" ? failureOf(result) : undefined)

/** Words of states that no request carries as its code. */
const shownOnly: ReadonlySet<string> = new Set(["provider_refused", "async", "unknown_fate"])

/** What the filter of the reason offers. */
export const reasonChoices = (
  { reasons }: { readonly reasons: Reasons }
): ReadonlyArray<{ readonly value: string; readonly text: string }> =>
  Object.entries(reasons).filter(([code]) => !shownOnly.has(code)).map(([value, text]) => ({ value, text }))

/** Whether the provider may or may not have acted: held for a settlement, or failed with `fate: "unknown"`. */
export const isUnknown = ({ result, status, waiting_for }: {
  readonly result?: unknown
  readonly status: string
  readonly waiting_for?: { readonly kind: string }
}): boolean =>
  status === "running"
    ? waiting_for?.kind === "settlement"
    : status === "failed" && typeof result === "object" && result !== null &&
      (result as { readonly fate?: unknown }).fate === "unknown"

/** The provider refused the request by its own rules. */
export const isRefusal = ({ block }: { readonly block?: { readonly limit: string } | undefined }): boolean =>
  block?.limit === "provider"

/** `code` of a failed request's result. */
export const failureOf = (result: unknown): string | undefined => {
  const code = typeof result === "object" && result !== null ? (result as { readonly code?: unknown }).code : undefined
  return typeof code === "string" ? code : undefined
}

/** `detail` of a failed request's result. */
export const detailOf = (result: unknown): string | undefined => {
  const detail = typeof result === "object" && result !== null
    ? (result as { readonly detail?: unknown }).detail
    : undefined
  return typeof detail === "string" ? detail : undefined
}

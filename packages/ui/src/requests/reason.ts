import type { requestsText } from "../text/requests.ts"

type Reasons = typeof requestsText.reasons

/** The reason for a request's status in two or three words; an unknown code is shown as it is. */
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

/** The code by which the hub finds similar requests. */
export const codeOf = ({ reason_code, result, status }: {
  readonly reason_code?: string
  readonly result?: unknown
  readonly status: string
}): string | undefined => reason_code ?? (status === "failed" ? failureOf(result) : undefined)

/** Texts of states that are no request's code. */
const shownOnly: ReadonlySet<string> = new Set(["provider_refused", "async", "unknown_fate"])

/** The choices of the reason filter. */
export const reasonChoices = (
  { reasons }: { readonly reasons: Reasons }
): ReadonlyArray<{ readonly value: string; readonly text: string }> =>
  Object.entries(reasons).filter(([code]) => !shownOnly.has(code)).map(([value, text]) => ({ value, text }))

/** Whether the outcome at the provider is unknown: held for a settlement, or failed with `fate: "unknown"`. */
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

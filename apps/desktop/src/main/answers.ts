/** Errors as plain facts: an `Error` loses its fields on the way to a window. */
import { HubError, type HubErrorFacts, isHubError } from "@countersign/ui/hub/error"
import type { Answer } from "../bridge/contract.ts"

export const factsOf = (error: unknown): HubErrorFacts => {
  // A defect tells a page nothing.
  if (!isHubError(error)) return { status: 0, code: "internal_error", message: "The app could not do this." }
  const { code, data, details, message, requestId, retryAfterMillis, status } = error
  return {
    status,
    code,
    message,
    details,
    data,
    ...requestId === undefined ? {} : { requestId },
    ...retryAfterMillis === undefined ? {} : { retryAfterMillis }
  }
}

/** Arguments that their schema refuses; nothing was asked of the hub. */
export const unfit = (details: HubErrorFacts["details"]): HubErrorFacts => ({
  status: 400,
  code: "invalid_request",
  message: "The request does not fit what this endpoint takes.",
  details
})
/** For a person; nothing was done. */
export const refusal = (code: string, message: string, details: HubErrorFacts["details"] = []): HubError =>
  new HubError({ status: 400, code, message, details })
/** Of a page that was loaded for one hub while another is the current one: its words, a password among them, are for none but its own. */
export const stalePage = (): HubError =>
  new HubError({
    status: 409,
    code: "stale_page",
    message: "This page is of another hub than the one that is open now. Load it again."
  })
export const noHub = (): HubError => new HubError({ status: 0, code: "no_hub", message: "No hub is chosen." })
export const failed = (error: HubErrorFacts): Answer<never> => ({ ok: false, error })

/** Converts errors to plain data, since an `Error` loses its fields on the way to a window. */
import { HubError, type HubErrorFacts, isHubError } from "@countersign/hub-client/error"
import type { Answer } from "../../bridge/answer.ts"

export const factsOf = (error: unknown): HubErrorFacts => {
  // A defect's details are not shown to a page.
  if (!isHubError(error)) return { status: 0, code: "internal_error", message: "The app couldn't do this." }
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

/** The schema rejects the arguments; nothing was sent to the hub. */
export const invalidRequest = (details: HubErrorFacts["details"]): HubErrorFacts => ({
  status: 400,
  code: "invalid_request",
  message: "The request does not fit what this endpoint takes.",
  details
})
/** An error to show to a person; nothing was changed. */
export const refusal = (code: string, message: string, details: HubErrorFacts["details"] = []): HubError =>
  new HubError({ status: 400, code, message, details })
/**
 * The page was loaded for a hub that is no longer the current one. Its input, which may include a password, must not
 * reach another hub.
 */
export const stalePage = (): HubError =>
  new HubError({
    status: 409,
    code: "stale_page",
    message: "This page is of another hub than the one that is open now. Load it again."
  })
export const noHub = (): HubError => new HubError({ status: 0, code: "no_hub", message: "No hub is selected." })
export const failed = (error: HubErrorFacts): Answer<never> => ({ ok: false, error })

/** Maps an error to a message with the next action. The hub's message is used if its code adds nothing to it. */
import { isHubError } from "@countersign/hub-client/error"
import type { errorText } from "../text/errors.ts"

/** A chunk from another build: the hub was updated while the page was open. */
export const isMissingFile = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|module script|error loading/iu.test(error.message)

export const errorWords = (t: typeof errorText, error: unknown): string => {
  if (isMissingFile(error)) return t.outdated
  if (!isHubError(error)) return t.crashed
  if (error.code === "timeout") return t.timeout
  if (error.code === "not_connected") return t.notConnected
  if (error.code === "hub_failing") return t.hubFailing
  if (error.status === 0) return t.network
  if (error.code === "unreadable_answer") return t.notHub
  if (error.code === "forbidden") return error.permission === undefined ? error.message : t.forbidden(error.permission)
  if (error.status === 429 && error.retryAfterMillis !== undefined) {
    return t.rateLimited(Math.ceil(error.retryAfterMillis / 1_000))
  }
  return error.message
}

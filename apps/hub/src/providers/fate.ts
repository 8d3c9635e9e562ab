/**
 * From what happened on the wire to what dispatch does with the money. Spec: contract 2 "Unknown fate", "A provider's 4xx or
 * 5xx".
 */
import { type AdapterOutcome, failed, unknownFate } from "./adapter.ts"
import type { Reading } from "./answer.ts"
import type { EgressError } from "./egress.ts"

/**
 * A call without a full answer. Nothing sent, or an answer that had begun with an error status: not done. Anything else that
 * left the hub has an unknown fate.
 */
export const fateOf = (error: EgressError): AdapterOutcome => {
  switch (error._tag) {
    case "EgressRefused":
      return failed(`The call was not made: ${error.message}`)
    case "ResponseTooLarge":
      return unknownFate(`${error.message}.`)
    case "UpstreamUnreachable":
    case "UpstreamTimeout":
      if (error.status !== undefined && error.status >= 400) {
        return failed(`The provider answered ${error.status}, its text cut short (${error.message}).`, error.status)
      }
      return error.sent
        ? unknownFate(`the request was sent and no full answer came (${error.message}).`)
        : failed(`The provider could not be reached: ${error.message}. Nothing was sent.`)
  }
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** An answer whose status is no success: not done. The reading is free of secrets. */
export const refusalOf = (status: number, reading: Reading): AdapterOutcome => {
  if (status < 400) return failed(`The provider answered with a redirect (${status}), which is not followed.`, status)
  const text = reading.text.trim()
  return failed(text === "" ? `The provider answered ${status}.` : `The provider answered ${status}: ${text}`, status)
}

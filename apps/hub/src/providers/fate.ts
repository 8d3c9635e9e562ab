/**
 * Maps the result of a call to the outcome that dispatch settles. Spec: reference/requests.md "Execution", "Unknown
 * outcomes".
 */
import { asSentence, capitalized } from "@countersign/domain/text"
import { type AdapterOutcome, failed, unknownFate } from "./adapter.ts"
import type { Reading } from "./answer.ts"
import type { EgressError } from "./egress-errors.ts"
import type { EgressAnswer } from "./egress.ts"

/**
 * A call without a full answer: not done if nothing was sent, otherwise its outcome is unknown, whatever status its
 * answer began with.
 */
export const fateOf = (error: EgressError): AdapterOutcome => {
  switch (error._tag) {
    case "EgressRefused":
      return error.redirect === undefined
        ? failed(`The call was not made: ${error.message}`)
        : notFollowed(error.redirect, `which the hub does not follow. ${sentence(error.message)}`)
    case "ResponseTooLarge":
      return unknownFate(`${error.message}.`)
    case "UpstreamUnreachable":
    case "UpstreamTimeout":
      if (error.redirect !== undefined) {
        return notFollowed(error.redirect, `which could not be reached: ${error.message}.`)
      }
      return error.sent
        ? unknownFate(
          `the request was sent and no complete response arrived (${error.message}${
            error.status === undefined ? "" : `, after status ${error.status}`
          }).`
        )
        : failed(`The provider could not be reached: ${error.message}. Nothing was sent.`)
  }
}

/** The provider received the request and answered it with a redirect. */
const notFollowed = ({ status, to }: { readonly status: number; readonly to: string }, why: string) =>
  failed(`The provider answered with a redirect to ${to}, ${why}`, status)

const sentence = (text: string): string => asSentence(capitalized(text))

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

const retryAfterSecondsMax = 30 * 86_400

/** Seconds of a `Retry-After` header, which is a number of seconds or a date (RFC 9110, 10.2.3). */
export const retryAfterSeconds = (header: string | undefined, now = Date.now()): number | undefined => {
  const text = header?.trim() ?? ""
  const seconds = /^\d{1,9}$/.test(text)
    ? Number(text)
    : /^[A-Za-z]{3}/.test(text)
    ? Math.ceil((Date.parse(text) - now) / 1_000)
    : Number.NaN
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), retryAfterSecondsMax)
}

/** A full answer with an error status: not done. The reading contains no secrets. */
export const refusalOf = (
  { headers, status }: Pick<EgressAnswer, "headers" | "status">,
  reading: Reading
): AdapterOutcome => {
  if (status < 400) return failed(`The provider answered with a redirect (${status}), which is not followed.`, status)
  const text = reading.text.trim()
  const after = retryAfterSeconds(headers["retry-after"])
  return {
    ...failed(text === "" ? `The provider answered ${status}.` : `The provider answered ${status}: ${text}`, status),
    ...after === undefined ? {} : { retryAfterSeconds: after }
  }
}

/**
 * Which calls are sent again, and after which pause: the one table of every client. Spec: reference/clients.md
 * "Retries".
 */

/** Tries after the first. */
export const retriesDefault = 2
export const retriesMax = 10
export const backoffBaseMillis = 500
export const backoffCapMillis = 8_000

const transientStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** A call without an answer is transient too. */
export const isTransientStatus = (status: number): boolean => transientStatuses.has(status)

/** Idempotent methods (RFC 9110, 9.2.2). */
const repeatable: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])

/** A POST or PATCH is sent again only with an idempotency key. */
export const mayRepeat = (method: string, hasKey: boolean): boolean => hasKey || repeatable.has(method)

/**
 * Exponential backoff with full jitter: 0 to 500 ms × 2^attempt, 8 s at most. Attempts count from 0, `random` in [0,
 * 1).
 */
export const backoffMillis = (attempt: number, random: number): number =>
  Math.floor(random * Math.min(backoffCapMillis, backoffBaseMillis * 2 ** attempt))

/**
 * The wait of a `Retry-After`: whole seconds, or an HTTP date. A date is counted from the answer's own `Date` if
 * present, so that a wrong local clock does not matter. Undefined for anything else.
 */
export const parseRetryAfter = (
  value: string | undefined,
  date: string | undefined,
  nowMillis: number
): number | undefined => {
  const text = value?.trim() ?? ""
  if (/^\d{1,10}$/u.test(text)) return Number(text) * 1000
  const until = dateMillis(text)
  return until === undefined ? undefined : Math.max(0, until - (dateMillis(date ?? "") ?? nowMillis))
}

/**
 * Both forms of RFC 9110, 5.6.7 begin with the day's name; `Date.parse` alone would accept many texts that are not
 * dates.
 */
const dateMillis = (text: string): number | undefined => {
  const millis = /^[A-Z][a-z]{2}/u.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(millis) ? undefined : millis
}

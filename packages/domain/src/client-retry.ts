/** The retry rules: which errors, after which pause, and how often. Spec: reference/clients.md "Retries". */
import { Effect, Random } from "effect"
import type { ClientError } from "./client-errors.ts"

/** Tries after the first. */
export const retriesDefault = 2
export const retriesMax = 10
export const backoffBaseMillis = 500
export const backoffCapMillis = 8_000
/** A longer `Retry-After` is not waited out: the 429 is raised at once and carries it. */
export const retryAfterMillisMax = 300_000

const transientStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Network errors, 429, 502, 503, 504. */
export const isTransient = (error: ClientError): boolean =>
  error._tag === "NetworkError" ||
  ((error._tag === "StatusError" || error._tag === "RateLimitError") && transientStatuses.has(error.status ?? 0))

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

/** The pause before the next try; undefined when the answer requires a longer one than `retryAfterMillisMax`. */
const pauseMillis = (error: ClientError, attempt: number, random: number): number | undefined => {
  if (error._tag !== "RateLimitError" || error.retry_after_millis === undefined) return backoffMillis(attempt, random)
  return error.retry_after_millis <= retryAfterMillisMax ? error.retry_after_millis : undefined
}

/** Runs `attempt` again, at most `retries` times, while it fails with a transient error. The last error is raised. */
export const retrying = <A, R>(
  attempt: Effect.Effect<A, ClientError, R>,
  retries: number
): Effect.Effect<A, ClientError, R> => {
  const from = (count: number): Effect.Effect<A, ClientError, R> =>
    count >= retries ? attempt : Effect.catch(attempt, (error) =>
      isTransient(error)
        ? Effect.flatMap(Random.next, (random) => {
          const pause = pauseMillis(error, count, random)
          return pause === undefined ? Effect.fail(error) : Effect.andThen(Effect.sleep(pause), from(count + 1))
        })
        : Effect.fail(error))
  return from(0)
}

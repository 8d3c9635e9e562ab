/**
 * Retries of calls. Spec: reference/clients.md "Retries". The domain's implementation is an Effect; this is the same
 * table.
 */

/** Attempts after the first one. */
export const retriesDefault = 2
export const backoffBaseMillis = 500
export const backoffCapMillis = 8_000
/** With a `Retry-After` beyond this the call fails; the error carries the value. */
export const retryAfterMillisMax = 30_000

const transient: ReadonlySet<number> = new Set([0, 429, 502, 503, 504])
const repeatable: ReadonlySet<string> = new Set(["GET", "PUT", "DELETE"])

/** Network errors (status 0), 429, 502, 503, 504. */
export const isTransient = (status: number): boolean => transient.has(status)

/** A POST or PATCH is repeated only with an idempotency key. */
export const mayRepeat = (method: string, hasKey: boolean): boolean => hasKey || repeatable.has(method)

/** Full jitter: from 0 to 500 ms × 2^attempt, 8 s at most. Attempts count from 0, `random` is in [0, 1). */
export const backoffMillis = (attempt: number, random: number): number =>
  Math.floor(random * Math.min(backoffCapMillis, backoffBaseMillis * 2 ** Math.min(attempt, 16)))

/** The hub sends whole seconds. */
export const readRetryAfter = (value: string | null): number | undefined =>
  value !== null && /^\d{1,9}$/u.test(value.trim()) ? Number(value.trim()) * 1_000 : undefined

/** The pause before the next attempt; undefined if the hub requests a longer one than a person should wait. */
export const pauseMillis = (
  attempt: number,
  random: number,
  retryAfterMillis: number | undefined
): number | undefined =>
  retryAfterMillis === undefined
    ? backoffMillis(attempt, random)
    : retryAfterMillis <= retryAfterMillisMax
    ? retryAfterMillis
    : undefined

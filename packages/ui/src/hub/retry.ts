/** What is tried again, and when. Spec: service.md "Recommended client behavior". The domain's own is an Effect; this is the same table. */

/** Tries after the first. */
export const retriesDefault = 2
export const backoffBaseMillis = 500
export const backoffCapMillis = 8_000
/** A `Retry-After` beyond this is not sat through: the error is shown and carries it. */
export const retryAfterMillisMax = 30_000

const transient: ReadonlySet<number> = new Set([0, 429, 502, 503, 504])
const repeatable: ReadonlySet<string> = new Set(["GET", "PUT", "DELETE"])

/** Network errors (status 0), 429, 502, 503, 504. */
export const isTransient = (status: number): boolean => transient.has(status)

/** A POST or PATCH is sent again only under an idempotency key. */
export const mayRepeat = (method: string, hasKey: boolean): boolean => hasKey || repeatable.has(method)

/** Full jitter: anything from 0 to 500 ms × 2^attempt, 8 s at most. Attempts count from 0, `random` in [0, 1). */
export const backoffMillis = (attempt: number, random: number): number =>
  Math.floor(random * Math.min(backoffCapMillis, backoffBaseMillis * 2 ** Math.min(attempt, 16)))

/** The hub says whole seconds. */
export const readRetryAfter = (value: string | null): number | undefined =>
  value !== null && /^\d{1,9}$/u.test(value.trim()) ? Number(value.trim()) * 1_000 : undefined

/** The pause before the next try; undefined where the hub asks for a longer one than a person should sit through. */
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

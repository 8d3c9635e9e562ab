/** The pause before a call is sent again while a person waits. Spec: reference/clients.md "Retries". */
import { backoffMillis } from "@countersign/domain/retry-rules"

/** With a `Retry-After` beyond this the call fails; the error carries the value. */
export const retryAfterMillisMax = 30_000

/** Undefined if the hub requests a longer pause than a person should wait. */
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

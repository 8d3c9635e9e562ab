/**
 * The pause before the next attempt to reach a lost hub: 0.5 s × 2ⁿ with full jitter up to 8 s, without a limit of
 * attempts; 30 s to 5 min after status 429. Spec: reference/desktop.md "Reconnects".
 */
import { backoffMillis } from "@countersign/domain/retry-rules"

const limitedMillisMin = 30_000
const limitedMillisMax = 300_000

export interface Failure {
  /** HTTP status; 0 without an answer. */
  readonly status: number
  /** The hub's `Retry-After`. */
  readonly retryAfterMillis?: number | undefined
}

/** `failures` in a row, including this one; `random` in [0, 1). */
export const pauseMillis = ({ retryAfterMillis = 0, status }: Failure, failures: number, random: number): number => {
  const attempt = Math.max(0, Math.min(failures, 20) - 1)
  if (status !== 429) return backoffMillis(attempt, random)
  const base = Math.min(limitedMillisMax, Math.max(limitedMillisMin * 2 ** attempt, retryAfterMillis))
  // Not earlier than `Retry-After`, up to the maximum.
  return Math.max(limitedMillisMin, Math.min(limitedMillisMax, retryAfterMillis), Math.round(base * (0.5 + random / 2)))
}

/**
 * When a hub that was lost is tried again: 0.5 s × 2ⁿ with full jitter up to 8 s, for ever; 30 s to 5 min where it said "too
 * many". Spec: desktop 4.2 "Reconnect of the console", 2 A "Retry by cause".
 */
import { backoffMillis } from "@countersign/ui/hub/retry"

const limitedMillisMin = 30_000
const limitedMillisMax = 300_000

export interface Failure {
  /** HTTP status; 0 when no answer came. */
  readonly status: number
  /** As the hub asked for. */
  readonly retryAfterMillis?: number | undefined
}

/** `failures` in a row, this one counted; `random` in [0, 1). */
export const pauseMillis = ({ retryAfterMillis = 0, status }: Failure, failures: number, random: number): number => {
  const attempt = Math.max(0, Math.min(failures, 20) - 1)
  if (status !== 429) return backoffMillis(attempt, random)
  const base = Math.min(limitedMillisMax, Math.max(limitedMillisMin * 2 ** attempt, retryAfterMillis))
  // Never sooner than the hub asked, up to the most.
  return Math.max(limitedMillisMin, Math.min(limitedMillisMax, retryAfterMillis), Math.round(base * (0.5 + random / 2)))
}

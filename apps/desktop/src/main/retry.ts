/**
 * When a hub that was lost is tried again: 0.5 s × 2ⁿ with full jitter up to 8 s, for ever; 30 s to 5 min where it said "too
 * many". Waking, a change of the network and "retry now" do not wait. Spec: desktop 4.2 "Reconnect of the console", 2 A "Retry by
 * cause".
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

export interface Pauses {
  /** Settles after so long, at a `wake`, or when the signal ends it. */
  readonly pause: (millis: number, signal?: AbortSignal) => Promise<void>
  /** Whoever waits goes on at once: the computer woke up, its network changed, a person said "retry now". */
  readonly wake: () => void
}

export const makePauses = (): Pauses => {
  const waiting = new Set<() => void>()
  return {
    pause: (millis, signal) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer)
          waiting.delete(done)
          signal?.removeEventListener("abort", done)
          resolve()
        }
        const timer = setTimeout(done, millis)
        waiting.add(done)
        if (signal?.aborted === true) done()
        else signal?.addEventListener("abort", done)
      }),
    wake: () => {
      for (const done of waiting) done()
    }
  }
}

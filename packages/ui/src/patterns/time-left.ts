/** The time until an expiry, in the one unit that a decision needs. */

export interface TimeLeft {
  readonly unit: "over" | "seconds" | "minutes" | "hours" | "days"
  /** Whole remaining units, at least 1; 0 after the expiry. */
  readonly count: number
  /** The last five minutes. */
  readonly urgent: boolean
}

const second_ms = 1000
const minute_ms = 60 * second_ms
const hour_ms = 60 * minute_ms
const urgent_ms = 5 * minute_ms

/** Rounded down, so that it never shows more time than remains: 119 s are "1 min", 59 s are "59 s", 47 h are "47 h". */
export const timeLeft = (left_ms: number): TimeLeft => {
  const urgent = left_ms <= urgent_ms
  if (left_ms <= 0) return { unit: "over", count: 0, urgent }
  if (left_ms < minute_ms) return { unit: "seconds", count: Math.max(1, Math.floor(left_ms / second_ms)), urgent }
  if (left_ms < hour_ms) return { unit: "minutes", count: Math.floor(left_ms / minute_ms), urgent }
  if (left_ms < 48 * hour_ms) return { unit: "hours", count: Math.floor(left_ms / hour_ms), urgent }
  return { unit: "days", count: Math.floor(left_ms / (24 * hour_ms)), urgent }
}

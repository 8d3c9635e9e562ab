/**
 * The hub's time: approvals expire by the hub's clock, not by this computer's. Each answer's `Date` has a precision of
 * one second; the fastest answer gives the best sample.
 */

/** Any newer sample replaces one older than this: computers sleep, and clocks are adjusted. */
const sampleLifeMillis = 600_000

export interface HubClock {
  /** Milliseconds since 1970 on the hub's clock. */
  readonly now: () => number
  /** The offset to this computer's clock, in milliseconds; positive if the hub is ahead. */
  readonly ahead: () => number
  /**
   * A sample from an answer: its `Date` header, and the times of the request and the answer on this computer's clock.
   */
  readonly observe: (date: string | null, askedAt: number, cameAt: number) => void
}

export const makeHubClock = (own: () => number = Date.now): HubClock => {
  let offset = 0
  let best = Number.POSITIVE_INFINITY
  let at = Number.NEGATIVE_INFINITY
  return {
    now: () => own() + offset,
    ahead: () => offset,
    observe: (date, askedAt, cameAt) => {
      const seconds = date === null ? Number.NaN : Date.parse(date)
      const took = cameAt - askedAt
      if (Number.isNaN(seconds) || took < 0) return
      if (took >= best && cameAt - at < sampleLifeMillis) return
      // The header omits milliseconds: half a second on average.
      const found = seconds + 500 - (askedAt + cameAt) / 2
      best = took
      at = cameAt
      // A difference within the header's precision is ignored, so that displayed times do not jitter.
      offset = Math.abs(found) <= 750 + took / 2 ? 0 : Math.round(found)
    }
  }
}

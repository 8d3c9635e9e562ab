/**
 * The hub's time: what is left of an approval is decided by the hub's clock, not by this computer's. Each answer's `Date` says it to
 * the second; the answer that took least time says it best.
 */

/** A sample older than this yields to any newer one: computers sleep and clocks are set. */
const sampleLifeMillis = 600_000

export interface HubClock {
  /** Milliseconds since 1970, as the hub counts them. */
  readonly now: () => number
  /** By how much it is ahead of this computer's, in milliseconds. */
  readonly ahead: () => number
  /** From an answer: its `Date` header, and when it was asked for and came, both of this computer's clock. */
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
      // The header leaves out the milliseconds: half a second in the mean.
      const found = seconds + 500 - (askedAt + cameAt) / 2
      best = took
      at = cameAt
      // A clock that is right to the header's second is left alone, so that times shown do not tremble.
      offset = Math.abs(found) <= 750 + took / 2 ? 0 : Math.round(found)
    }
  }
}

export const hubClock = makeHubClock()

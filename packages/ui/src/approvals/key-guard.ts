/**
 * Decides when single-key shortcuts may act: the open detail, with its digest, has been visible for half a second, and
 * nothing has changed without user action for a moment. A key press meant for the previous content thus does nothing.
 * Pure: the caller passes the time.
 */

/** How long the detail of this id and digest must be visible. */
export const dwellMillis = 500
/** The pause after a change without user action. */
export const settleMillis = 800

export interface KeyGuard {
  /** Reports the visible content; undefined if there is none or the page is hidden. */
  readonly show: (what: string | undefined, now: number) => void
  /** Reports a change without user action. */
  readonly change: (now: number) => void
  /** The time from which shortcuts act if nothing else changes; undefined while no content is visible. */
  readonly actsFrom: () => number | undefined
}

export const makeKeyGuard = (): KeyGuard => {
  let shown: { readonly what: string; readonly since: number } | undefined
  let changedAt = Number.NEGATIVE_INFINITY
  return {
    show: (what, now) => {
      if (what === shown?.what) return
      shown = what === undefined ? undefined : { what, since: now }
    },
    change: (now) => {
      changedAt = now
    },
    actsFrom: () => shown === undefined ? undefined : Math.max(shown.since + dwellMillis, changedAt + settleMillis)
  }
}

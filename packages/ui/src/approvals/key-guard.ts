/**
 * When single keys may decide: what is open has been on screen, with its digest, for half a second, and nothing has changed
 * by itself for
 * a while. So a key that was meant for what stood there before does nothing. Pure: the caller gives the time.
 */

/** The detail of this id, with this digest, was looked at for so long. */
export const dwellMillis = 500
/** After a change that the person did not make. */
export const settleMillis = 800

export interface KeyGuard {
  /** What is on screen now; undefined where nothing is, or nobody can see it. */
  readonly show: (what: string | undefined, now: number) => void
  /** Something changed that the person did not change. */
  readonly change: (now: number) => void
  /** When keys act, if nothing else happens; undefined: not before something is shown. */
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

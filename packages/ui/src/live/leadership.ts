/**
 * Elects the tab that holds the stream: the holder of one lock is the leader; the other tabs queue for the lock and
 * receive the leader's messages. A silent leader (a tab that the system froze) loses the lock to a tab that receives
 * nothing.
 */

/** The parts of `navigator.locks` that are used. */
export interface Locks {
  readonly request: (
    name: string,
    options: { readonly signal?: AbortSignal; readonly steal?: boolean },
    hold: () => Promise<void>
  ) => Promise<unknown>
}

/** A leader sends something at least every 15 s, as the hub does. */
export const leaderSilenceMillisMax = 60_000

export interface Leadership {
  /** Call it for each message from a leader. */
  readonly received: () => void
  readonly isLeader: () => boolean
  readonly stop: () => void
}

export interface LeadershipOptions {
  /** Undefined on pages loaded over plain http from another computer: each tab is then its own leader. */
  readonly locks: Locks | undefined
  readonly name: string
  /** Runs while this tab is the leader; the signal aborts when it no longer is. */
  readonly lead: (signal: AbortSignal) => Promise<void>
  readonly random?: () => number
}

export const startLeadership = ({ lead, locks, name, random = Math.random }: LeadershipOptions): Leadership => {
  const stopped = new AbortController()
  let leads = false
  let watch: ReturnType<typeof setTimeout> | undefined

  const hold = async (term: AbortController): Promise<void> => {
    if (stopped.signal.aborted) return
    leads = true
    clearTimeout(watch)
    try {
      await lead(AbortSignal.any([stopped.signal, term.signal]))
    } finally {
      leads = false
    }
  }

  const requestLock = async (steal: boolean): Promise<void> => {
    const term = new AbortController()
    if (locks === undefined) return hold(term)
    try {
      // A stolen lock rejects here while its holder is still running.
      await locks.request(name, steal ? { steal } : { signal: stopped.signal }, () => hold(term))
    } catch {
      term.abort(new DOMException("Another tab leads.", "AbortError"))
      leads = false
      if (!stopped.signal.aborted) {
        watchLeader()
        await requestLock(false)
      }
    }
  }

  const watchLeader = (): void => {
    clearTimeout(watch)
    if (leads || locks === undefined || stopped.signal.aborted) return
    // With jitter, so that the other tabs receive the first new leader's message before they steal too.
    watch = setTimeout(() => void requestLock(true), leaderSilenceMillisMax + random() * 10_000)
  }

  watchLeader()
  void requestLock(false)
  return {
    received: watchLeader,
    isLeader: () => leads,
    stop: () => {
      clearTimeout(watch)
      stopped.abort(new DOMException("No stream is wanted.", "AbortError"))
    }
  }
}

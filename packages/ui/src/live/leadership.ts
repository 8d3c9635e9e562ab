/**
 * Which tab holds the stream: one lock, one leader; the others wait for it and hear the leader. A leader that is not heard any more
 * (a tab that the system froze) loses the lock to one that hears nothing.
 */

/** What of `navigator.locks` is used. */
export interface Locks {
  readonly request: (
    name: string,
    options: { readonly signal?: AbortSignal; readonly steal?: boolean },
    hold: () => Promise<void>
  ) => Promise<unknown>
}

/** A leader says something at least every 15 s, as the hub does. */
export const leaderSilenceMillisMax = 60_000

export interface Leadership {
  /** Something was heard of a leader. */
  readonly heard: () => void
  readonly isLeader: () => boolean
  readonly stop: () => void
}

export interface LeadershipOptions {
  /** None in pages that came over plain http from another machine: then each tab leads itself. */
  readonly locks: Locks | undefined
  readonly name: string
  /** Runs while this tab leads; its signal ends when it does no more. */
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

  const stand = async (steal: boolean): Promise<void> => {
    const term = new AbortController()
    if (locks === undefined) return hold(term)
    try {
      // A stolen lock rejects here while its holder still runs.
      await locks.request(name, steal ? { steal } : { signal: stopped.signal }, () => hold(term))
    } catch {
      term.abort(new DOMException("Another tab leads.", "AbortError"))
      leads = false
      if (!stopped.signal.aborted) {
        listen()
        await stand(false)
      }
    }
  }

  const listen = (): void => {
    clearTimeout(watch)
    if (leads || locks === undefined || stopped.signal.aborted) return
    // Not all at once: the first that steals is heard by the rest.
    watch = setTimeout(() => void stand(true), leaderSilenceMillisMax + random() * 10_000)
  }

  listen()
  void stand(false)
  return {
    heard: listen,
    isLeader: () => leads,
    stop: () => {
      clearTimeout(watch)
      stopped.abort(new DOMException("No stream is wanted.", "AbortError"))
    }
  }
}

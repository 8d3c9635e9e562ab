/**
 * Callers that wait for a request to move: told at once when this hub settles it, found by one batched look when another does.
 */
const lookMillis = 200

export interface Waiters {
  /** Resolves true when the request moved, false when the time is over. */
  readonly wait: (org: string, id: string, millis: number) => Promise<boolean>
  /** This hub settled, parked or closed it. */
  readonly moved: (id: string) => void
  readonly stop: () => void
}

export const makeWaiters = (
  look: (asked: ReadonlyArray<{ readonly org: string; readonly id: string }>) => Promise<ReadonlySet<string>>
): Waiters => {
  const waiting = new Map<string, { readonly org: string; readonly listeners: Set<(moved: boolean) => void> }>()
  let timer: NodeJS.Timeout | undefined
  const moved = (id: string) => {
    const entry = waiting.get(id)
    if (entry === undefined) return
    waiting.delete(id)
    for (const listener of entry.listeners) listener(true)
  }
  const round = async () => {
    const asked = [...waiting].map(([id, { org }]) => ({ org, id }))
    if (asked.length > 0) {
      try {
        for (const id of await look(asked)) moved(id)
      } catch {
        // the database is away: the next round looks again
      }
    }
    timer = waiting.size > 0 ? setTimeout(round, lookMillis) : undefined
  }
  return {
    moved,
    stop: () => clearTimeout(timer),
    wait: (org, id, millis) =>
      new Promise((resolve) => {
        const entry = waiting.get(id) ?? { org, listeners: new Set<(moved: boolean) => void>() }
        waiting.set(id, entry)
        const finish = (result: boolean) => {
          clearTimeout(limit)
          entry.listeners.delete(finish)
          if (entry.listeners.size === 0 && waiting.get(id) === entry) waiting.delete(id)
          resolve(result)
        }
        const limit = setTimeout(() => finish(false), millis)
        entry.listeners.add(finish)
        timer ??= setTimeout(round, lookMillis)
      })
  }
}

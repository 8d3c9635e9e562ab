/**
 * Admits commands: one per directory and a limited number on the device, first come, first served within both limits.
 */

export interface Turns {
  /** Settles with a function that releases the turn; rejects when `stop` aborts first. */
  readonly take: (directory: string, most: number, stop: AbortSignal) => Promise<() => void>
}

interface Waiter {
  readonly directory: string
  readonly most: number
  readonly go: () => void
}

export const makeTurns = (): Turns => {
  const busy = new Set<string>()
  const waiting: Array<Waiter> = []
  let running = 0
  const serve = (): void => {
    for (let at = 0; at < waiting.length;) {
      const { directory, go, most } = waiting[at]!
      if (running < most && !busy.has(directory)) {
        waiting.splice(at, 1)
        running++
        busy.add(directory)
        go()
      } else at++
    }
  }
  return {
    take: (directory, most, stop) =>
      new Promise((resolve, reject) => {
        const waiter: Waiter = {
          directory,
          most,
          go: () => {
            let held = true
            resolve(() => {
              if (!held) return
              held = false
              running--
              busy.delete(directory)
              serve()
            })
          }
        }
        if (stop.aborted) return reject(stop.reason)
        stop.addEventListener("abort", () => {
          const at = waiting.indexOf(waiter)
          if (at < 0) return
          waiting.splice(at, 1)
          reject(stop.reason)
        }, { once: true })
        waiting.push(waiter)
        serve()
      })
  }
}

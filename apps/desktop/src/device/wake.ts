/** Moments at which the hub is better tried at once: the machine slept, or its network changed. Spec: desktop 4.3 "reconnect". */
import { networkInterfaces } from "node:os"

const lookMillis = 2_000
/** By so much the clock of the day ran ahead of this process's own, which stands still in sleep. */
const sleptMillis = 10_000
/** Addresses of containers come and go: no more often than this. */
const calmMillis = 10_000

/** Of this computer on its networks; empty where the system does not tell. */
export const networkAddresses = (): string => {
  try {
    return Object.values(networkInterfaces()).flatMap((list = []) =>
      list.filter(({ internal }) => !internal).map(({ address }) => address)
    ).sort().join(" ")
  } catch {
    // The system does not tell, as under some sandboxes.
    return ""
  }
}

export interface Wakes {
  /** Settles after so long, at a wake, or when the signal says so. */
  readonly pause: (millis: number, signal: AbortSignal) => Promise<void>
  readonly close: () => void
}

export interface WakeWatch extends Wakes {
  /** Somebody else noticed, as the desktop app does. */
  readonly wake: () => void
}

export interface WakesOptions {
  readonly onWake: (why: "slept" | "network" | "told") => void
  /** As this machine has them. */
  readonly network?: () => string
  readonly clock?: () => number
}

export const watchWakes = ({ clock = Date.now, network = networkAddresses, onWake }: WakesOptions): WakeWatch => {
  const pauses = new Set<() => void>()
  let ahead = clock() - performance.now()
  let known = network()
  let last = -Infinity
  const wake = (why: "slept" | "network" | "told"): void => {
    if (performance.now() - last < calmMillis) return
    last = performance.now()
    onWake(why)
    for (const end of pauses) end()
  }
  const timer = setInterval(() => {
    const now = clock() - performance.now()
    const slept = now - ahead > sleptMillis
    ahead = now
    const before = known
    known = network()
    if (slept) wake("slept")
    else if (known !== before) wake("network")
  }, lookMillis)
  timer.unref()
  return {
    pause: (millis, signal) =>
      new Promise((resolve) => {
        const end = () => {
          clearTimeout(waiting)
          pauses.delete(end)
          signal.removeEventListener("abort", end)
          resolve()
        }
        const waiting = setTimeout(end, millis)
        pauses.add(end)
        signal.addEventListener("abort", end, { once: true })
        if (signal.aborted) end()
      }),
    close: () => clearInterval(timer),
    wake: () => wake("told")
  }
}

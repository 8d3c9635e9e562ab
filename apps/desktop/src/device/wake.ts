/**
 * Detects moments to reconnect at once: the machine woke from sleep, or its network changed. Spec: reference/devices.md
 * "Agent reconnects".
 */
import { networkInterfaces } from "node:os"

const checkMillis = 2_000
/** Lead of the system clock over the monotonic clock, which stops during sleep. */
const sleptMillis = 10_000
/** Minimum time between wakes: addresses of containers change often. */
const wakeIntervalMillis = 10_000

/** This computer's network addresses; empty where the system does not report them. */
export const networkAddresses = (): string => {
  try {
    return Object.values(networkInterfaces()).flatMap((list = []) =>
      list.filter(({ internal }) => !internal).map(({ address }) => address)
    ).sort().join(" ")
  } catch {
    // Some sandboxes forbid it.
    return ""
  }
}

export interface Wakes {
  /** Settles after `millis`, at a wake, or when the signal aborts. */
  readonly pause: (millis: number, signal: AbortSignal) => Promise<void>
  readonly close: () => void
}

export interface WakeWatch extends Wakes {
  /** Reports a wake that another component detected, such as the desktop app. */
  readonly wake: () => void
}

export interface WakesOptions {
  readonly onWake: (why: "slept" | "network" | "requested") => void
  /** By default this machine's addresses. */
  readonly network?: () => string
  readonly clock?: () => number
}

export const watchWakes = ({ clock = Date.now, network = networkAddresses, onWake }: WakesOptions): WakeWatch => {
  const pauses = new Set<() => void>()
  let ahead = clock() - performance.now()
  let known = network()
  let last = -Infinity
  const wake = (why: "slept" | "network" | "requested"): void => {
    if (performance.now() - last < wakeIntervalMillis) return
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
  }, checkMillis)
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
    wake: () => wake("requested")
  }
}

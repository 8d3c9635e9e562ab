/**
 * Sleep, lock, shutdown, and network events for main: retries run at once after a wake-up, and questions are denied
 * while the screen is locked or the computer sleeps. macOS and Windows report a lock themselves; for Linux see
 * `lock.ts`.
 */

/** Electron's `powerMonitor`. */
export interface PowerParts {
  readonly on: (
    event: "suspend" | "resume" | "lock-screen" | "unlock-screen" | "shutdown",
    listener: () => void
  ) => unknown
  /** Electron's `net`: whether there is any network. */
  readonly isOnline: () => boolean
  /** This computer's addresses: another Wi-Fi or a VPN changes them without an event. */
  readonly network: () => string
  readonly every: (millis: number, act: () => void) => () => void
}

export interface PowerActs {
  /** The computer woke up, its screen was unlocked, or its network changed: hubs and the agent are retried at once. */
  readonly wake: (why: "slept" | "unlocked" | "network") => void
  readonly locked: (locked: boolean) => void
  readonly suspended: () => void
  /** The system shuts down: pending writes go to the disk. */
  readonly ending: () => void
  readonly log: (
    event:
      | "suspended"
      | "resumed"
      | "locked"
      | "unlocked"
      | "network_lost"
      | "network_found"
      | "network_changed"
      | "shutdown"
  ) => void
}

const checkMillis = 5_000
/** Containers add and remove addresses often: at most one wake-up per this number of checks. */
const wakeChecksMin = 2

export const watchPower = (
  { every, isOnline, network, on }: PowerParts,
  { ending, locked, log, suspended, wake }: PowerActs
): () => void => {
  let online = isOnline()
  let addresses = network()
  let hasChanged = false
  let checksSinceWake = wakeChecksMin
  on("suspend", () => {
    log("suspended")
    suspended()
  })
  on("resume", () => {
    log("resumed")
    wake("slept")
  })
  on("lock-screen", () => {
    log("locked")
    locked(true)
  })
  on("unlock-screen", () => {
    log("unlocked")
    locked(false)
    // A locked keychain may be open now.
    wake("unlocked")
  })
  on("shutdown", () => {
    log("shutdown")
    ending()
  })
  return every(checkMillis, () => {
    checksSinceWake++
    const [wasOnline, hadAddresses] = [online, addresses]
    online = isOnline()
    addresses = network()
    if (online !== wasOnline) log(online ? "network_found" : "network_lost")
    else if (addresses !== hadAddresses && online) log("network_changed")
    hasChanged ||= online !== wasOnline || addresses !== hadAddresses
    if (!hasChanged || !online || checksSinceWake < wakeChecksMin) return
    hasChanged = false
    checksSinceWake = 0
    wake("network")
  })
}

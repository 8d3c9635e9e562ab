/**
 * Sleep, lock, shutdown and network, as main hears them: what was waited for is tried at once, and neither a locked screen nor one that
 * sleeps answers a question. Of a lock macOS and Windows tell by themselves; for Linux see `lock.ts`.
 */

/** Of Electron's `powerMonitor`. */
export interface PowerParts {
  readonly on: (
    event: "suspend" | "resume" | "lock-screen" | "unlock-screen" | "shutdown",
    listener: () => void
  ) => unknown
  /** Of Electron's `net`: whether there is any network. */
  readonly isOnline: () => boolean
  /** This computer's addresses: another Wi-Fi or a VPN changes them, and nothing else tells. */
  readonly network: () => string
  readonly every: (millis: number, act: () => void) => () => void
}

export interface PowerActs {
  /** The computer woke up, its screen was unlocked, or its network changed: hubs and the agent are tried at once. */
  readonly wake: (why: "slept" | "unlocked" | "network") => void
  readonly locked: (locked: boolean) => void
  readonly suspended: () => void
  /** The system ends: what is not on the disk is written. */
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

const lookMillis = 5_000
/** Addresses of containers come and go: no more often than at each so many looks. */
const calmLooks = 2

export const watchPower = (
  { every, isOnline, network, on }: PowerParts,
  { ending, locked, log, suspended, wake }: PowerActs
): () => void => {
  let online = isOnline()
  let addresses = network()
  let hasChanged = false
  let looksSinceWake = calmLooks
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
    // A keychain may be open now that was not.
    wake("unlocked")
  })
  on("shutdown", () => {
    log("shutdown")
    ending()
  })
  return every(lookMillis, () => {
    looksSinceWake++
    const [wasOnline, hadAddresses] = [online, addresses]
    online = isOnline()
    addresses = network()
    if (online !== wasOnline) log(online ? "network_found" : "network_lost")
    else if (addresses !== hadAddresses && online) log("network_changed")
    hasChanged ||= online !== wasOnline || addresses !== hadAddresses
    if (!hasChanged || !online || looksSinceWake < calmLooks) return
    hasChanged = false
    looksSinceWake = 0
    wake("network")
  })
}

/**
 * Updates of the app: off until a feed is set. A feed is looked at after the start and every six hours; what it offers is
 * downloaded, told of, and installed only when a person asks or at quit, and only while the device agent runs nothing. Never an
 * older version, nothing over plain HTTP. Spec: E15, desktop 4.3 "drain".
 */
import { wordsOf } from "./error-words.ts"
import { isNewer } from "./version-order.ts"

/** The first look is spread over this time, so that machines that start together do not ask together. */
export const firstCheckMillisMax = 60_000
export const checkMillis = 6 * 3_600_000
/** Of the pause: up to this part more or less. */
const jitter = 0.1

/** Why this installation cannot renew itself. */
export type UpdateObstacle =
  /** Started from its sources. */
  | "not_packaged"
  /** Installed by the system's package manager, which renews it. */
  | "package_manager"
  /** Neither the package's key nor the system would tell whose an update is. */
  | "unsigned"

export type UpdateState =
  | { readonly phase: "off"; readonly reason: "no_feed" | "bad_feed" | UpdateObstacle }
  /** `checkedAt`: milliseconds since 1970, none before the first look. */
  | { readonly phase: "idle"; readonly checkedAt?: number }
  | { readonly phase: "checking" }
  | { readonly phase: "downloading"; readonly version: string }
  /** `waits`: a person asked for it, and the device agent still runs something. */
  | { readonly phase: "ready"; readonly version: string; readonly waits: boolean }
  /** Looked at again at the next turn. `reason`: for a person, one line. */
  | { readonly phase: "failed"; readonly reason: string; readonly since: number }

export interface Offer {
  readonly version: string
  /** Whole addresses of what would be downloaded. */
  readonly files: ReadonlyArray<string>
}

/** electron-updater, as it is used. */
export interface Updater {
  /** None: nothing that is newer, or not for all yet. */
  readonly check: (feed: string) => Promise<Offer | undefined>
  /** What the last check offered; settles when checksum and, where the system has one, signature were right. */
  readonly download: (signal: AbortSignal) => Promise<void>
  readonly installAtQuit: (yes: boolean) => void
  readonly quitAndInstall: () => void
}

export interface UpdatesOptions {
  /** Of the app that runs. */
  readonly version: string
  readonly obstacle: UpdateObstacle | undefined
  /** The package's own feed: a feed of the settings comes before it. */
  readonly packagedFeed: string | undefined
  /** Not before there is a feed to look at. */
  readonly load: () => Promise<Updater>
  readonly device: { readonly isIdle: () => boolean; readonly subscribe: (listener: () => void) => () => void }
  readonly after: (millis: number, act: () => void) => () => void
  readonly random: () => number
  readonly now: () => number
  readonly log: (event: string, detail?: string) => void
}

export interface Updates {
  readonly state: () => UpdateState
  readonly subscribe: (listener: (state: UpdateState) => void) => () => void
  /** Of the settings; null: the package's own, or none. What another feed gave is let go. */
  readonly setFeed: (feed: string | null) => void
  /** "Look now": settles when it was looked, and downloaded what there was. */
  readonly check: () => Promise<void>
  /** `waits`: as soon as the device agent runs nothing. */
  readonly install: () => "installing" | "waits" | "not_ready"
  /** What is ready is still installed at quit, if the device agent ran nothing by now. */
  readonly close: () => void
}

const urlLengthMax = 2_000

/** Whole, over TLS, without a user, a question or a fragment. */
export const isUpdateFeed = (text: string): boolean => {
  if (text.length > urlLengthMax || !URL.canParse(text)) return false
  const { hash, password, protocol, search, username } = new URL(text)
  return protocol === "https:" && `${username}${password}${hash}${search}` === ""
}

const firstLine = (error: unknown): string => wordsOf(error).split("\n", 1)[0]!.slice(0, 300)

const isOverTls = (address: string): boolean => URL.canParse(address) && new URL(address).protocol === "https:"

/** What an offer is refused for, if it is. */
const problemOf = ({ files, version }: Offer, current: string): string | undefined => {
  if (!isNewer(version, current)) return `the feed offers ${version}, which is not newer than ${current}`
  if (files.length === 0) return `the feed names no file of ${version}`
  return files.every(isOverTls) ? undefined : `a file of ${version} is not behind https`
}

export const makeUpdates = (options: UpdatesOptions): Updates => {
  const { after, device, load, log, now, obstacle, packagedFeed, random, version } = options
  let state: UpdateState = { phase: "off", reason: obstacle ?? "no_feed" }
  let feed: string | undefined
  let updater: Promise<Updater> | undefined
  /** What is ready belongs to it. */
  let loaded: Updater | undefined
  let cancelTimer = (): void => {}
  let aborting = new AbortController()
  let running: Promise<void> | undefined
  const listeners = new Set<(state: UpdateState) => void>()

  const set = (next: UpdateState): void => {
    if (next.phase !== state.phase) {
      log(`update_${next.phase}`, "version" in next ? next.version : "reason" in next ? next.reason : undefined)
    }
    state = next
    for (const listener of listeners) listener(state)
  }
  const plan = (millis: number): void => {
    cancelTimer()
    cancelTimer = after(millis, () => void check())
  }
  const planNext = (): void => plan(checkMillis * (1 + jitter * (2 * random() - 1)))

  const look = async (from: string, signal: AbortSignal): Promise<void> => {
    set({ phase: "checking" })
    updater ??= load().catch((error: unknown) => {
      updater = undefined
      throw error
    })
    const port = await updater
    const offer = await port.check(from)
    if (signal.aborted) return
    if (offer === undefined) return set({ phase: "idle", checkedAt: now() })
    const problem = problemOf(offer, version)
    if (problem !== undefined) throw new Error(problem)
    set({ phase: "downloading", version: offer.version })
    await port.download(signal)
    if (signal.aborted) return
    loaded = port
    port.installAtQuit(device.isIdle())
    set({ phase: "ready", version: offer.version, waits: false })
  }
  const check = (): Promise<void> => {
    const from = feed
    if (from === undefined || state.phase === "ready") return Promise.resolve()
    const { signal } = aborting
    cancelTimer()
    running ??= look(from, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) set({ phase: "failed", reason: firstLine(error), since: now() })
      })
      .finally(() => {
        running = undefined
        if (!signal.aborted && state.phase !== "ready") planNext()
      })
    return running
  }
  const letGo = (): void => {
    cancelTimer()
    aborting.abort()
    aborting = new AbortController()
    loaded?.installAtQuit(false)
    loaded = undefined
  }
  const installNow = (): void => {
    try {
      loaded?.quitAndInstall()
    } catch (error) {
      loaded = undefined
      set({ phase: "failed", reason: firstLine(error), since: now() })
      planNext()
    }
  }
  const endOfDevice = device.subscribe(() => {
    if (state.phase !== "ready") return
    loaded?.installAtQuit(device.isIdle())
    if (!state.waits || !device.isIdle()) return
    set({ ...state, waits: false })
    installNow()
  })

  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    setFeed: (chosen) => {
      if (obstacle !== undefined) return
      const next = chosen ?? packagedFeed
      if (next !== undefined && next === feed) return
      letGo()
      feed = next !== undefined && isUpdateFeed(next) ? next : undefined
      if (feed === undefined) return set({ phase: "off", reason: next === undefined ? "no_feed" : "bad_feed" })
      set({ phase: "idle" })
      // What another feed is still asked ends first.
      const first = random() * firstCheckMillisMax
      if (running === undefined) plan(first)
      else void running.then(() => plan(first))
    },
    check,
    install: () => {
      if (state.phase !== "ready") return "not_ready"
      if (!device.isIdle()) {
        set({ ...state, waits: true })
        return "waits"
      }
      installNow()
      return "installing"
    },
    close: () => {
      cancelTimer()
      aborting.abort()
      feed = undefined
      endOfDevice()
      listeners.clear()
    }
  }
}

/**
 * Updates of the app: off until a feed is set. The feed is checked after the start and every six hours; an update is
 * downloaded, reported, and installed only on a person's request or at quit, and only while the device agent runs
 * nothing. Older versions and plain HTTP are refused. Spec: reference/desktop.md "E15: updates".
 */
import type { UpdateObstacle, UpdateState } from "../../bridge/this-computer.ts"
import { isUpdateFeed } from "../../bridge/update-feed.ts"
import { wordsOf } from "../platform/error-words.ts"
import { isNewer } from "./version-order.ts"

/** The first check is spread over this time, so that machines that start together do not check together. */
export const firstCheckMillisMax = 60_000
export const checkMillis = 6 * 3_600_000
/** The interval varies by up to this fraction in both directions. */
const jitter = 0.1

export interface Offer {
  readonly version: string
  /** Absolute URLs of the files to download. */
  readonly files: ReadonlyArray<string>
}

/** The parts of electron-updater that are used. */
export interface Updater {
  /** Undefined when no newer version exists, or when its rollout does not include this installation yet. */
  readonly check: (feed: string) => Promise<Offer | undefined>
  /**
   * Downloads the last check's offer; resolves when its checksum and, if the system has one, its signature are
   * verified.
   */
  readonly download: (signal: AbortSignal) => Promise<void>
  readonly installAtQuit: (yes: boolean) => void
  readonly quitAndInstall: () => void
}

export interface UpdatesOptions {
  /** The running app's version. */
  readonly version: string
  readonly obstacle: UpdateObstacle | undefined
  /** The package's own feed; a feed in the settings takes precedence. */
  readonly packagedFeed: string | undefined
  /** Called only when a feed has to be checked. */
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
  /** The feed of the settings; null: the package's own, or none. An update of the previous feed is discarded. */
  readonly setFeed: (feed: string | null) => void
  /** "Check now": resolves when the check and a possible download are complete. */
  readonly check: () => Promise<void>
  /** `waits`: installs as soon as the device agent runs nothing. */
  readonly install: () => "installing" | "waits" | "not_ready"
  /** An update that is ready is still installed at quit if the device agent was idle by then. */
  readonly close: () => void
}

const firstLine = (error: unknown): string => wordsOf(error).split("\n", 1)[0]!.slice(0, 300)

const isOverTls = (address: string): boolean => URL.canParse(address) && new URL(address).protocol === "https:"

/** Why an offer is refused; undefined when it is acceptable. */
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
  /** The updater that downloaded the update that is ready. */
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

  const runCheck = async (from: string, signal: AbortSignal): Promise<void> => {
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
    running ??= runCheck(from, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) set({ phase: "failed", reason: firstLine(error), since: now() })
      })
      .finally(() => {
        running = undefined
        if (!signal.aborted && state.phase !== "ready") planNext()
      })
    return running
  }
  const discard = (): void => {
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
      discard()
      feed = next !== undefined && isUpdateFeed(next) ? next : undefined
      if (feed === undefined) return set({ phase: "off", reason: next === undefined ? "no_feed" : "bad_feed" })
      set({ phase: "idle" })
      // A running check of the previous feed ends first.
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

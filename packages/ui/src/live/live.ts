/**
 * The console's ear: one stream a browser, over all its tabs and all workspaces of the person. On each (re)connect what is shown is read
 * again first, and only then what the stream says is taken in.
 */
import type { HubEvent } from "@countersign/domain/events"
import type { Query, QueryClient } from "@tanstack/react-query"
import type { HubClient } from "../hub/client.ts"
import { touch, type Touched } from "../hub/touch.ts"
import { arrivals, clearWhatIsRead } from "./arrivals.ts"
import type { CallHealth } from "./call-health.ts"
import { currentConnection, currentStream, isOutage, setStream, type StreamConnection } from "./connection.ts"
import { makeFeed } from "./feed.ts"
import { follow } from "./follow.ts"
import { type Leadership, type Locks, startLeadership } from "./leadership.ts"

/** The first event is taken in at once; what comes within this time after it, together. */
export const batchMillis = 250
/** Sums are read again at most so often. */
export const sumsMillis = 2_000
/** Events are held back no longer than this for lists that are read again. */
const relistMillisMax = 10_000
/** Ids of events by which one that came twice is told. */
const knownMax = 4_096

type Told =
  | { readonly kind: "open" }
  | { readonly kind: "event"; readonly id: string; readonly event: HubEvent }
  | { readonly kind: "reset"; readonly id: string }
  | { readonly kind: "connection"; readonly connection: StreamConnection }
  | { readonly kind: "alive" }
  /** A tab that came later asks how things stand. */
  | { readonly kind: "hello" }
  | { readonly kind: "retry" }
  | { readonly kind: "signed_out" }
  | { readonly kind: "signed_in" }

export interface LiveOptions {
  readonly hub: HubClient
  readonly queries: QueryClient
  readonly calls: CallHealth
  readonly onSignedOut: () => void
  /** In another tab. */
  readonly onSignedIn: () => void
}

export interface Live {
  /** Once somebody is signed in; again is nothing. */
  readonly start: () => void
  readonly stop: () => void
  readonly retryNow: () => void
  readonly tellSignedOut: () => void
  readonly tellSignedIn: () => void
}

const aliveEveryMillis = 5_000

export const makeLive = ({ calls, hub, onSignedIn, onSignedOut, queries }: LiveOptions): Live => {
  const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("countersign.live")
  const locks = typeof navigator === "undefined" || channel === undefined
    ? undefined
    : navigator.locks as Locks | undefined
  let leadership: Leadership | undefined
  let lastEventId: string | undefined
  let aliveAt = 0
  const known = new Set<string>()
  let held: Array<HubEvent> = []
  let isRelisting = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let takenAt = 0
  let relists = 0

  const touchSoon = makeTouchSoon(queries)
  clearWhatIsRead(queries)

  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel reaches its own origin alone
  const say = (told: Told) => channel?.postMessage(told)
  /** To every tab, this one too. */
  const tell = (told: Told) => {
    say(told)
    hear(told)
  }

  const takeIn = () => {
    timer = undefined
    if (isRelisting || held.length === 0) return
    const batch = held
    held = []
    takenAt = Date.now()
    void follow({ queries, arrivals, touchSoon }, batch).catch(() => {})
  }
  const soon = () => {
    timer ??= setTimeout(takeIn, Math.max(0, takenAt + batchMillis - Date.now()))
  }

  const relist = async () => {
    const mine = ++relists
    isRelisting = true
    const late = new Promise((resolve) => setTimeout(resolve, relistMillisMax))
    const openedAt = Date.now()
    // What was read since the stream is open misses nothing.
    const predicate = ({ state }: Query) => state.dataUpdatedAt < openedAt || state.fetchStatus === "fetching"
    await Promise.race([queries.invalidateQueries({ predicate }).catch(() => {}), late])
    if (mine !== relists) return
    isRelisting = false
    soon()
  }

  const hear = (told: Told) => {
    switch (told.kind) {
      case "open":
        return void relist()
      case "reset":
        lastEventId = told.id
        return void relist()
      case "event": {
        lastEventId = told.id
        if (known.has(told.event.id)) return
        if (known.size >= knownMax) known.delete(known.values().next().value ?? "")
        known.add(told.event.id)
        held.push(told.event)
        return soon()
      }
      case "connection":
        return setStream(told.connection)
      default:
    }
  }

  const feed = makeFeed({
    open: hub.events,
    onOpen: () => tell({ kind: "open" }),
    onConnection: (connection) => tell({ kind: "connection", connection }),
    onAlive: () => {
      if (Date.now() - aliveAt < aliveEveryMillis) return
      aliveAt = Date.now()
      say({ kind: "alive" })
    },
    onMessage: ({ data, event, id }) => {
      if (event === "reset") return tell({ kind: "reset", id })
      const said = readEvent(data)
      if (said !== undefined) tell({ kind: "event", id, event: said })
    },
    onSignedOut: () => {
      say({ kind: "signed_out" })
      onSignedOut()
    }
  })

  const stop = () => {
    leadership?.stop()
    leadership = undefined
    lastEventId = undefined
    held = []
    setStream({ phase: "connecting" })
  }

  channel?.addEventListener("message", ({ data }: MessageEvent<Told>) => {
    leadership?.heard()
    const leads = leadership?.isLeader() === true
    if (data.kind === "hello" && leads) say({ kind: "connection", connection: currentStream() })
    else if (data.kind === "retry" && leads) feed.retryNow()
    else if (data.kind === "signed_out") onSignedOut()
    else if (data.kind === "signed_in") onSignedIn()
    // Before it has started a tab shows nothing that could be old.
    else if (leadership !== undefined) hear(data)
  })

  // What was read during the outage, or failed to be, is read again.
  calls.onRecovered(() => void relist())

  const retryNow = () => {
    calls.checkNow()
    feed.retryNow()
    say({ kind: "retry" })
  }
  if (typeof window !== "undefined") {
    window.addEventListener("online", retryNow)
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && isOutage(currentConnection())) retryNow()
    })
  }

  return {
    start: () => {
      if (leadership !== undefined) return
      leadership = startLeadership({ locks, name: "countersign.live", lead: (signal) => feed.run(signal, lastEventId) })
      say({ kind: "hello" })
    },
    stop,
    retryNow,
    tellSignedOut: () => say({ kind: "signed_out" }),
    tellSignedIn: () => say({ kind: "signed_in" })
  }
}

/** At once, then at most every two seconds with all that was asked for meanwhile. */
const makeTouchSoon = (queries: QueryClient) => {
  const asked = new Map<string, Set<Touched>>()
  let isResting = false
  const run = () => {
    isResting = asked.size > 0
    if (!isResting) return
    for (const [workspace, names] of asked) void touch(queries, workspace, [...names]).catch(() => {})
    asked.clear()
    setTimeout(run, sumsMillis)
  }
  return (workspace: string, touched: ReadonlyArray<Touched>) => {
    const names = asked.get(workspace) ?? new Set()
    asked.set(workspace, names)
    for (const name of touched) names.add(name)
    if (!isResting) run()
  }
}

const readEvent = (data: string): HubEvent | undefined => {
  try {
    const said = JSON.parse(data) as Partial<HubEvent> | null
    return typeof said?.id === "string" && typeof said.type === "string" && typeof said.subject?.id === "string"
      ? said as HubEvent
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Live events of the console: one stream per browser, for all tabs and all workspaces of the person. On each
 * (re)connect visible data is refetched before events of the stream are applied.
 */
import type { HubClient } from "@countersign/hub-client/client"
import { makeFeed } from "@countersign/hub-client/event-feed"
import { readEvent, type ReceivedEvent } from "@countersign/hub-client/received-event"
import type { StreamConnection } from "@countersign/hub-client/stream-connection"
import type { Query, QueryClient } from "@tanstack/react-query"
import { touch, type Touched } from "../hub/touch.ts"
import { arrivals, clearWhatIsRead } from "./arrivals.ts"
import type { CallHealth } from "./call-health.ts"
import { currentConnection, currentStream, isOutage, setStream } from "./connection.ts"
import { type Leadership, type Locks, startLeadership } from "./leadership.ts"

/** The first event is applied at once; events within this time after it are applied together. */
export const batchMillis = 250
/** The minimum interval between refetches of aggregates. */
export const sumsMillis = 2_000
/** The maximum delay of events during a refetch of lists. */
const relistMillisMax = 10_000
/** Ids of received events, to drop duplicates. */
const knownMax = 4_096

type TabMessage =
  | { readonly kind: "open" }
  | { readonly kind: "event"; readonly id: string; readonly event: ReceivedEvent }
  | { readonly kind: "reset"; readonly id: string }
  | { readonly kind: "connection"; readonly connection: StreamConnection }
  | { readonly kind: "alive" }
  /** A new tab requests the current state. */
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
  /** Call it after sign-in; repeated calls do nothing. */
  readonly start: () => void
  readonly stop: () => void
  readonly retryNow: () => void
  readonly announceSignOut: () => void
  readonly announceSignIn: () => void
}

const aliveEveryMillis = 5_000

/** The code that applies events: the shell loads it when the browser is idle, else the first event does. */
export const loadFollow = () => import("./follow.ts")

export const makeLive = ({ calls, hub, onSignedIn, onSignedOut, queries }: LiveOptions): Live => {
  const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("countersign.live")
  const locks = typeof navigator === "undefined" || channel === undefined
    ? undefined
    : navigator.locks as Locks | undefined
  let leadership: Leadership | undefined
  let lastEventId: string | undefined
  let aliveAt = 0
  const known = new Set<string>()
  let held: Array<ReceivedEvent> = []
  let isRelisting = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let takenAt = 0
  let relists = 0

  const touchSoon = makeTouchSoon(queries)
  clearWhatIsRead(queries)

  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel reaches its own origin alone
  const post = (message: TabMessage) => channel?.postMessage(message)
  /** To every tab, including this one. */
  const broadcast = (message: TabMessage) => {
    post(message)
    receive(message)
  }

  const takeIn = () => {
    timer = undefined
    if (isRelisting || held.length === 0) return
    const batch = held
    held = []
    takenAt = Date.now()
    // Without the code that applies events, everything visible is refetched.
    void loadFollow().then(({ follow }) => follow({ queries, arrivals, touchSoon }, batch).catch(() => {}), relist)
  }
  const soon = () => {
    timer ??= setTimeout(takeIn, Math.max(0, takenAt + batchMillis - Date.now()))
  }

  const relist = async () => {
    const mine = ++relists
    isRelisting = true
    const late = new Promise((resolve) => setTimeout(resolve, relistMillisMax))
    const openedAt = Date.now()
    // Data read since the stream opened is complete.
    const predicate = ({ state }: Query) => state.dataUpdatedAt < openedAt || state.fetchStatus === "fetching"
    await Promise.race([queries.invalidateQueries({ predicate }).catch(() => {}), late])
    if (mine !== relists) return
    isRelisting = false
    soon()
  }

  const receive = (message: TabMessage) => {
    switch (message.kind) {
      case "open":
        return void relist()
      case "reset":
        lastEventId = message.id
        return void relist()
      case "event": {
        lastEventId = message.id
        if (known.has(message.event.id)) return
        if (known.size >= knownMax) known.delete(known.values().next().value ?? "")
        known.add(message.event.id)
        held.push(message.event)
        return soon()
      }
      case "connection":
        return setStream(message.connection)
      default:
    }
  }

  const feed = makeFeed({
    open: hub.events,
    onOpen: () => broadcast({ kind: "open" }),
    onConnection: (connection) => broadcast({ kind: "connection", connection }),
    onAlive: () => {
      if (Date.now() - aliveAt < aliveEveryMillis) return
      aliveAt = Date.now()
      post({ kind: "alive" })
    },
    onMessage: ({ data, event, id }) => {
      if (event === "reset") return broadcast({ kind: "reset", id })
      const hubEvent = readEvent(data)
      if (hubEvent !== undefined) broadcast({ kind: "event", id, event: hubEvent })
    },
    onSignedOut: () => {
      post({ kind: "signed_out" })
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

  channel?.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => {
    leadership?.received()
    const leads = leadership?.isLeader() === true
    if (data.kind === "hello" && leads) post({ kind: "connection", connection: currentStream() })
    else if (data.kind === "retry" && leads) feed.retryNow()
    else if (data.kind === "signed_out") onSignedOut()
    else if (data.kind === "signed_in") onSignedIn()
    // Before `start` a tab shows no data that could be stale.
    else if (leadership !== undefined) receive(data)
  })

  // Data that was read during the outage, or failed to load, is refetched.
  calls.onRecovered(() => void relist())

  const retryNow = () => {
    calls.checkNow()
    feed.retryNow()
    post({ kind: "retry" })
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
      post({ kind: "hello" })
    },
    stop,
    retryNow,
    announceSignOut: () => post({ kind: "signed_out" }),
    announceSignIn: () => post({ kind: "signed_in" })
  }
}

/** Refetches at once, then at most every two seconds with all requests since. */
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

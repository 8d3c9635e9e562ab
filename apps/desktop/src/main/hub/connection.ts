/**
 * One profile's connection: who answers is looked at before every stream and after every break, then the session is used, then one
 * stream of events is held up for ever. What the hub is, or does, decides the phase; nothing here knows of windows.
 */
import type { CallOptions, HubClient, StreamCallOptions } from "@countersign/ui/hub/client"
import type { AnyInput, EndpointName } from "@countersign/ui/hub/contract"
import { HubError, isHubError } from "@countersign/ui/hub/error"
import { makeFetchClient } from "@countersign/ui/hub/fetch-client"
import { makeHubClock } from "@countersign/ui/hub/hub-time"
import type { Message } from "@countersign/ui/live/event-parser"
import { type Feed, makeFeed } from "@countersign/ui/live/feed"
import { appVersion } from "../../device/version.ts"
import type { Profile } from "../profiles/profile.ts"
import { pauseMillis } from "../retry.ts"
import type { SecretStoreShape } from "../secrets/secret-store.ts"
import { isOlder, lookAtCertificate, readHealth } from "./hub-identity.ts"
import type { HubState, StopCause } from "./port.ts"
import { makeSession } from "./session.ts"
import type { ProxyOf } from "./system-proxy.ts"
import { makeTransport, mayImport, untrusted } from "./transport.ts"

/** What the stream does, as its listeners hear it. */
export type Heard =
  | { readonly kind: "open" }
  | { readonly kind: "message"; readonly message: Message }
  /** Any piece at all, comment lines too. */
  | { readonly kind: "alive" }
  | { readonly kind: "lost"; readonly cause: string }

/** An answer's `Date`, and when it was asked for and came by this computer's clock. */
export type TimeSample = readonly [date: string, askedAt: number, cameAt: number]

export interface Connection {
  readonly state: () => HubState
  /** Reads the session and connects. Again, from any phase: begins anew. */
  readonly start: () => void
  /** For good: nothing is heard or told after it. Resolves when the keychain has what it was given. */
  readonly end: () => Promise<void>
  readonly retryNow: () => void
  /** The computer slept, or its network changed: nothing that stands is believed in. */
  readonly wake: () => void
  /** The keychain may give now the session that it did not give. */
  readonly keychainAnswers: () => void
  readonly call: (endpoint: EndpointName, input: AnyInput, options?: CallOptions) => Promise<unknown>
  /** A GET below `/api/v1`, its body unread. */
  readonly open: (path: string, signal: AbortSignal) => Promise<Response>
  /** What an endpoint tells as server-sent events, as text in pieces of any cut. */
  readonly stream: (
    endpoint: EndpointName,
    input: AnyInput,
    options: StreamCallOptions
  ) => Promise<ReadableStream<string>>
  readonly listen: (listener: (heard: Heard) => void) => () => void
  readonly timeSample: () => TimeSample | undefined
  /** By how much the hub's clock is ahead of this computer's. 0 until an answer told. */
  readonly aheadMillis: () => number
}

export interface ConnectionOptions {
  readonly profile: Profile
  readonly secrets: SecretStoreShape
  readonly proxy: ProxyOf
  readonly onState: (state: HubState) => void
}

/** What a person may ask before they are signed in. */
const anonymous: ReadonlySet<EndpointName> = new Set([
  "auth.login",
  "auth.setup",
  "setup.state",
  "discovery.health",
  "discovery.ready",
  "discovery.openapi"
])
/** Where 401 means a wrong password or token, not the end of the session. */
const asksPassword: ReadonlySet<EndpointName> = new Set(["auth.login", "auth.setup", "auth.stepUp", "auth.password"])

const causeOf = (error: unknown): string =>
  isHubError(error) ? (typeof error.data["cause"] === "string" ? error.data["cause"] : error.code) : "network_error"

export const makeConnection = ({ onState, profile, proxy, secrets }: ConnectionOptions): Connection => {
  const session = makeSession(profile, secrets)
  const listeners = new Set<(heard: Heard) => void>()
  let state: HubState = { phase: "connecting", since: Date.now() }
  let running: AbortController | undefined
  let feed: Feed | undefined
  let ended = false
  let lastCause = ""
  let sample: TimeSample | undefined
  const clock = makeHubClock()
  /** Begins that were overtaken by a later one do nothing. */
  let begins = 0
  /** Nobody is called signed out before the keychain was asked. */
  let loading: Promise<void> = Promise.resolve()

  const set = (next: HubState) => {
    if (ended) return
    const same = next.phase === state.phase && (next.phase === "connecting" || next.phase === "connected")
    state = same ? state : next
    if (!same) onState(state)
  }
  const tell = (heard: Heard) => {
    if (!ended) { for (const listener of listeners) listener(heard) }
  }

  const transport = makeTransport({
    url: profile.url,
    ca: profile.ca?.pem,
    proxy,
    session: session.value,
    onSession: (value) => {
      if (ended) return
      session.set(value)
      if (value === undefined) signedOut("nobody")
      else follow()
    }
  })
  /** For the question who answers, which needs no credential. */
  const bare = makeTransport({
    url: profile.url,
    ca: profile.ca?.pem,
    proxy,
    session: () => undefined,
    onSession: () => {}
  })

  const silence = (cause: string) => {
    running?.abort(new DOMException(cause, "AbortError"))
    running = undefined
    feed = undefined
    tell({ kind: "lost", cause })
  }
  const signedOut = (cause: "nobody" | "ended") => {
    silence("signed_out")
    set({ phase: "signed_out", since: Date.now(), cause })
  }
  const halt = (cause: StopCause) => {
    silence("stopped")
    set({ phase: "stopped", since: Date.now(), cause })
  }
  const stopped = () =>
    new HubError({ status: 0, code: "stopped", message: "This hub profile is stopped. Its page says why." })

  let looking: Promise<void> | undefined
  const look = async (): Promise<void> => {
    try {
      const { hub_id, min_app_version } = await readHealth(profile.url, bare)
      if (hub_id !== profile.hub_id) halt({ kind: "hub_changed", expected: profile.hub_id, found: hub_id })
      else if (isOlder(appVersion, min_app_version)) halt({ kind: "app_too_old", min_app_version })
      else return
    } catch (error) {
      lastCause = causeOf(error)
      if (!isHubError(error) || error.code !== untrusted) throw error
      const { sha256, subject } = await lookAtCertificate(profile.url, proxy)
      halt({ kind: "untrusted_certificate", subject, sha256, code: lastCause, may_import: mayImport(lastCause) })
    }
    throw stopped()
  }
  /** Nothing that carries the session goes out before this. One look serves all who ask meanwhile. */
  const known = (): Promise<void> => {
    if (state.phase === "stopped") return Promise.reject(stopped())
    const mine = looking ??= look()
    mine.catch(() => {
      if (looking === mine) looking = undefined
    })
    return mine
  }

  const fetchKnown = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    await known()
    try {
      return await transport.fetch(input, init)
    } catch (error) {
      // After a break somebody else may answer.
      if (init?.signal?.aborted !== true) looking = undefined
      lastCause = causeOf(error)
      throw error
    }
  }

  const client: HubClient = makeFetchClient({
    base: `${profile.url}/api/v1`,
    fetch: fetchKnown as typeof fetch,
    clock: {
      ...clock,
      observe: (date, askedAt, cameAt) => {
        clock.observe(date, askedAt, cameAt)
        if (date !== null) sample = [date, askedAt, cameAt]
      }
    }
  })

  const follow = () => {
    silence("signed_in")
    const controller = new AbortController()
    running = controller
    const isMine = () => running === controller
    const mine = makeFeed({
      open: (options) => {
        looking = undefined
        return client.events(options)
      },
      pauseOf: (error, failures, random) => pauseMillis(isHubError(error) ? error : { status: 0 }, failures, random),
      onOpen: () => isMine() && tell({ kind: "open" }),
      onAlive: () => isMine() && tell({ kind: "alive" }),
      onMessage: (message) => isMine() && tell({ kind: "message", message }),
      onSignedOut: () => isMine() && sessionEnded(),
      onConnection: (connection) => {
        if (!isMine()) return
        if (connection.phase !== "offline") {
          return set({ phase: connection.phase === "online" ? "connected" : "connecting", since: Date.now() })
        }
        const cause = connection.cause === "network_error" || connection.cause === ""
          ? lastCause || "network_error"
          : connection.cause
        // Told at each try that failed: who waits for the stream hears that it did not open.
        if (connection.retryAt !== undefined || state.phase !== "offline") tell({ kind: "lost", cause })
        set({ ...connection, cause })
      }
    })
    feed = mine
    void mine.run(controller.signal, undefined)
  }

  const sessionEnded = () => {
    session.set(undefined)
    signedOut("ended")
  }

  const asSomebody = async <A>(isAnonymous: boolean, mayEnd: boolean, work: () => Promise<A>): Promise<A> => {
    if (!isAnonymous) await loading
    if (ended || state.phase === "stopped") throw stopped()
    const used = session.value()
    if (used === undefined && !isAnonymous) {
      throw new HubError({ status: 401, code: "signed_out", message: "Nobody is signed in to this hub." })
    }
    try {
      return await work()
    } catch (error) {
      // Of the session that was sent, not of one that began meanwhile.
      if (isHubError(error) && error.status === 401 && mayEnd && used !== undefined && session.value() === used) {
        sessionEnded()
      }
      throw error
    }
  }

  const start = () => {
    const mine = ++begins
    silence("begun_anew")
    looking = undefined
    set({ phase: "connecting", since: Date.now() })
    loading = session.load().then((cause) => {
      if (ended || mine !== begins || running !== undefined) return
      if (cause === undefined) follow()
      else set({ phase: "signed_out", since: Date.now(), cause })
    })
  }

  return {
    state: () => state,
    start,
    end: async () => {
      silence("removed")
      ended = true
      listeners.clear()
      await Promise.all([transport.close(), bare.close(), session.settled()])
    },
    retryNow: () => state.phase === "stopped" ? start() : feed?.retryNow(),
    wake: () => {
      transport.renew()
      bare.renew()
      looking = undefined
      if (state.phase === "stopped") start()
      else feed?.wake()
    },
    keychainAnswers: () => {
      if (state.phase === "signed_out" && state.cause === "unreadable") start()
    },
    call: (endpoint, input, options) =>
      asSomebody(
        anonymous.has(endpoint),
        !asksPassword.has(endpoint),
        () => client.call(endpoint, input as never, options)
      ),
    open: (path, signal) => asSomebody(false, true, () => fetchKnown(`${profile.url}/api/v1${path}`, { signal })),
    stream: (endpoint, input, options) =>
      asSomebody(false, true, () => client.stream(endpoint, input as never, options)),
    listen: (listener) => {
      listeners.add(listener)
      if (state.phase === "connected") listener({ kind: "open" })
      return () => void listeners.delete(listener)
    },
    timeSample: () => sample,
    aheadMillis: clock.ahead
  }
}

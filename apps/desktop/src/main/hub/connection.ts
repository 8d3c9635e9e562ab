/**
 * The connection of one profile: checks the hub's identity before every stream and after every interruption, then uses
 * the session, then keeps one event stream open without end. The hub's identity and its answers determine the phase;
 * this module is independent of windows.
 */
import type { HubClient } from "@countersign/hub-client/client"
import type { EndpointName, Output } from "@countersign/hub-client/contract"
import { HubError, isHubError } from "@countersign/hub-client/error"
import { type Feed, makeFeed } from "@countersign/hub-client/event-feed"
import type { Message } from "@countersign/hub-client/event-parser"
import { makeFetchClient } from "@countersign/hub-client/fetch-client"
import { makeHubClock } from "@countersign/hub-client/hub-clock"
import { Result } from "effect"
import { endpointSchema } from "../../bridge/endpoint-schemas.ts"
import type { HubState, StopCause } from "../../bridge/hub-state.ts"
import { appVersion } from "../../version.ts"
import { pauseMillis } from "../platform/retry.ts"
import type { Profile } from "../profiles/profile.ts"
import type { SecretStoreShape } from "../secrets/secret-store.ts"
import { isOlder, readCertificate, readHealth } from "./hub-identity.ts"
import { makeSession } from "./session.ts"
import type { ProxyOf } from "./system-proxy.ts"
import { makeTransport, mayImport, refusalOf, untrusted } from "./transport.ts"

/** Signals of the event stream to its listeners. */
export type StreamUpdate =
  | { readonly kind: "open" }
  | { readonly kind: "message"; readonly message: Message }
  /** Any received piece, including comment lines. */
  | { readonly kind: "alive" }
  | { readonly kind: "lost"; readonly cause: string }

/** An answer's `Date` header, and the times of the request and the answer by this computer's clock. */
export type TimeSample = readonly [date: string, askedAt: number, cameAt: number]

export interface Connection {
  readonly state: () => HubState
  /** Reads the session and connects. A further call, in any phase, starts over. */
  readonly start: () => void
  /** Permanent: no signal and no state follows. Resolves when the keychain has stored pending changes. */
  readonly end: () => Promise<void>
  readonly retryNow: () => void
  /** The computer slept or its network changed, so existing connections are not trusted. */
  readonly wake: () => void
  /** The keychain answers again; reads a session that could not be read. */
  readonly keychainAnswers: () => void
  /** Rejects with a `HubError`, also for an answer that does not match the contract. */
  readonly call: HubClient["call"]
  /** A GET below `/api/v1`; the body is not read. */
  readonly open: (path: string, signal: AbortSignal) => Promise<Response>
  /** The bytes of an object of storage: a GET below `/api/v1`, which the hub redirects to a signed address. */
  readonly openObject: (
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal
  ) => Promise<Response>
  /** Sends an upload's bytes to the signed address that the hub answered. */
  readonly sendObject: (
    target: Output<"storage.presignUpload">,
    body: ReadableStream<Uint8Array>,
    signal: AbortSignal
  ) => Promise<void>
  /** An endpoint's server-sent events as text, split at arbitrary points. */
  readonly stream: HubClient["stream"]
  readonly listen: (listener: (update: StreamUpdate) => void) => () => void
  readonly timeSample: () => TimeSample | undefined
  /** How far the hub's clock is ahead of this computer's; 0 until the first answer. */
  readonly aheadMillis: () => number
}

export interface ConnectionOptions {
  readonly profile: Profile
  readonly secrets: SecretStoreShape
  readonly proxy: ProxyOf
  readonly onState: (state: HubState) => void
}

/** Endpoints that need no session. */
const anonymousEndpoints: ReadonlySet<EndpointName> = new Set([
  "auth.login",
  "auth.loginFactor",
  "auth.setup",
  "oidc.methods",
  "setup.state",
  "discovery.health",
  "discovery.ready",
  "discovery.openapi"
])
/** Endpoints whose 401 means a wrong password or token, not the end of the session. */
const passwordEndpoints: ReadonlySet<EndpointName> = new Set([
  "auth.login",
  "auth.loginFactor",
  "auth.setup",
  "auth.stepUp",
  "auth.password"
])

const causeOf = (error: unknown): string =>
  isHubError(error) ? (typeof error.data["cause"] === "string" ? error.data["cause"] : error.code) : "network_error"

const decodeAnswer = (endpoint: EndpointName, body: unknown): unknown => {
  // Audio has no schema beside its content type.
  if (body instanceof Uint8Array) return body
  const read = endpointSchema(endpoint).readAnswer(body)
  if (Result.isSuccess(read)) return read.success
  throw new HubError({
    status: 200,
    code: "unreadable_answer",
    message: "The answer is not what this app expects; update it.",
    details: read.failure
  })
}

export const makeConnection = ({ onState, profile, proxy, secrets }: ConnectionOptions): Connection => {
  const session = makeSession(profile, secrets)
  const listeners = new Set<(update: StreamUpdate) => void>()
  let state: HubState = { phase: "connecting", since: Date.now() }
  let running: AbortController | undefined
  let feed: Feed | undefined
  let ended = false
  let lastCause = ""
  let sample: TimeSample | undefined
  const clock = makeHubClock()
  /** A start that a later one replaced has no effect. */
  let starts = 0
  /** The phase becomes `signed_out` only after the keychain was read. */
  let loading: Promise<void> = Promise.resolve()

  const set = (next: HubState) => {
    if (ended) return
    const same = next.phase === state.phase && (next.phase === "connecting" || next.phase === "connected")
    state = same ? state : next
    if (!same) onState(state)
  }
  const emit = (update: StreamUpdate) => {
    if (!ended) { for (const listener of listeners) listener(update) }
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
  /** For the identity check, which sends no credential. */
  const anonymousTransport = makeTransport({
    url: profile.url,
    ca: profile.ca?.pem,
    proxy,
    session: () => undefined,
    onSession: () => {}
  })

  const endStream = (cause: string) => {
    running?.abort(new DOMException(cause, "AbortError"))
    running = undefined
    feed = undefined
    emit({ kind: "lost", cause })
  }
  const signedOut = (cause: "nobody" | "ended") => {
    endStream("signed_out")
    set({ phase: "signed_out", since: Date.now(), cause })
  }
  const halt = (cause: StopCause) => {
    endStream("stopped")
    set({ phase: "stopped", since: Date.now(), cause })
  }
  const stopped = () =>
    new HubError({ status: 0, code: "stopped", message: "This hub profile is stopped. Its page says why." })

  let checking: Promise<void> | undefined
  const checkHub = async (): Promise<void> => {
    try {
      const { hub_id, min_app_version } = await readHealth(profile.url, anonymousTransport)
      if (hub_id !== profile.hub_id) halt({ kind: "hub_changed", expected: profile.hub_id, found: hub_id })
      else if (isOlder(appVersion, min_app_version)) halt({ kind: "app_too_old", min_app_version })
      else return
    } catch (error) {
      lastCause = causeOf(error)
      if (!isHubError(error) || error.code !== untrusted) throw error
      const { sha256, subject } = await readCertificate(profile.url, proxy)
      halt({ kind: "untrusted_certificate", subject, sha256, code: lastCause, may_import: mayImport(lastCause) })
    }
    throw stopped()
  }
  /** No request with the session is sent before this check. Concurrent callers share one check. */
  const ensureChecked = (): Promise<void> => {
    if (state.phase === "stopped") return Promise.reject(stopped())
    const mine = checking ??= checkHub()
    mine.catch(() => {
      if (checking === mine) checking = undefined
    })
    return mine
  }

  const fetchChecked = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    await ensureChecked()
    try {
      return await transport.fetch(input, init)
    } catch (error) {
      // After an interruption another hub may answer.
      if (init?.signal?.aborted !== true) checking = undefined
      lastCause = causeOf(error)
      throw error
    }
  }

  const client: HubClient = makeFetchClient({
    base: `${profile.url}/api/v1`,
    fetch: fetchChecked as typeof fetch,
    decode: decodeAnswer,
    clock: {
      ...clock,
      observe: (date, askedAt, cameAt) => {
        clock.observe(date, askedAt, cameAt)
        if (date !== null) sample = [date, askedAt, cameAt]
      }
    }
  })

  const follow = () => {
    endStream("signed_in")
    const controller = new AbortController()
    running = controller
    const isMine = () => running === controller
    const mine = makeFeed({
      open: (options) => {
        checking = undefined
        return client.events(options)
      },
      pauseOf: (error, failures, random) => pauseMillis(isHubError(error) ? error : { status: 0 }, failures, random),
      onOpen: () => isMine() && emit({ kind: "open" }),
      onAlive: () => isMine() && emit({ kind: "alive" }),
      onMessage: (message) => isMine() && emit({ kind: "message", message }),
      onSignedOut: () => isMine() && sessionEnded(),
      onConnection: (connection) => {
        if (!isMine()) return
        if (connection.phase !== "offline") {
          return set({ phase: connection.phase === "online" ? "connected" : "connecting", since: Date.now() })
        }
        const cause = connection.cause === "network_error" || connection.cause === ""
          ? lastCause || "network_error"
          : connection.cause
        // Sent after each failed attempt, so that callers waiting for the stream learn that it did not open.
        if (connection.retryAt !== undefined || state.phase !== "offline") emit({ kind: "lost", cause })
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

  const withSession = async <A>(isAnonymous: boolean, mayEnd: boolean, work: () => Promise<A>): Promise<A> => {
    if (!isAnonymous) await loading
    if (ended || state.phase === "stopped") throw stopped()
    const used = session.value()
    if (used === undefined && !isAnonymous) {
      throw new HubError({ status: 401, code: "signed_out", message: "Nobody is signed in to this hub." })
    }
    try {
      return await work()
    } catch (error) {
      // Only for the session that was sent, not for one that began in the meantime.
      if (isHubError(error) && error.status === 401 && mayEnd && used !== undefined && session.value() === used) {
        sessionEnded()
      }
      throw error
    }
  }

  const start = () => {
    const mine = ++starts
    endStream("begun_anew")
    checking = undefined
    set({ phase: "connecting", since: Date.now() })
    loading = session.load().then((cause) => {
      if (ended || mine !== starts || running !== undefined) return
      if (cause === undefined) follow()
      else set({ phase: "signed_out", since: Date.now(), cause })
    })
  }

  return {
    state: () => state,
    start,
    end: async () => {
      endStream("removed")
      ended = true
      listeners.clear()
      await Promise.all([transport.close(), anonymousTransport.close(), session.settled()])
    },
    retryNow: () => state.phase === "stopped" ? start() : feed?.retryNow(),
    wake: () => {
      transport.renew()
      anonymousTransport.renew()
      checking = undefined
      if (state.phase === "stopped") start()
      else feed?.wake()
    },
    keychainAnswers: () => {
      if (state.phase === "signed_out" && state.cause === "unreadable") start()
    },
    call: (endpoint, input, options) =>
      withSession(
        anonymousEndpoints.has(endpoint),
        !passwordEndpoints.has(endpoint),
        () => client.call(endpoint, input, options)
      ),
    open: (path, signal) => withSession(false, true, () => fetchChecked(`${profile.url}/api/v1${path}`, { signal })),
    openObject: (path, headers, signal) =>
      withSession(false, true, async () => {
        await ensureChecked()
        const location = await transport.locate(`${profile.url}/api/v1${path}`, signal)
        return transport.signed(location, { method: "GET", headers, signal })
      }),
    sendObject: ({ headers, method, url }, body, signal) =>
      withSession(false, true, async () => {
        await ensureChecked()
        const answer = await transport.signed(url, { method, headers, body, signal })
        if (answer.ok) return void await answer.body?.cancel()
        throw await refusalOf(answer)
      }),
    stream: (endpoint, input, options) => withSession(false, true, () => client.stream(endpoint, input, options)),
    listen: (listener) => {
      listeners.add(listener)
      if (state.phase === "connected") listener({ kind: "open" })
      return () => void listeners.delete(listener)
    },
    timeSample: () => sample,
    aheadMillis: clock.ahead
  }
}

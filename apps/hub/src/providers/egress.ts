/**
 * The hub's only HTTP client for outbound calls. It refuses addresses that are not public (before and after
 * connecting), follows no redirect of a request that may change something, bounds answers, and reports whether bytes of
 * a request may have been sent, because charges depend on it. Spec: reference/services.md "Outbound calls",
 * reference/requests.md "Unknown outcomes".
 */
import { Context, Effect, Layer, type Scope } from "effect"
import type { Agent, Dispatcher } from "undici"
import { type LazyAgent, lazyAgent } from "./agent.ts"
import { type EgressOptions, guardedConnector } from "./egress-connector.ts"
import {
  type EgressError,
  EgressRefused,
  ofRedirect,
  reasonOf,
  type Redirect,
  ResponseTooLarge,
  UpstreamTimeout,
  UpstreamUnreachable
} from "./egress-errors.ts"
import { checkUrl } from "./egress-rules.ts"
import { type EgressStreamRequest, streamCall, type StreamedHead } from "./egress-stream.ts"
import { headerRefusal } from "./header-rules.ts"

/** The part of an answer that is read, in bytes; a longer answer is `truncated`. */
export const answerBytesMax = 1024 * 1024
/** How much of a longer answer is read and discarded before the connection is cut, in bytes. */
export const drainBytesMax = 32 * 1024 * 1024
const drainMillisMax = 30_000
export const redirectsMax = 3
/**
 * A reused idle connection may be dead, and a request written to it has an unknown outcome, so idle times are short.
 */
const keepAliveMillis = 4_000
const headerBytesMax = 64 * 1024

export interface EgressRequest {
  readonly url: string
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** For the whole call: DNS, connecting, redirects, the answer's last byte. */
  readonly timeoutMs: number
  readonly maxBytes?: number
  /**
   * Whether a longer answer is cut off and marked (default), or an error: its rest is read and discarded, so that the
   * provider finishes. `cut`: marked too, and its connection ends with the call, for addresses that nobody trusts.
   */
  readonly overflow?: "truncate" | "cut" | "fail"
  /** The URL is the operator's own setting: its address is not checked. Its redirects are. */
  readonly trusted?: boolean
}

export interface EgressAnswer {
  readonly status: number
  /** Names in lower case; repeated ones joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly truncated: boolean
  /** The URL that answered, after redirects. */
  readonly url: string
}

/** Headers that are sent on after a redirect to another origin; any other may be a credential. */
const travellingHeaders: ReadonlySet<string> = new Set(["accept", "accept-language", "user-agent", "idempotency-key"])

export class Egress extends Context.Service<Egress, {
  /**
   * One call. GET and HEAD follow at most three redirects, each checked again; credentials stay with their origin. Any
   * other method gets its 3xx as the answer. An interrupt aborts the call.
   */
  readonly request: (request: EgressRequest) => Effect.Effect<EgressAnswer, EgressError>
  /** One call whose answer is read while it arrives. A redirect is the answer. An interrupt aborts the call. */
  readonly stream: (request: EgressStreamRequest) => Effect.Effect<StreamedHead, EgressError>
}>()("@countersign/hub/providers/Egress") {
  static readonly layer = (options: EgressOptions): Layer.Layer<Egress> => Layer.effect(Egress, makeEgress(options))
}

/** The state of a running call. */
interface Flight {
  sent: boolean
  status: number | undefined
  /** The last redirect answer. */
  redirect: Redirect | undefined
  /** Aborts the current exchange. */
  abort: () => void
}

interface Agents<A> {
  readonly guarded: A
  readonly trusted: A
}

export const makeEgress = (options: EgressOptions): Effect.Effect<Egress["Service"], never, Scope.Scope> =>
  Effect.gen(function*() {
    // Two pools, so that no call reuses a connection that was opened under the other rule.
    const pools: Agents<LazyAgent> = { guarded: yield* agentOf(options, false), trusted: yield* agentOf(options, true) }
    const withAgents = <A, E>(use: (agents: Agents<Agent>) => Effect.Effect<A, E>): Effect.Effect<A, E> => {
      const [guarded, trusted] = [pools.guarded.opened(), pools.trusted.opened()]
      if (guarded !== undefined && trusted !== undefined) return use({ guarded, trusted })
      return Effect.flatMap(
        Effect.promise(async () => ({ guarded: await pools.guarded.open(), trusted: await pools.trusted.open() })),
        use
      )
    }
    return Egress.of({
      request: (request) => withAgents((agents) => call(agents, request)),
      stream: (request) => {
        const url = accept(request.url)
        const headers = acceptHeaders(request.headers ?? {})
        if (url instanceof EgressRefused) return Effect.fail(url)
        if (headers instanceof EgressRefused) return Effect.fail(headers)
        return withAgents(({ guarded, trusted }) =>
          streamCall(request.trusted === true ? trusted : guarded, url, headers, request, flatten)
        )
      }
    })
  })

const agentOf = (options: EgressOptions, trusted: boolean): Effect.Effect<LazyAgent, never, Scope.Scope> =>
  lazyAgent((undici) =>
    new undici.Agent({
      connect: guardedConnector(undici, options, trusted),
      allowH2: false,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: headerBytesMax,
      keepAliveTimeout: keepAliveMillis,
      keepAliveMaxTimeout: keepAliveMillis
    })
  )

/**
 * A call with its redirects, under one time limit. Plain callbacks and one timer: a fiber for the limit and for each
 * redirect costs a call more than undici does.
 */
const call = (agents: Agents<Agent>, request: EgressRequest): Effect.Effect<EgressAnswer, EgressError> =>
  Effect.callback<EgressAnswer, EgressError>((resume) => {
    const method = request.method.toUpperCase()
    const isRedirectable = method === "GET" || method === "HEAD"
    const flight: Flight = { sent: false, status: undefined, redirect: undefined, abort: () => {} }
    let isOver = false
    const end = (result: EgressAnswer | EgressError): void => {
      isOver = true
      clearTimeout(limit)
      resume(isAnswer(result) ? Effect.succeed(result) : Effect.fail(ofRedirect(result, flight.redirect)))
    }
    const limit = setTimeout(() => {
      const { abort, sent, status } = flight
      end(
        new UpstreamTimeout({
          sent,
          timeout_ms: Math.ceil(request.timeoutMs),
          ...status === undefined ? {} : { status }
        })
      )
      abort()
    }, request.timeoutMs)

    const hop = (text: string, given: Readonly<Record<string, string>>, from: URL | undefined, hops: number): void => {
      const target = accept(text)
      if (target instanceof EgressRefused) return end(target)
      const headers = from === undefined || from.origin === target.origin ? given : travelling(given)
      const agent = request.trusted === true && hops === 0 ? agents.trusted : agents.guarded
      exchange(agent, { ...request, method, headers }, target, flight, (result) => {
        if (isOver) return
        const location = isAnswer(result) && isRedirectable && isRedirect(result.status)
          ? result.headers["location"]
          : undefined
        if (location === undefined || !isAnswer(result)) return end(result)
        flight.redirect = { to: placeOf(location, target), status: result.status }
        if (hops === redirectsMax) return end(new EgressRefused({ reason: `more than ${redirectsMax} redirects` }))
        const next = URL.parse(location, target.href)
        if (next === null) return end(new EgressRefused({ reason: "a redirect to an invalid URL" }))
        // The previous hop was answered in full: its outcome is known.
        flight.sent = false
        flight.status = undefined
        hop(next.href, headers, target, hops + 1)
      })
    }

    const headers = acceptHeaders(request.headers ?? {})
    if (headers instanceof EgressRefused) end(headers)
    else hop(request.url, headers, undefined, 0)
    return Effect.sync(() => {
      isOver = true
      clearTimeout(limit)
      flight.abort()
    })
  })

const isAnswer = (result: EgressAnswer | EgressError): result is EgressAnswer => !("_tag" in result)

const travelling = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => travellingHeaders.has(name)))

/** The target of a redirect: the host, or the scheme of a URL that is not a web address. */
const placeOf = (location: string, from: URL): string => {
  const url = URL.parse(location, from.href)
  if (url === null) return "an invalid URL"
  return url.host === "" ? `a ${url.protocol} address` : url.host
}

const isRedirect = (status: number) =>
  status === 301 || status === 302 || status === 303 || status === 307 || status === 308

const accept = (text: string): URL | EgressRefused => {
  const checked = checkUrl(text)
  return "url" in checked ? checked.url : new EgressRefused({ reason: `the URL is not allowed: ${checked.problem}` })
}

const acceptHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> | EgressRefused => {
  const accepted: Record<string, string> = { "user-agent": "countersign", accept: "*/*", "accept-encoding": "identity" }
  for (const [name, value] of Object.entries(headers)) {
    const refusal = headerRefusal(name, value)
    if (refusal !== undefined) return new EgressRefused({ reason: refusal })
    accepted[name.toLowerCase()] = value
  }
  return accepted
}

/**
 * One request and its answer, no redirects. `flight.sent` turns true when undici hands the request to a connected
 * socket: nothing was written before, anything may have been after. undici writes to that socket in the same turn and
 * never repeats a request by itself.
 */
const exchange = (
  agent: Agent,
  request: EgressRequest,
  url: URL,
  flight: Flight,
  done: (result: EgressAnswer | EgressError) => void
): void => {
  const maxBytes = request.maxBytes ?? answerBytesMax
  const chunks: Array<Buffer> = []
  let size = 0
  let headers: Record<string, string> = {}
  let controller: Dispatcher.DispatchController | undefined
  let isCancelled = false
  let drain: NodeJS.Timeout | undefined
  flight.abort = () => {
    isCancelled = true
    controller?.abort(new Error("cancelled"))
  }

  const answered = (truncated: boolean) =>
    done({
      status: flight.status!,
      headers,
      body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks),
      truncated,
      url: url.href
    })

  agent.dispatch({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: request.method as Dispatcher.HttpMethod,
    headers: request.headers ?? {},
    body: request.body === undefined
      ? null
      : typeof request.body === "string"
      ? request.body
      : Buffer.from(request.body)
  }, {
    onRequestStart(given) {
      controller = given
      if (isCancelled) return given.abort(new Error("cancelled"))
      flight.sent = true
    },
    onResponseStart(_controller, status, received) {
      if (status < 200) return
      flight.status = status
      headers = flatten(received)
    },
    onResponseData(given, chunk) {
      if (isCancelled) return
      const room = maxBytes - size
      size += chunk.length
      if (drain !== undefined) {
        if (size > maxBytes + drainBytesMax) given.abort(new Error("too long"))
        return
      }
      if (chunk.length <= room) {
        chunks.push(chunk)
        return
      }
      chunks.push(chunk.subarray(0, room))
      if (request.overflow === "cut") {
        answered(true)
        return flight.abort()
      }
      drain = setTimeout(() => given.abort(new Error("too long")), drainMillisMax)
      drain.unref()
      if (request.overflow === "fail") done(new ResponseTooLarge({ max_bytes: maxBytes }))
      else answered(true)
    },
    onResponseEnd() {
      clearTimeout(drain)
      if (drain === undefined) answered(false)
    },
    onResponseError(_controller, error) {
      clearTimeout(drain)
      if (drain === undefined) done(failure(error, flight))
    }
  })
}

const flatten = (
  received: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
): Record<string, string> => {
  const flat: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(received)) {
    if (value !== undefined) flat[name.toLowerCase()] = typeof value === "string" ? value : value.join(", ")
  }
  return flat
}

const failure = (error: Error, flight: Flight): EgressRefused | UpstreamUnreachable =>
  error instanceof EgressRefused
    ? error
    : new UpstreamUnreachable({
      sent: flight.sent,
      reason: reasonOf(error),
      ...flight.status === undefined ? {} : { status: flight.status }
    })

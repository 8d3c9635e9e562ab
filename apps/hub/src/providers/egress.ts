/**
 * The hub's only way out over HTTP. It refuses addresses that are not public (before and after connecting), follows no redirect
 * of a request that may change something, bounds answers, and tells the one fact that money depends on: whether bytes of a
 * request may have left. Spec: contract 2 "Outbound calls", "Unknown fate".
 */
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import { lookup } from "node:dns/promises"
import { isIP, type Socket } from "node:net"
import { Agent, buildConnector, type Dispatcher } from "undici"
import { addressRefusal, type AllowEntry, checkUrl, hostOf, isAddressListed, isNameAllowed } from "./egress-rules.ts"

/** What is read of an answer, in bytes; beyond it the answer is `truncated`. */
export const answerBytesMax = 1024 * 1024
/** What is read and thrown away of a longer answer before the connection is cut, in bytes. */
export const drainBytesMax = 32 * 1024 * 1024
const drainMillisMax = 30_000
export const redirectsMax = 3
const connectMillisMax = 10_000
/** For an address that has others after it. */
const connectMillisNext = 3_000
const addressesMax = 4
/** An idle connection that is reused may be dead, and a request written to it has an unknown fate: keep them short. */
const keepAliveMillis = 4_000
const headerBytesMax = 64 * 1024

/** The hub will not make this call. `message` is safe to show to anyone. */
export class EgressRefused extends Schema.TaggedError<EgressRefused>()("EgressRefused", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

/**
 * No full answer came. `sent: false`: no byte of the request left (no DNS, refused, TLS failed), nothing was done. `sent: true`:
 * its outcome is unknown, whatever `status` the answer began with.
 */
export class UpstreamUnreachable extends Schema.TaggedError<UpstreamUnreachable>()("UpstreamUnreachable", {
  sent: Schema.Boolean,
  reason: Schema.String,
  status: Schema.optionalKey(Schema.Int)
}) {
  override get message() {
    return this.reason
  }
}

/** As `UpstreamUnreachable`, by time. */
export class UpstreamTimeout extends Schema.TaggedError<UpstreamTimeout>()("UpstreamTimeout", {
  sent: Schema.Boolean,
  timeout_ms: Schema.Int,
  status: Schema.optionalKey(Schema.Int)
}) {
  override get message() {
    return `no full answer within ${this.timeout_ms} ms`
  }
}

/** Only with `overflow: "fail"`. */
export class ResponseTooLarge extends Schema.TaggedError<ResponseTooLarge>()("ResponseTooLarge", {
  max_bytes: Schema.Int
}) {
  override get message() {
    return `the answer is longer than ${this.max_bytes} bytes`
  }
}

export type EgressError = EgressRefused | UpstreamUnreachable | UpstreamTimeout | ResponseTooLarge

export interface EgressRequest {
  readonly url: string
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** For the whole: DNS, connecting, redirects, the answer's last byte. */
  readonly timeoutMs: number
  readonly maxBytes?: number
  /** What a longer answer is: cut off and marked (default), or an error. */
  readonly overflow?: "truncate" | "fail"
  /** The URL is the operator's own setting: its address is called wherever it is. What it redirects to is checked. */
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

/** All addresses of a name, as the system's resolver gives them. */
export type Resolve = (hostname: string) => Promise<ReadonlyArray<string>>

export interface EgressOptions {
  readonly allow: ReadonlyArray<AllowEntry>
  readonly resolve?: Resolve
}

/** Headers that frame the message: the hub's own, never a caller's. */
export const framingHeaders: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "upgrade",
  "te",
  "trailer",
  "expect",
  "proxy-authorization",
  "proxy-connection",
  "http2-settings"
])
/** What goes along over a redirect to another origin; anything else may be a credential. */
const travellingHeaders: ReadonlySet<string> = new Set(["accept", "accept-language", "user-agent", "idempotency-key"])

export class Egress extends Context.Service<Egress, {
  /**
   * One call. GET and HEAD follow at most three redirects, each checked anew, credentials staying with their origin; any other
   * method gets its 3xx as the answer. An interrupt aborts the call.
   */
  readonly request: (request: EgressRequest) => Effect.Effect<EgressAnswer, EgressError>
}>()("@countersign/hub/providers/Egress") {
  static readonly layer = (options: EgressOptions): Layer.Layer<Egress> => Layer.effect(Egress, makeEgress(options))
}

const systemResolve: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address)

/** What is known of a call while it runs. */
interface Flight {
  sent: boolean
  status: number | undefined
}

export const makeEgress = (options: EgressOptions): Effect.Effect<Egress["Service"], never, Scope.Scope> =>
  Effect.gen(function*() {
    // Two pools: no call finds a connection that was opened under the other's rule.
    const agents = { guarded: yield* agentOf(options, false), trusted: yield* agentOf(options, true) }

    const request = Effect.fnUntraced(function*(request: EgressRequest) {
      const flight: Flight = { sent: false, status: undefined }
      return yield* follow(agents, request, flight).pipe(
        Effect.timeoutOrElse({
          duration: request.timeoutMs,
          orElse: () =>
            Effect.fail(
              new UpstreamTimeout({
                sent: flight.sent,
                timeout_ms: request.timeoutMs,
                ...flight.status === undefined ? {} : { status: flight.status }
              })
            )
        })
      )
    })
    return Egress.of({ request })
  })

interface Agents {
  readonly guarded: Agent
  readonly trusted: Agent
}

const agentOf = (options: EgressOptions, trusted: boolean): Effect.Effect<Agent, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      new Agent({
        connect: guardedConnector(options, trusted),
        allowH2: false,
        pipelining: 1,
        headersTimeout: 0,
        bodyTimeout: 0,
        maxHeaderSize: headerBytesMax,
        keepAliveTimeout: keepAliveMillis,
        keepAliveMaxTimeout: keepAliveMillis
      })
    ),
    (agent) => Effect.promise(() => agent.destroy())
  )

const follow = Effect.fnUntraced(function*(agents: Agents, request: EgressRequest, flight: Flight) {
  const method = request.method.toUpperCase()
  const redirectable = method === "GET" || method === "HEAD"
  let target = yield* accept(request.url)
  let headers = yield* acceptHeaders(request.headers ?? {})
  for (let hops = 0;; hops++) {
    const agent = request.trusted === true && hops === 0 ? agents.trusted : agents.guarded
    const answer: EgressAnswer = yield* exchange(agent, { ...request, method, headers }, target, flight)
    const location = answer.headers["location"]
    if (!redirectable || location === undefined || !isRedirect(answer.status)) return answer
    if (hops === redirectsMax) return yield* new EgressRefused({ reason: `more than ${redirectsMax} redirects` })
    if (!URL.canParse(location, target.href)) {
      return yield* new EgressRefused({ reason: "a redirect to what is no URL" })
    }
    const next = yield* accept(new URL(location, target).href)
    if (next.origin !== target.origin) {
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => travellingHeaders.has(name)))
    }
    target = next
    // The hop before was answered in full: nothing of it is in doubt.
    flight.sent = false
    flight.status = undefined
  }
})

const isRedirect = (status: number) =>
  status === 301 || status === 302 || status === 303 || status === 307 || status === 308

const accept = (text: string): Effect.Effect<URL, EgressRefused> => {
  const checked = checkUrl(text)
  return "url" in checked
    ? Effect.succeed(checked.url)
    : Effect.fail(new EgressRefused({ reason: `the URL may not be called: ${checked.problem}` }))
}

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** Why a name and value cannot be a header of ours, or `undefined`; the value is not repeated, it may be a secret. */
export const headerRefusal = (name: string, value: string): string | undefined => {
  if (!headerName.test(name.toLowerCase())) return "a header has a name that HTTP does not allow"
  if (framingHeaders.has(name.toLowerCase())) return `the header "${name.toLowerCase()}" is set by the hub`
  if (!headerValue.test(value)) return `the header "${name.toLowerCase()}" holds characters that HTTP does not allow`
  return undefined
}

const acceptHeaders = (
  headers: Readonly<Record<string, string>>
): Effect.Effect<Record<string, string>, EgressRefused> => {
  const accepted: Record<string, string> = { "user-agent": "countersign", accept: "*/*", "accept-encoding": "identity" }
  for (const [name, value] of Object.entries(headers)) {
    const refusal = headerRefusal(name, value)
    if (refusal !== undefined) return Effect.fail(new EgressRefused({ reason: refusal }))
    accepted[name.toLowerCase()] = value
  }
  return Effect.succeed(accepted)
}

/**
 * One request and its answer, no redirects. `flight.sent` turns true when undici hands the request to a connected socket:
 * nothing was written before, anything may have been after. undici writes to that socket in the same turn and never repeats a
 * request by itself.
 */
const exchange = (agent: Agent, request: EgressRequest, url: URL, flight: Flight) =>
  Effect.callback<EgressAnswer, EgressRefused | UpstreamUnreachable | ResponseTooLarge>((resume) => {
    const maxBytes = request.maxBytes ?? answerBytesMax
    const chunks: Array<Buffer> = []
    let size = 0
    let headers: Record<string, string> = {}
    let controller: Dispatcher.DispatchController | undefined
    let cancelled = false
    let drain: NodeJS.Timeout | undefined

    const answered = (truncated: boolean) =>
      resume(Effect.succeed({ status: flight.status!, headers, body: Buffer.concat(chunks), truncated, url: url.href }))

    agent.dispatch({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.method as Dispatcher.HttpMethod,
      headers: { ...request.headers },
      body: request.body === undefined
        ? null
        : typeof request.body === "string"
        ? request.body
        : Buffer.from(request.body)
    }, {
      onRequestStart(given) {
        controller = given
        if (cancelled) return given.abort(new Error("cancelled"))
        flight.sent = true
      },
      onResponseStart(_controller, status, received) {
        if (status < 200) return
        flight.status = status
        headers = flatten(received)
      },
      onResponseData(given, chunk) {
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
        drain = setTimeout(() => given.abort(new Error("too long")), drainMillisMax)
        drain.unref()
        if (request.overflow === "fail") resume(Effect.fail(new ResponseTooLarge({ max_bytes: maxBytes })))
        else answered(true)
      },
      onResponseEnd() {
        clearTimeout(drain)
        if (drain === undefined) answered(false)
      },
      onResponseError(_controller, error) {
        clearTimeout(drain)
        if (drain === undefined) resume(Effect.fail(failure(error, flight)))
      }
    })

    return Effect.sync(() => {
      cancelled = true
      controller?.abort(new Error("cancelled"))
    })
  })

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

/** Words for an error of the network, by its code: a library's own message may quote a header or an address. */
const reasonOf = (error: Error & { readonly code?: unknown }): string => {
  const inner = error instanceof AggregateError ? error.errors[0] : undefined
  const code = String(error.code ?? (inner as { readonly code?: unknown } | undefined)?.code ?? "")
  const words = reasons[code]
  if (words !== undefined) return words
  if (/CERT|SSL|TLS|SELF_SIGNED|ISSUER/.test(code)) return `no trusted TLS connection (${code})`
  if (error.name === "HTTPParserError" || code.startsWith("HPE_")) return "it answered with what is not HTTP"
  return code === "" ? "the connection failed" : `the connection failed (${code})`
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed before a full answer",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ENOTFOUND: "the host name does not resolve",
  EAI_AGAIN: "the host name could not be resolved",
  UND_ERR_HEADERS_OVERFLOW: "its headers are too long",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "its answer was cut short",
  UND_ERR_INVALID_ARG: "the request cannot be written as HTTP"
}

/**
 * Resolves, checks every address, connects to one of those that were checked, and looks again at the address that answered: a
 * name that changes between check and connection gets nowhere.
 */
const guardedConnector = (
  { allow, resolve = systemResolve }: EgressOptions,
  trustAll: boolean
): buildConnector.connector => {
  const last = buildConnector({ allowH2: false, timeout: connectMillisMax })
  const early = buildConnector({ allowH2: false, timeout: connectMillisNext })
  const dial = (connector: buildConnector.connector, options: buildConnector.Options) =>
    new Promise<Socket>((done, fail) => connector(options, (error, socket) => error ? fail(error) : done(socket!)))

  const connect = async (options: buildConnector.Options): Promise<Socket> => {
    const hostname = hostOf(options.hostname)
    const port = options.port === "" ? (options.protocol === "https:" ? 443 : 80) : Number(options.port)
    const trusted = trustAll || isNameAllowed(allow, hostname, port)
    const addresses = isIP(hostname) === 0 ? await withinConnectTime(resolve(hostname.replace(/\.$/, ""))) : [hostname]
    if (addresses.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" })
    const [refusal] = trusted ? [] : addresses.flatMap((address) => addressRefusal(allow, address, port) ?? [])
    // A name that has an inner address is refused whole, unless the operator lists one of them: then only those are called.
    const callable = refusal === undefined
      ? addresses
      : addresses.filter((address) => isAddressListed(allow, address, port))
    if (refusal !== undefined && callable.length === 0) throw refused(hostname, refusal)
    let failed: unknown
    const tried = callable.slice(0, addressesMax)
    for (const [at, address] of tried.entries()) {
      try {
        const socket = await dial(at === tried.length - 1 ? last : early, { ...options, hostname: address })
        const reached = socket.remoteAddress ?? ""
        const refusal = trusted ? undefined : addressRefusal(allow, reached, port)
        if (refusal === undefined) return socket
        socket.on("error", () => {}).destroy()
        throw refused(hostname, refusal)
      } catch (error) {
        if (error instanceof EgressRefused) throw error
        failed = error
      }
    }
    throw failed
  }

  return (options, callback) => {
    connect(options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error("the connection failed"), null)
    )
  }
}

const refused = (hostname: string, refusal: string) =>
  new EgressRefused({
    reason: `the hub does not call ${hostname}: its address is ${refusal}. An operator may list it in HUB_EGRESS_ALLOW.`
  })

const withinConnectTime = <A>(promise: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(Object.assign(new Error("late"), { code: "EAI_AGAIN" })), connectMillisMax)
    timer.unref()
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

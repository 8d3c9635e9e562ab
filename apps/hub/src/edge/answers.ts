/**
 * Adds to every response: `x-request-id` and the security headers on all of them, the error envelope on every error,
 * whatever its source, and the CORS headers. Each request leaves one log line. A defect is logged with its cause and answered with a 500 that
 * contains nothing of it.
 */
import { HubApi } from "@countersign/domain/api"
import { type ApiError, statusOf } from "@countersign/domain/errors"
import { newId } from "@countersign/domain/ids"
import { Cause, Context, Effect, Layer, Option, References, type Types } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Settings } from "../config.ts"
import { isPassing } from "../platform/db.ts"
import { CurrentBudget } from "../platform/pool.ts"
import { type Phase, Readiness } from "../platform/readiness.ts"
import { counting, httpDuration, httpRequests, timing } from "../platform/telemetry.ts"
import { makeCors } from "./cors.ts"
import { drain } from "./drain.ts"
import { securityHeaders } from "./page-headers.ts"
import { CurrentNotes, RequestLog, type RequestNotes } from "./request-log.ts"

const callersId = /^[A-Za-z0-9._~:/+=@-]{1,128}$/

const codes: Readonly<Record<number, readonly [code: string, message: string]>> = {
  400: ["invalid_request", "The request could not be understood."],
  401: ["unauthorized", "Send a credential."],
  403: ["forbidden", "This is not allowed."],
  404: [
    "not_found",
    "This address does not exist. The API is under /api/v1; GET /api/v1/agent-docs lists its endpoints."
  ],
  405: ["method_not_allowed", "This address does not support this method."],
  408: ["invalid_request", "The request did not arrive in time."],
  413: ["payload_too_large", "The body is too large."],
  415: ["unsupported_media_type", "Send the body as application/json."],
  416: ["invalid_request", "The range is outside the object."],
  499: ["client_closed", "The client closed the connection."],
  500: ["internal_error", "An internal error occurred. Include the request id when you report it."],
  503: [
    "unavailable",
    "The hub cannot reach its database. Try again shortly. If this was a change, read the current state first."
  ]
}

/** The caller's own id, if it is safe to return, or a new one. */
const requestIdOf = (sent: string | undefined): string =>
  sent !== undefined && callersId.test(sent) ? sent : newId("evt").slice(4)

const decoder = new TextDecoder()

type WriteError = (requestId: string) => HttpServerResponse.HttpServerResponse
const otherForms = new WeakMap<HttpServerResponse.HttpServerResponse, WriteError>()

/** An error in another form than the envelope: addresses in the form of another API have that API's errors. */
export const errorInForm = (write: WriteError): HttpServerResponse.HttpServerResponse => {
  const response = write("")
  otherForms.set(response, write)
  return response
}

const isEnvelope = (value: unknown): value is { error: { code: string; request_id?: string } } =>
  typeof value === "object" && value !== null && "error" in value && typeof value.error === "object" &&
  value.error !== null &&
  "code" in value.error

/** The error body with its request id; replaces a framework's empty or text body. Notes its code. */
const withEnvelope = (
  response: HttpServerResponse.HttpServerResponse,
  { notes, requestId }: Pick<Answering, "notes" | "requestId">
): HttpServerResponse.HttpServerResponse => {
  if (response.body._tag === "Uint8Array" && response.headers["content-type"]?.includes("json") === true) {
    const parsed: unknown = JSON.parse(decoder.decode(response.body.body))
    // The form of RFC 6749, for OAuth clients.
    if (typeof parsed === "object" && parsed !== null && "error" in parsed && typeof parsed.error === "string") {
      return response
    }
    if (isEnvelope(parsed)) {
      const { code, ...rest } = parsed.error
      notes.outcome = code
      return HttpServerResponse.jsonUnsafe({ error: { code, ...rest, request_id: requestId } }, {
        status: response.status,
        headers: keep(response)
      })
    }
  }
  // An HTML error page is for a person.
  if (
    response.body._tag !== "Empty" && response.body._tag !== "Uint8Array" ||
    response.headers["content-type"]?.startsWith("text/html") === true
  ) {
    return response
  }
  const [code, message] = codes[response.status] ?? ["internal_error", "An internal error occurred."]
  notes.outcome = code
  return HttpServerResponse.jsonUnsafe({ error: { code, message, request_id: requestId } }, {
    status: response.status,
    headers: keep(response)
  })
}

/** Seconds after which a caller that got a 503 may try again. */
const unavailableRetrySeconds = "1"

const keep = (response: HttpServerResponse.HttpServerResponse): Record<string, string> => {
  const { "content-type": _type, "content-length": _length, ...headers } = response.headers as Record<string, string>
  const retry = response.body._tag === "Uint8Array" && response.headers["content-type"]?.includes("json") === true
    ? retryAfter(response.body.body)
    : undefined
  return {
    ...(response.status === 503 ? { "retry-after": unavailableRetrySeconds } : {}),
    ...headers,
    ...(retry === undefined ? {} : { "retry-after": retry }),
    ...(response.status === 401 && headers["www-authenticate"] === undefined
      ? { "www-authenticate": "Bearer realm=\"countersign\"" }
      : {})
  }
}

const retryAfter = (body: Uint8Array): string | undefined => {
  const seconds = (JSON.parse(decoder.decode(body)) as { error?: { data?: { retry_after_seconds?: number } } }).error
    ?.data
    ?.retry_after_seconds
  return seconds === undefined ? undefined : String(seconds)
}

/** Endpoints that answer in every phase of the hub. */
const alwaysAnswered = /^(?:\/api\/v1)?\/(?:health|ready|metrics)\/?(?:\?|$)/

/**
 * A hub that starts or stops accepts no requests: the caller retries, and reaches this hub, another one, or the next
 * start.
 */
const refusal = (message: string) =>
  HttpServerResponse.jsonUnsafe({ error: { code: "unavailable", message } }, {
    status: 503,
    headers: { connection: "close" }
  })
const refusals: Readonly<Record<Phase, HttpServerResponse.HttpServerResponse | undefined>> = {
  starting: refusal("The hub is starting. Try again shortly."),
  serving: undefined,
  draining: refusal("The hub is stopping. Try again shortly.")
}

/** Immediately, so that no request waits for a write that fails. Reads are answered. */
const diskFull = refusal(
  "The disk of the hub's database is full, so nothing can be changed. The operator must free space. Try again later."
)
const reads = new Set(["GET", "HEAD", "OPTIONS"])

/** A defect is logged with its cause; the response contains nothing of it. */
const fault = (
  cause: Cause.Cause<unknown>,
  asked: { readonly request_id: string; readonly method: string; readonly path: string }
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  isPassing(Cause.squash(cause))
    ? Effect.as(Effect.logWarning("the database is unavailable", cause), HttpServerResponse.empty({ status: 503 }))
    : Effect.logError("request failed", cause).pipe(
      Effect.annotateLogs(asked),
      Effect.as(HttpServerResponse.empty({ status: 500 }))
    )

/** A response as text, for a caller that has only the socket. */
export interface PlainAnswer {
  readonly status: number
  readonly text: string
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

const plain = (response: HttpServerResponse.HttpServerResponse, answering: Answering): PlainAnswer => {
  const { body, headers: { "content-type": _type, "content-length": _length, ...headers }, status } = withEnvelope(
    response,
    answering
  )
  return {
    status,
    text: body._tag === "Uint8Array" ? decoder.decode(body.body) : "",
    contentType: "application/json; charset=utf-8",
    headers: headers as Record<string, string>
  }
}

export const errorAnswer = (error: ApiError, answering: Answering): PlainAnswer =>
  plain(HttpServerResponse.jsonUnsafe({ error: error.error }, { status: statusOf(error) }), answering)

export const faultAnswer = (
  cause: Cause.Cause<unknown>,
  answering: Answering,
  asked: { readonly method: string; readonly path: string }
): Effect.Effect<PlainAnswer> =>
  Effect.map(fault(cause, { request_id: answering.requestId, ...asked }), (response) => plain(response, answering))

/**
 * The methods of an address: the contract's, and the root's own. An address accepts only the methods of its most exact
 * path, although the router would pass another method to a similar path with a parameter (`PATCH /devices/pair` to
 * `/devices/:id`, `DELETE /agents/:id/memories/graph` to `/agents/:id/memories/:memoryId`).
 */
const { exactMethodsOf, methodsOf, routeOf } = (() => {
  const fixed = new Map<string, Set<string>>()
  const templates = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  const add = (path: string, method: string) => {
    if (!path.includes(":")) return void fixed.set(path, (fixed.get(path) ?? new Set()).add(method))
    const known = templates.get(path) ??
      { pattern: new RegExp(`^${path.replace(/:[A-Za-z]\w*/g, "[^/]+")}/?$`, "iu"), methods: new Set<string>() }
    known.methods.add(method)
    templates.set(path, known)
  }
  // Not by `HttpApi.reflect`, which derives the schemas of all answers: a twentieth of a start.
  for (const { endpoints } of Object.values(HubApi.groups)) {
    for (const { method, path } of Object.values(endpoints)) add(path, method)
  }
  for (
    const path of [
      "/",
      "/docs",
      "/docs/api",
      "/docs/api/:group",
      "/docs/assets/:file",
      "/docs/search",
      "/docs/:page",
      "/llms.txt",
      "/health",
      "/ready",
      "/metrics"
    ]
  ) {
    add(path, "GET")
  }
  for (const path of ["/v1/chat/completions", "/v1/responses", "/v1/messages"]) add(path, "POST")
  add("/v1/models", "GET")
  for (const method of ["GET", "POST", "DELETE"]) add("/mcp", method)
  for (const path of ["protected-resource", "protected-resource/mcp", "authorization-server"]) {
    add(`/.well-known/oauth-${path}`, "GET")
  }
  for (const path of ["authorize", "client"]) add(`/oauth/${path}`, "GET")
  for (const path of ["authorize", "register", "revoke", "token"]) add(`/oauth/${path}`, "POST")
  for (const methods of [...fixed.values(), ...Array.from(templates.values(), ({ methods }) => methods)]) {
    if (methods.has("GET")) methods.add("HEAD")
    methods.add("OPTIONS")
  }
  const pathOf = (url: string) => url.split("?", 1)[0] ?? ""
  /** Each template with an example of its addresses, by the number of segments: only those can be special cases. */
  const bySegments = Map.groupBy(
    Array.from(templates, ([path, template]) => ({
      template,
      parameters: path.split("/:").length - 1,
      example: path.replace(/:[A-Za-z]\w*/g, "x")
    })),
    ({ example }) => example.split("/").length
  )
  /** Templates that are special cases of another one. */
  const exact = [...bySegments.values()].flatMap((alike) =>
    alike.filter(({ example, parameters }) =>
      alike.some((other) => other.parameters > parameters && other.template.pattern.test(example))
    ).map(({ template }) => template)
  )
  const exactMethodsOf = (url: string) => {
    const path = pathOf(url)
    return fixed.get(path.toLowerCase().replace(/(?<=.)\/$/, "")) ??
      exact.find(({ pattern }) => pattern.test(path))?.methods
  }
  const methodsOf = (url: string): ReadonlyArray<string> => {
    const found = exactMethodsOf(url) ??
      [...templates.values()].filter(({ pattern }) => pattern.test(pathOf(url))).flatMap(({ methods }) => [...methods])
    return [...new Set(found)].sort()
  }
  /** The path of the address with the names of its parameters; `other` for pages, files, and unknown addresses. */
  const routeOf = (url: string): string => {
    const path = pathOf(url)
    const own = path.toLowerCase().replace(/(?<=.)\/$/, "")
    return fixed.has(own) ? own : [...templates].find(([, { pattern }]) => pattern.test(path))?.[0] ?? "other"
  }
  return { exactMethodsOf, methodsOf, routeOf }
})()

/**
 * The response to OPTIONS, or to a method that an address does not accept; `undefined` for an unknown address or an
 * accepted method.
 */
const unrouted = (request: HttpServerRequest.HttpServerRequest): HttpServerResponse.HttpServerResponse | undefined => {
  const methods = methodsOf(request.url)
  if (methods.length === 0) return undefined
  const headers = { allow: methods.join(", ") }
  if (request.method === "OPTIONS") return HttpServerResponse.empty({ status: 204, headers })
  if (methods.includes(request.method)) return undefined
  const taken = methods.filter((method) => method !== "HEAD" && method !== "OPTIONS").join(", ")
  const message = `This address does not support ${request.method}. It supports ${taken}.`
  return HttpServerResponse.jsonUnsafe({ error: { code: "method_not_allowed", message, data: { methods } } }, {
    status: 405,
    headers
  })
}

/** The same, before the router matches a similar path with a parameter. */
const misdirected = (request: HttpServerRequest.HttpServerRequest): HttpServerResponse.HttpServerResponse | undefined =>
  exactMethodsOf(request.url)?.has(request.method) === false ? unrouted(request) : undefined

/** One request and its answer: the headers that every answer has, its count, its time, and its log line. */
export interface Answering {
  readonly requestId: string
  readonly notes: RequestNotes
  /** Counts and logs the answer and returns its common headers. `vary` is the answer's own. */
  readonly finish: (status: number, vary: string | undefined) => Readonly<Record<string, string>>
}

/** Starts and finishes answers, on every path. */
export class Answers extends Context.Service<Answers, {
  readonly begin: (method: string, url: string, headers: Readonly<Record<string, unknown>>) => Answering
}>()("@countersign/hub/edge/Answers") {
  static readonly layer = Layer.effect(
    Answers,
    Effect.gen(function*() {
      const context = yield* Effect.context<never>()
      const log = yield* RequestLog
      const { corsOrigins, publicUrl } = yield* Settings
      const cors = makeCors(corsOrigins)
      const security = securityHeaders(publicUrl)
      const count = counting(httpRequests, context)
      const time = timing(httpDuration, context)
      return Answers.of({
        begin: (method, url, headers) => {
          const requestId = requestIdOf(headers["x-request-id"] as string | undefined)
          const started = performance.now()
          const notes: RequestNotes = {}
          return {
            requestId,
            notes,
            finish: (status, vary) => {
              const milliseconds = performance.now() - started
              const route = notes.route ?? routeOf(url)
              count({ method, route, status: String(status) })
              time(milliseconds, { method, route })
              log.record({ requestId, method, route, status, milliseconds, notes })
              return cors === undefined
                ? { "x-request-id": requestId, ...security }
                : {
                  "x-request-id": requestId,
                  ...security,
                  ...cors.grantOf(headers["origin"] as string | undefined, vary)
                }
            }
          }
        }
      })
    })
  ).pipe(Layer.provide(RequestLog.layer))
}

export const answersLayer = Layer.unwrap(Effect.gen(function*() {
  const answers = yield* Answers
  const { corsOrigins, otlpEndpoint } = yield* Settings
  const { preflight } = makeCors(corsOrigins) ?? {}
  const readiness = yield* Readiness
  const isTraced = Option.isSome(otlpEndpoint)

  const recover = (request: HttpServerRequest.HttpServerRequest, requestId: string) => (cause: Cause.Cause<unknown>) =>
    Effect.flatMap(HttpServerError.causeResponse(cause), ([response]) => {
      if (response.status === 404) return Effect.succeed(unrouted(request) ?? response)
      if (response.status < 500 || response.status === 503) return Effect.succeed(response)
      return fault(cause, { request_id: requestId, method: request.method, path: request.url.split("?", 1)[0] ?? "" })
    })

  const answer = (app: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const answering = answers.begin(request.method, request.url, request.headers)
      const { notes, requestId } = answering
      const finish = (response: HttpServerResponse.HttpServerResponse) => {
        const final = response.status < 400
          ? response
          : otherForms.get(response)?.(requestId) ?? withEnvelope(response, answering)
        return HttpServerResponse.setHeaders(final, {
          ...answering.finish(final.status, final.headers["vary"]),
          ...final.headers["content-type"] === "application/json"
            ? { "content-type": "application/json; charset=utf-8" }
            : {}
        })
      }
      const asked = preflight?.(request, methodsOf(request.url))
      if (asked !== undefined) return Effect.succeed(finish(asked))
      const wrong = misdirected(request)
      if (wrong !== undefined) return Effect.as(drain(request), finish(wrong))
      const refused = refusals[readiness.phase()] ??
        (readiness.isDiskFull() && !reads.has(request.method) ? diskFull : undefined)
      const routed = refused === undefined || alwaysAnswered.test(request.url) ? app : Effect.succeed(refused)
      const handled = isTraced ? Effect.andThen(Effect.annotateCurrentSpan({ request_id: requestId }), routed) : routed
      return handled.pipe(
        Effect.catchCause(recover(request, requestId)),
        Effect.flatMap((response) =>
          response.status >= 400 ? Effect.as(drain(request), finish(response)) : Effect.succeed(finish(response))
        ),
        Effect.provideService(CurrentNotes, notes),
        Effect.provideService(References.CurrentLogAnnotations, { request_id: requestId }),
        Effect.provideService(CurrentBudget, { spentMillis: 0 })
      )
    })
  // Every failure is already a response here; the router's type requires this statement.
  return HttpRouter.middleware(
    answer as unknown as (
      app: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>,
    { global: true }
  )
})).pipe(Layer.provide(Answers.layer))

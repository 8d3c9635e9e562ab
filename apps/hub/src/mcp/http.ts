/**
 * `/mcp`: streamable HTTP. Credential, origin and limits are checked before the protocol is read. Spec: reference/mcp.md
 * "Protocol", "Credentials".
 */
import { apiVersion } from "@countersign/domain/discovery"
import { type ApiError, forbidden, invalidRequest, statusOf } from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { isJsonObject } from "@countersign/domain/json"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHmac } from "node:crypto"
import { isIP } from "node:net"
import { Settings } from "../config.ts"
import { Admission, bucketOf } from "../edge/admission.ts"
import { makeClientAddress } from "../edge/client-address.ts"
import { OpenCalls } from "../edge/open-calls.ts"
import { readJson } from "../edge/request-body.ts"
import { isOffered, issuerOf, metadataUrl, scope } from "../oauth/rules.ts"
import { idempotencyKeyOf, sentHeaders } from "../platform/idempotency-key.ts"
import { MasterKey } from "../platform/master-key.ts"
import { Signals } from "../platform/signals.ts"
import { McpCallers } from "./callers.ts"
import { McpCalls } from "./calls.ts"

/** How often the credential of an open connection is checked, in milliseconds. */
const checkMillis = 2_000
const bothTypes = "application/json, text/event-stream"
const queries: ReadonlySet<string> = new Set(["agent_id", "services", "tools"])

/** The query of a connection; 400 for an unknown one. */
const queryOf = (url: string): Effect.Effect<URLSearchParams, ApiError> => {
  const query = new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?") + 1) : "")
  const unknown = [...query.keys()].filter((name) => !queries.has(name))
  if (unknown.length > 0) {
    return Effect.fail(
      invalidRequest(
        "A query parameter is not valid.",
        unknown.map((path) => ({ path, message: "unknown query parameter" }))
      )
    )
  }
  const tools = query.get("tools")
  return tools === null || tools === "search"
    ? Effect.succeed(query)
    : Effect.fail(invalidRequest("The query is not valid.", [{ path: "tools", message: "the only value is search" }]))
}

/** Names of a host that nobody else can point at the hub: `localhost`, and addresses. */
const isOwnHost = (url: URL): boolean =>
  url.hostname === "localhost" || isIP(url.hostname.replace(/^\[|\]$/gu, "")) !== 0

/**
 * A page of another origin may not call the hub, even with a credential. Its name may have been rebound to the hub's
 * address, so an origin that equals the header `host` counts only if it is no name.
 */
const refusedOrigin = (
  { headers }: HttpServerRequest.HttpServerRequest,
  { corsOrigins, publicUrl }: Pick<typeof Settings.Service, "corsOrigins" | "publicUrl">
): boolean => {
  const { host, origin } = headers
  if (origin === undefined) return false
  const sent = URL.parse(origin)
  return sent === null ||
    !(sent.origin === publicUrl.origin || (sent.host === host && isOwnHost(sent)) || corsOrigins.includes(origin) ||
      corsOrigins.includes("*"))
}

/** Methods of the protocol whose answer stays open. */
const staysOpen = (body: unknown): boolean =>
  isJsonObject(body) && (body["method"] === "subscriptions/listen" ||
    isJsonObject(body["params"]) && body["params"]["name"] === "wait")

/** A 401 says where a client can sign in (RFC 9728). */
const challengeOf = ({ headers }: HttpServerRequest.HttpServerRequest, publicUrl: URL): string =>
  [
    "Bearer realm=\"countersign\"",
    ...headers["authorization"] === undefined ? [] : ["error=\"invalid_token\""],
    ...isOffered(publicUrl)
      ? [`resource_metadata="${metadataUrl(issuerOf(publicUrl, headers["host"]))}"`, `scope="${scope}"`]
      : []
  ].join(", ")

const refusal = (error: ApiError) => HttpServerResponse.jsonUnsafe({ error: error.error }, { status: statusOf(error) })

export const mcpLayer = Layer.unwrap(Effect.gen(function*() {
  const callers = yield* McpCallers
  const calls = yield* McpCalls
  const admission = yield* Admission
  const openCalls = yield* OpenCalls
  const settings = yield* Settings
  const signals = yield* Signals
  const { key } = yield* MasterKey
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const addressOf = makeClientAddress(settings.trustedProxies)
  const stateKey = createHmac("sha256", Redacted.value(key)).update("countersign mcp request state 1").digest()

  const onChange = (org: OrgId) => (listener: () => void) =>
    signals.subscribe((signal) => {
      if (signal.kind === "resync" || signal.kind === "config" && signal.org === org) listener()
    })

  const serve = Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const ip = addressOf(request)
    const query = yield* queryOf(request.url)
    const agentId = query.get("agent_id") ?? undefined
    const caller = yield* callers.of({ request, ip, agentId })
    if (refusedOrigin(request, settings)) {
      return yield* Effect.fail(
        forbidden("The request comes from a page of another origin.", { origin: request.headers["origin"] })
      )
    }
    const limited = admission.limit(caller.principal)
    if (limited?.refusal !== undefined) return HttpServerResponse.setHeaders(refusal(limited.refusal), limited.headers)
    const body = request.method === "POST" ? yield* readJson(request) : undefined
    const idempotencyKey = yield* idempotencyKeyOf(sentHeaders(request))
    if (staysOpen(body?.value)) {
      yield* openCalls.hold(bucketOf(caller.principal), caller.principal.kind === "user" ? ip : undefined)
    }

    const hangUp = new AbortController()
    const response = NodeHttpServerRequest.toServerResponse(request)
    const sent = new Promise<boolean>((resolve) => {
      response.once("close", () => {
        resolve(response.writableFinished)
        hangUp.abort(new Error("the connection ended"))
      })
    })
    // Ends an open connection when its credential ends, and when the hub stops.
    const unsubscribe = signals.subscribe(({ kind }) => kind === "stop" && hangUp.abort(new Error("the hub stops")))
    yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
    yield* Effect.sleep(checkMillis).pipe(
      Effect.andThen(callers.of({ request, ip, agentId })),
      Effect.forever,
      Effect.catch(() => Effect.sync(() => hangUp.abort(new Error("the credential ended")))),
      Effect.forkScoped
    )

    // The SDK is read at its first use: few hubs of a machine have MCP clients.
    const { mcpHandlerOf } = yield* Effect.promise(() => import("./server.ts"))
    const handler = mcpHandlerOf(
      {
        caller,
        calls,
        run,
        sent,
        hungUp: () => hangUp.signal.aborted,
        key: idempotencyKey,
        headers: request.headers,
        view: {
          services: query.has("services") ? new Set(query.get("services")?.split(",")) : undefined,
          search: query.get("tools") === "search"
        },
        onChange: onChange(caller.org),
        publicOrigin: settings.publicUrl.origin,
        stateKey,
        version: apiVersion
      },
      (error) => void run(Effect.logDebug("an MCP request was refused or failed", Cause.fail(error)))
    )
    const { authorization: _credential, ...headers } = request.headers
    const { accept } = headers
    const web = new Request(new URL(request.url, settings.publicUrl), {
      method: request.method,
      headers: { ...headers, ...accept === undefined || accept === "*/*" ? { accept: bothTypes } : {} },
      signal: hangUp.signal,
      ...body === undefined ? {} : { body: body.text }
    })
    const answer = yield* Effect.promise(() => handler.fetch(web, body === undefined ? {} : { parsedBody: body.value }))
    return HttpServerResponse.setHeaders(HttpServerResponse.fromWeb(answer), {
      ...limited?.headers,
      "cache-control": "no-store",
      "x-accel-buffering": "no"
    })
  }).pipe(
    Effect.catch((error) =>
      HttpServerRequest.HttpServerRequest.use((request) =>
        Effect.succeed(
          statusOf(error) === 401
            ? HttpServerResponse.setHeader(refusal(error), "www-authenticate", challengeOf(request, settings.publicUrl))
            : refusal(error)
        )
      )
    )
  )

  return HttpRouter.use((router) =>
    Effect.forEach(["GET", "POST", "DELETE"] as const, (method) => router.add(method, "/mcp", serve), { discard: true })
  )
})).pipe(Layer.provide(Admission.layer))

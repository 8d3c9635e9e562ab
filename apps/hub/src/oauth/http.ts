/**
 * The OAuth endpoints at the root: metadata, registration, the person's decision, tokens. Errors have the form of RFC
 * 6749. Spec: reference/mcp.md "Sign-in".
 */
import { rateLimited, statusOf } from "@countersign/domain/errors"
import { ByteSize, Effect, Layer } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Settings } from "../config.ts"
import { consolePage } from "../console/http.ts"
import { isNavigation } from "../console/rules.ts"
import { refuseForeignOrigin } from "../edge/access.ts"
import { makeClientAddress } from "../edge/client-address.ts"
import { Credentials } from "../edge/credentials.ts"
import { addressKey, perMinute, takeFrom } from "../edge/rate-limit.ts"
import { readJson } from "../edge/request-body.ts"
import { factorRequiredMessage } from "../edge/second-factor.ts"
import {
  authorizationServer,
  isDocumentAddress,
  isOffered,
  issuerOf,
  OAuthRefusal,
  protectedResource
} from "./rules.ts"
import { OAuth } from "./service.ts"

const formBytesMax = 64 * 1024
/** Registrations of one address in a minute. */
const registrationsPerMinute = 20
/** Sign-ins that one address may begin in a minute with a client whose metadata document the hub reads. */
const documentsPerMinute = 30

const json = (value: unknown, status = 200) =>
  HttpServerResponse.jsonUnsafe(value, { status, headers: { "cache-control": "no-store" } })

const refused = ({ code, description, status }: OAuthRefusal) =>
  json({ error: code, error_description: description }, status)

const invalid = (description: string, status?: number) => new OAuthRefusal("invalid_request", description, status)

/** The parameters of a query or a form; each may be sent once (RFC 6749, 3.1). */
const parametersOf = (text: string): Effect.Effect<Readonly<Record<string, string>>, OAuthRefusal> => {
  const sent = [...new URLSearchParams(text)]
  const names = sent.map(([name]) => name)
  return new Set(names).size === names.length
    ? Effect.succeed(Object.fromEntries(sent))
    : Effect.fail(invalid("A parameter was sent twice."))
}

const queryOf = (url: string) => parametersOf(url.includes("?") ? url.slice(url.indexOf("?") + 1) : "")

const formOf = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/iu.test(request.headers["content-type"] ?? "")) {
    return yield* Effect.fail(invalid("Send the parameters as application/x-www-form-urlencoded.", 415))
  }
  const text = yield* request.text.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(formBytesMax)),
    Effect.mapError(() => invalid(`The body is incomplete or has over ${formBytesMax} bytes.`, 413))
  )
  return yield* parametersOf(text)
})

const bodyOf = (request: HttpServerRequest.HttpServerRequest) =>
  readJson(request).pipe(
    Effect.map((body) => body?.value),
    Effect.mapError((error) => invalid(error.error.message, statusOf(error)))
  )

export const oauthLayer = Layer.unwrap(Effect.gen(function*() {
  const oauth = yield* OAuth
  const credentials = yield* Credentials
  const settings = yield* Settings
  const addressOf = makeClientAddress(settings.trustedProxies)
  const registrations = settings.rateLimit.login._tag === "None"
    ? undefined
    : perMinute("register", registrationsPerMinute)

  const documents = settings.rateLimit.login._tag === "None"
    ? undefined
    : perMinute("client-documents", documentsPerMinute)

  const limited = (resetSeconds: number) =>
    new OAuthRefusal("temporarily_unavailable", rateLimited(resetSeconds).error.message, 429)

  /** The client and address of a request. Anybody may begin one, so that documents are read at a limited rate. */
  const known = Effect.fnUntraced(
    function*(request: HttpServerRequest.HttpServerRequest, sent: Readonly<Record<string, string>>) {
      if (isDocumentAddress(sent["client_id"] ?? "")) {
        const taken = takeFrom(documents, addressKey(addressOf(request)))
        if (!taken.allowed) return yield* Effect.fail(limited(taken.resetSeconds))
      }
      return yield* oauth.known(sent)
    }
  )

  /** Runs where sign-in is offered; elsewhere the address does not exist. */
  const offered = <E, R>(
    work: (
      request: HttpServerRequest.HttpServerRequest,
      issuer: string
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E | OAuthRefusal, R>
  ) =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!isOffered(settings.publicUrl)) {
        return yield* Effect.fail(
          new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
        )
      }
      return yield* work(request, issuerOf(settings.publicUrl, request.headers["host"]))
    }).pipe(
      Effect.catchIf(
        (error): error is OAuthRefusal => error instanceof OAuthRefusal,
        (error) => Effect.succeed(refused(error))
      )
    )

  const person = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
    const cookie = request.cookies["svc_session"]
    if (cookie === undefined || cookie === "") {
      return yield* Effect.fail(new OAuthRefusal("access_denied", "This requires a signed-in session.", 401))
    }
    yield* Effect.mapError(
      refuseForeignOrigin(request, settings.publicUrl),
      ({ error }) => new OAuthRefusal("access_denied", error.message, 403)
    )
    const user = yield* Effect.mapError(
      credentials.session(cookie, { ip: addressOf(request), workspace: request.headers["svc-workspace"] }),
      (error) => new OAuthRefusal("access_denied", error.error.message, statusOf(error))
    )
    return user.factor_missing === "everything"
      ? yield* Effect.fail(new OAuthRefusal("access_denied", factorRequiredMessage, 403))
      : user
  })

  const authorize = offered(Effect.fnUntraced(function*(request, issuer) {
    const isPerson = isNavigation(request.headers)
    const sent = yield* queryOf(request.url)
    // A person reads on the page why a request cannot be allowed; nothing is sent to an unknown address.
    const found = yield* Effect.result(known(request, sent))
    if (found._tag === "Failure") {
      return isPerson ? yield* consolePage(request) : yield* Effect.fail(found.failure)
    }
    const location = oauth.misdirected(found.success, sent, issuer)
    return location === undefined
      ? yield* consolePage(request)
      : HttpServerResponse.empty({ status: 302, headers: { location, "cache-control": "no-store" } })
  }))

  const decide = offered(Effect.fnUntraced(function*(request, issuer) {
    const user = yield* person(request)
    const body = yield* bodyOf(request)
    const sent = typeof body === "object" && body !== null ? body as Readonly<Record<string, unknown>> : {}
    return json({ redirect_to: yield* oauth.decide(user, sent, issuer) })
  }))

  const register = offered(Effect.fnUntraced(function*(request) {
    const taken = takeFrom(registrations, addressKey(addressOf(request)))
    if (!taken.allowed) {
      return HttpServerResponse.setHeader(
        refused(limited(taken.resetSeconds)),
        "retry-after",
        String(taken.resetSeconds)
      )
    }
    const client = yield* oauth.register(yield* bodyOf(request))
    return json({
      client_id: client.id,
      client_id_issued_at: Math.floor(client.created_at.getTime() / 1_000),
      client_name: client.name,
      redirect_uris: client.redirect_uris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none"
    }, 201)
  }))

  const token = offered(Effect.fnUntraced(function*(request, issuer) {
    return json(yield* oauth.token(yield* formOf(request), issuer))
  }))

  const revoke = offered(Effect.fnUntraced(function*(request) {
    yield* oauth.revoke(yield* formOf(request))
    return json({})
  }))

  /** Facts of a request for the page that asks the person. */
  const client = offered(Effect.fnUntraced(function*(request) {
    yield* person(request)
    const { client: { id, name }, redirectUri } = yield* known(request, yield* queryOf(request.url))
    return json({ client_id: id, client_name: name, redirect_uri: redirectUri })
  }))

  const protectedDocument = offered((_, issuer) => Effect.succeed(json(protectedResource(issuer))))
  const serverDocument = offered((_, issuer) => Effect.succeed(json(authorizationServer(issuer))))

  return HttpRouter.use(Effect.fnUntraced(function*(router) {
    yield* router.add("GET", "/.well-known/oauth-protected-resource", protectedDocument)
    yield* router.add("GET", "/.well-known/oauth-protected-resource/mcp", protectedDocument)
    yield* router.add("GET", "/.well-known/oauth-authorization-server", serverDocument)
    yield* router.add("GET", "/oauth/authorize", authorize)
    yield* router.add("POST", "/oauth/authorize", decide)
    yield* router.add("GET", "/oauth/client", client)
    yield* router.add("POST", "/oauth/register", register)
    yield* router.add("POST", "/oauth/token", token)
    yield* router.add("POST", "/oauth/revoke", revoke)
  }))
}))

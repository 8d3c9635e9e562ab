/**
 * The checks before every endpoint: credential, rate limit, permission, origin, body, in this order; then the handler.
 * Spec: reference/conventions.md "Credentials", "Rate limits", "CORS".
 */
import {
  type AccessKind,
  AgentAccess,
  type AgentPrincipal,
  AllowsTeamRole,
  AnyAccess,
  CurrentAgent,
  CurrentDeviceCaller,
  CurrentPrincipal,
  CurrentUser,
  Decides,
  DeviceAccess,
  type DevicePrincipal,
  hasBySomeTeam,
  isInScope,
  mayInTeam,
  type Permission,
  type Principal,
  PublicAccess,
  ReadsBody,
  RefusesTokens,
  Requires,
  SessionAccess,
  StaysOpen,
  UserAccess,
  type UserPrincipal,
  WorkspaceInQuery
} from "@countersign/domain/auth"
import {
  type ApiError,
  type Forbidden,
  forbidden,
  invalidRequest,
  noWorkspace,
  type Unauthorized,
  unauthorized
} from "@countersign/domain/errors"
import { capitalized } from "@countersign/domain/text"
import { Context, Effect, Layer, Option, type Types } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Settings } from "../config.ts"
import { Admission, bucketOf, type Caller } from "./admission.ts"
import { bearerOf, Credentials } from "./credentials.ts"
import {
  type CredentialKind,
  kindOf,
  malformedBearer,
  misplacedCredential,
  withArticle
} from "./misplaced-credential.ts"
import { OpenCalls } from "./open-calls.ts"
import { readJson } from "./request-body.ts"
import { note } from "./request-log.ts"
import { factorRequired } from "./second-factor.ts"

type App<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, R>

/** What a handler of each kind of access reads about its caller. */
interface PrincipalOf {
  readonly agent: AgentPrincipal
  readonly user: UserPrincipal
  readonly session: UserPrincipal
  readonly any: Principal
  readonly device: DevicePrincipal | UserPrincipal
}

const wanted: Readonly<Record<AccessKind, string>> = {
  agent: "an agent key (Authorization: Bearer agent_key_live_… or agent_key_test_…)",
  user: "a personal access token (Authorization: Bearer svc_pat_live_…) or a signed-in session",
  session: "a signed-in session (cookie svc_session)",
  any: "an agent key, a personal access token, or a signed-in session",
  device: "a device key (Authorization: Bearer svc_device_live_…), a personal access token or a signed-in session",
  public: "no credential"
}

const needsSession = forbidden(
  "This requires a signed-in session; a personal access token is not enough.",
  undefined,
  "session_required"
)

/** 401 that names the problem and the credential that the endpoint accepts. */
export const refuse = (kind: AccessKind, problem: string) =>
  unauthorized(`${problem} This endpoint requires ${wanted[kind]}.`, { wants: kind })

/** A bearer credential of a kind that the endpoint does not accept. */
const refuseHeld = (kind: AccessKind, held: CredentialKind, bearer: string) =>
  refuse(
    kind,
    held === "credential"
      ? malformedBearer(bearer) ?? "The bearer credential is not valid for this hub."
      : `${capitalized(withArticle(held))} is not accepted here.`
  )

/** The agent with the key `bearer`. The refusal names another kind of credential. */
export const agentOf = (
  { agentKey }: Pick<Credentials["Service"], "agentKey">,
  kind: AccessKind,
  bearer: string,
  ip: string
): Effect.Effect<AgentPrincipal, Unauthorized> => {
  const held = kindOf(bearer)
  return held === "agent key"
    ? Effect.mapError(agentKey(bearer, ip), ({ error }) => refuse(kind, error.message))
    : Effect.fail(refuseHeld(kind, held, bearer))
}

const mutates = (method: string): boolean => method !== "GET" && method !== "HEAD" && method !== "OPTIONS"

/** Browsers send a cookie from any page, so a mutation from another origin is refused. Programs send no `Origin`. */
const foreignOrigin = (request: HttpServerRequest.HttpServerRequest, publicUrl: URL): boolean => {
  const origin = request.headers["origin"]
  if (origin === undefined) return false
  const own = URL.parse(origin)
  return own === null || (own.origin !== publicUrl.origin && own.host !== request.headers["host"])
}

const refuseOrigin = (request: HttpServerRequest.HttpServerRequest) =>
  forbidden("The request comes from a page of another origin.", { origin: request.headers["origin"] })

/** For the public endpoints that set a cookie: no page of another origin may sign a browser in. */
export const refuseForeignOrigin = (
  request: HttpServerRequest.HttpServerRequest,
  publicUrl: URL
): Effect.Effect<void, Forbidden> =>
  foreignOrigin(request, publicUrl) ? Effect.fail(refuseOrigin(request)) : Effect.void

/** Query checks that no schema covers: unexpected queries, and NUL, which no stored text contains. */
const wrongQuery = (
  endpoint: HttpApiEndpoint.Top,
  request: HttpServerRequest.HttpServerRequest
): ApiError | undefined => {
  const at = request.url.indexOf("?")
  if (at < 0 || at === request.url.length - 1 || (endpoint.query !== undefined && !request.url.includes("%00", at))) {
    return undefined
  }
  const sent = [...new URLSearchParams(request.url.slice(at + 1))]
  const details = (names: ReadonlyArray<string>, message: string) =>
    [...new Set(names)].map((path) => ({ path, message }))
  if (endpoint.query === undefined) {
    return sent.length === 0
      ? undefined
      : invalidRequest(
        "This endpoint has no query parameters.",
        details(sent.map(([name]) => name), "unknown query parameter")
      )
  }
  const named = sent.filter(([name, value]) => name.includes("\0") || value.includes("\0")).map(([name]) =>
    name.replaceAll("\0", "")
  )
  return named.length === 0
    ? undefined
    : invalidRequest("A query parameter is not valid.", details(named, "it must not contain the character NUL"))
}

export const accessLayer = Layer.effectContext(Effect.gen(function*() {
  const credentials = yield* Credentials
  const settings = yield* Settings
  const admission = yield* Admission
  const calls = yield* OpenCalls

  const principalOf = Effect.fnUntraced(function*(
    kind: AccessKind,
    request: HttpServerRequest.HttpServerRequest,
    endpoint: HttpApiEndpoint.Top
  ) {
    const bearer = bearerOf(request.headers["authorization"])
    const ip = admission.addressOf(
      Option.getOrUndefined(request.remoteAddress),
      request.headers["x-forwarded-for"]
    )
    const call = { ip, workspace: workspaceInQuery(endpoint, request) ?? request.headers["svc-workspace"] }
    // A code that names what ended stays: the person signs in again, and the same token works.
    const wants = (error: Unauthorized) =>
      error.error.code === "sso_expired" ? error : refuse(kind, error.error.message)
    const personalToken = (token: string) =>
      Effect.catchTag(credentials.personalToken(token, call), "Unauthorized", (error) => Effect.fail(wants(error)))
    const misplaced = misplacedCredential(request)
    if (bearer !== undefined) {
      if (bearer === "" && misplaced !== undefined) return yield* Effect.fail(refuse(kind, misplaced))
      const held = kindOf(bearer)
      if (held === "agent key" && (kind === "agent" || kind === "any")) {
        const agent = yield* agentOf(credentials, kind, bearer, ip)
        // An agent has only its own workspace.
        return call.workspace !== undefined && call.workspace !== agent.org_id
          ? yield* Effect.fail(noWorkspace())
          : agent
      }
      if (held === "device key" && kind === "device") {
        // A revoked key keeps its own code, which makes the device stop permanently.
        return yield* Effect.mapError(
          credentials.deviceKey(bearer, ip),
          (error) => error.error.code === "device_revoked" ? error : wants(error)
        )
      }
      if (held === "personal access token" && kind === "session") {
        yield* personalToken(bearer)
        return yield* Effect.fail(needsSession)
      }
      if (held === "personal access token" && kind !== "agent") return yield* personalToken(bearer)
      return yield* Effect.fail(refuseHeld(kind, held, bearer))
    }
    const cookie = kind === "agent" ? undefined : request.cookies["svc_session"]
    if (cookie === undefined || cookie === "") {
      return yield* Effect.fail(refuse(kind, misplaced ?? "No credential was sent."))
    }
    const user = yield* Effect.catchTag(
      credentials.session(cookie, call),
      "Unauthorized",
      (error) => Effect.fail(wants(error))
    )
    return mutates(request.method) && foreignOrigin(request, settings.publicUrl)
      ? yield* Effect.fail(refuseOrigin(request))
      : user
  })

  /** Checks the caller's permissions, then the body. */
  const pass = Effect.fnUntraced(function*(
    request: HttpServerRequest.HttpServerRequest,
    principal: Caller,
    endpoint: HttpApiEndpoint.Top
  ) {
    if (principal.kind === "user") {
      if (lacksFactor(principal, endpoint)) return yield* Effect.fail(factorRequired())
      const permission = permissionOf(endpoint)
      const isAllowed = permission === undefined || principal.permissions.has(permission) ||
        (isAnnotated(endpoint, AllowsTeamRole) && hasBySomeTeam(principal, permission))
      if (!isAllowed) {
        return yield* Effect.fail(missing(principal, permission))
      }
      if (principal.via.kind === "pat" && isAnnotated(endpoint, RefusesTokens)) return yield* Effect.fail(needsSession)
    }
    const wrong = wrongQuery(endpoint, request)
    if (wrong !== undefined) return yield* Effect.fail(wrong)
    if (endpoint.payload.size > 0 && mutates(request.method) && !isAnnotated(endpoint, ReadsBody)) {
      yield* readJson(request)
    }
    // The request's scope closes when the whole answer is sent, or the caller disconnects.
    if (mayStayOpen(endpoint, request)) {
      yield* calls.hold(bucketOf(principal), principal.kind === "user" ? principal.ip : undefined)
    }
  })

  /** Runs the endpoint with the caller as its `principal`. */
  const enter = <K extends keyof PrincipalOf, I>(kind: K, current: Context.Key<I, PrincipalOf[K]>) =>
    Effect.fnUntraced(function*(app: App<I>, { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }) {
      const request = yield* HttpServerRequest.HttpServerRequest
      yield* note({ route: endpoint.path, staysOpen: mayStayOpen(endpoint, request) })
      // `principalOf` refuses every caller of another kind.
      const principal = (yield* principalOf(kind, request, endpoint)) as PrincipalOf[K] & Caller
      const run = Effect.andThen(
        pass(request, principal, endpoint),
        Effect.provideService(app, current, principal)
      )
      const limited = admission.limit(principal)
      if (limited === undefined) return yield* run
      const { headers, refusal } = limited
      const add = (response: HttpServerResponse.HttpServerResponse) => HttpServerResponse.setHeaders(response, headers)
      // An outer layer turns the refusal into a response.
      return yield* (refusal === undefined ? run : Effect.fail(refusal)).pipe(
        Effect.tapCause(() => HttpEffect.appendPreResponseHandler((_, response) => Effect.succeed(add(response)))),
        Effect.map(add)
      )
    })

  const open = Effect.fnUntraced(function*(app: App<never>, options: { readonly endpoint: HttpApiEndpoint.Top }) {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* note({ route: options.endpoint.path, staysOpen: mayStayOpen(options.endpoint, request) })
    const wrong = wrongQuery(options.endpoint, request)
    if (wrong !== undefined) return yield* Effect.fail(wrong)
    if (options.endpoint.payload.size > 0 && mutates(request.method) && isJsonEndpoint(options.endpoint)) {
      yield* readJson(request)
    }
    return yield* app
  })

  return Context.empty().pipe(
    Context.add(AgentAccess, enter("agent", CurrentAgent)),
    Context.add(UserAccess, enter("user", CurrentUser)),
    Context.add(SessionAccess, enter("session", CurrentUser)),
    Context.add(AnyAccess, enter("any", CurrentPrincipal)),
    Context.add(DeviceAccess, enter("device", CurrentDeviceCaller)),
    Context.add(PublicAccess, open)
  )
})).pipe(Layer.provide(Admission.layer))

const isAnnotated = <I, S>(endpoint: HttpApiEndpoint.Top, annotation: Context.Key<I, S>): boolean =>
  Option.isSome(Context.getOption(endpoint.annotations as Context.Context<I>, annotation))

/** Sign-in and factors stay open, so that the person can add one. */
const lacksFactor = ({ factor_missing }: UserPrincipal, endpoint: HttpApiEndpoint.Top): boolean =>
  factor_missing === "everything"
    ? !endpoint.path.startsWith("/api/v1/auth/")
    : factor_missing === "decisions" && isAnnotated(endpoint, Decides)

const mayStayOpen = (endpoint: HttpApiEndpoint.Top, request: HttpServerRequest.HttpServerRequest): boolean =>
  isAnnotated(endpoint, StaysOpen) || /[?&]wait=/.test(request.url)

const permissionOf = (endpoint: HttpApiEndpoint.Top): Permission | undefined =>
  Option.getOrUndefined(Context.getOption(endpoint.annotations as Context.Context<Requires>, Requires))

const workspaceInQuery = (
  endpoint: HttpApiEndpoint.Top,
  request: HttpServerRequest.HttpServerRequest
): string | undefined => {
  if (!isAnnotated(endpoint, WorkspaceInQuery)) return undefined
  const named = new URLSearchParams(request.url.slice(request.url.indexOf("?") + 1)).get("workspace")
  // A text with NUL is refused with the query, after the credential.
  return named === null || named.includes("\0") ? undefined : named
}

/** Endpoints that need exact bytes (signed hooks) read their body themselves. */
const isJsonEndpoint = (endpoint: HttpApiEndpoint.Top): boolean =>
  [...endpoint.payload.values()].some((entry) => entry.encoding._tag === "Json")

const missing = (user: UserPrincipal, permission: Permission) =>
  forbidden(
    `This needs the permission ${permission}, which ` +
      `${user.via.kind === "pat" ? "the token's scopes and your role do" : "your role does"} not give.`,
    { permission }
  )

/** 403 unless the person has the permission by the role in the workspace, or by the role in this team. */
export const needsInTeam = (
  user: UserPrincipal,
  permission: Permission,
  team: string | null | undefined
): Effect.Effect<void, Forbidden> =>
  mayInTeam(user, permission, team) ? Effect.void : Effect.fail(missing(user, permission))

/** For a person's own objects, which a session may end in any role: a token needs the scope that made them. */
export const needsScope = (user: UserPrincipal, permission: Permission): Effect.Effect<void, Forbidden> =>
  isInScope(user, permission) ? Effect.void : Effect.fail(missing(user, permission))

/** For checks that depend on more than the endpoint, such as fields that need another permission. */
export const needs = (user: UserPrincipal, permission: Permission): Effect.Effect<void, ApiError> =>
  user.permissions.has(permission) ? Effect.void : Effect.fail(missing(user, permission))

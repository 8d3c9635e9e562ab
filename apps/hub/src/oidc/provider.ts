/**
 * The provider's side of sign-in: its metadata, the authorization code flow with PKCE and a nonce, and its tokens, whose
 * signatures are always verified. Spec: reference/sign-in.md "Single sign-on".
 */
import { Context, Effect, Layer, Option, Redacted } from "effect"
import type { JWTPayload } from "jose"
import * as oauth from "oauth4webapi"
import { Settings } from "../config.ts"
import { Egress } from "../providers/egress.ts"
import type { OidcSettings } from "../sso-settings/settings.ts"

const callMillis = 10_000
const answerBytesMax = 1024 * 1024
/** How far the provider's clock may be away from the hub's. */
export const clockSkewSeconds = 60
/** Metadata and keys are read again after this. */
const metadataMillis = 60 * 60_000
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

export type Claims = Readonly<Record<string, unknown>>

/** Why a sign-in failed, as the console shows it. */
export type FailureCode =
  | "state_invalid"
  | "provider_denied"
  | "provider_error"
  | "provider_unreachable"
  | "token_invalid"
  | "not_fresh"
  | "email_missing"
  | "email_unverified"
  | "link_required"
  | "identity_taken"
  | "wrong_identity"
  | "session_required"
  | "step_up_required"
  | "second_factor_required"
  | "no_access"

export class SignInFailure {
  readonly _tag = "SignInFailure"
  readonly code: FailureCode
  /** For the log: what the provider did. */
  readonly reason: string
  constructor(code: FailureCode, reason: string) {
    this.code = code
    this.reason = reason
  }
}

export interface Started {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface Verified {
  readonly issuer: string
  readonly subject: string
  readonly sid: string | undefined
  /** Of the ID token, and of the userinfo endpoint where the ID token is silent. */
  readonly claims: Claims
}

export interface LogoutToken {
  readonly issuer: string
  readonly jti: string
  readonly subject: string | undefined
  readonly sid: string | undefined
}

export const newSecrets = (): Started => ({
  state: oauth.generateRandomState(),
  nonce: oauth.generateRandomNonce(),
  verifier: oauth.generateRandomCodeVerifier()
})

/** No description of a provider is logged whole: it may repeat parts of the request. */
const reasonOf = (error: unknown): string => {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  return `${typeof name === "string" ? name : "Error"}${typeof code === "string" ? ` (${code})` : ""}`
}

const isUnreachable = (error: unknown): boolean => error instanceof ProviderUnreachable
class ProviderUnreachable extends Error {
  override readonly name = "ProviderUnreachable"
}

const failureOf = (error: unknown): SignInFailure => {
  if (error instanceof SignInFailure) return error
  if (isUnreachable(error)) return new SignInFailure("provider_unreachable", reasonOf(error))
  if (error instanceof oauth.AuthorizationResponseError) {
    return new SignInFailure(error.error === "access_denied" ? "provider_denied" : "provider_error", reasonOf(error))
  }
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.WWWAuthenticateChallengeError) {
    return new SignInFailure("provider_error", reasonOf(error))
  }
  return new SignInFailure("token_invalid", reasonOf(error))
}

/** What the libraries pass to `fetch`. */
interface FetchInit {
  readonly method?: string
  readonly headers?: Headers | Record<string, string>
  readonly body?: unknown
}

export class OidcProvider extends Context.Service<OidcProvider, {
  /** Undefined: sign-in is not configured. */
  readonly settings: OidcSettings | undefined
  /** The provider's address to which the browser goes. `fresh`: the person must sign in there again. */
  readonly authorizeUrl: (
    secrets: Started,
    redirectUri: string,
    fresh: boolean
  ) => Effect.Effect<string, SignInFailure>
  /** Exchanges the code, and verifies everything that the provider says. `since`: when a fresh sign-in began. */
  readonly finish: (
    parameters: URLSearchParams,
    secrets: Started,
    redirectUri: string,
    since: Date | undefined
  ) => Effect.Effect<Verified, SignInFailure>
  readonly verifyLogout: (token: string) => Effect.Effect<LogoutToken, SignInFailure>
}>()("@countersign/hub/oidc/OidcProvider") {
  static readonly layer = Layer.effect(
    OidcProvider,
    Effect.gen(function*() {
      const { oidc } = yield* Settings
      const egress = yield* Egress
      const run = Effect.runPromiseWith(yield* Effect.context<never>())
      const settings = Option.getOrUndefined(oidc)
      if (settings === undefined) return unconfigured
      const issuer = new URL(settings.issuer)

      /** The operator's own setting names the issuer; its other hosts are checked like every outbound call. */
      const fetched = async (input: string, init: FetchInit = {}): Promise<Response> => {
        const url = new URL(input)
        const answer = await run(Effect.result(egress.request({
          url: url.href,
          method: init.method ?? "GET",
          headers: Object.fromEntries(new Headers(init.headers)),
          // The library sends forms only.
          ...init.body instanceof URLSearchParams ? { body: init.body.toString() } : {},
          timeoutMs: callMillis,
          maxBytes: answerBytesMax,
          overflow: "fail",
          trusted: url.origin === issuer.origin
        })))
        if (answer._tag === "Failure") throw new ProviderUnreachable(answer.failure.message)
        const { body, headers, status } = answer.success
        if (status >= 500) throw new ProviderUnreachable(`status ${status}`)
        const isEmpty = status === 204 || status === 304
        return new Response(isEmpty ? null : new Uint8Array(body), { status, headers })
      }
      const options = {
        [oauth.customFetch]: fetched,
        [oauth.allowInsecureRequests]: issuer.protocol === "http:"
      }
      const client: oauth.Client = {
        client_id: settings.clientId,
        [oauth.clockTolerance]: clockSkewSeconds,
        [oauth.clockSkew]: 0
      }

      let metadata: { readonly server: oauth.AuthorizationServer; readonly until: number } | undefined
      const server = async (): Promise<oauth.AuthorizationServer> => {
        const now = performance.now()
        if (metadata !== undefined && now < metadata.until) return metadata.server
        const answer = await oauth.discoveryRequest(issuer, options)
        const found = await oauth.processDiscoveryResponse(issuer, answer)
        metadata = { server: found, until: now + metadataMillis }
        return found
      }
      const jwksCache: oauth.JWKSCacheInput = {}

      /** RFC 6749 prefers the header; a provider that names its methods may know the body only. */
      const authentication = (as: oauth.AuthorizationServer): oauth.ClientAuth => {
        if (Option.isNone(settings.clientSecret)) return oauth.None()
        const secret = Redacted.value(settings.clientSecret.value)
        const methods = as.token_endpoint_auth_methods_supported
        return methods === undefined || methods.includes("client_secret_basic")
          ? oauth.ClientSecretBasic(secret)
          : oauth.ClientSecretPost(secret)
      }

      const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, SignInFailure> =>
        Effect.tryPromise({ try: work, catch: failureOf })

      const finish: OidcProvider["Service"]["finish"] = (parameters, secrets, redirectUri, since) =>
        attempt(async () => {
          const as = await server()
          const checked = oauth.validateAuthResponse(as, client, parameters, secrets.state)
          const answer = await oauth.authorizationCodeGrantRequest(
            as,
            client,
            authentication(as),
            checked,
            redirectUri,
            secrets.verifier,
            options
          )
          const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer, {
            expectedNonce: secrets.nonce,
            requireIdToken: true
          })
          await oauth.validateApplicationLevelSignature(as, answer, { ...options, [oauth.jwksCache]: jwksCache })
          const token = oauth.getValidatedIdTokenClaims(tokens)
          if (token === undefined) throw new SignInFailure("token_invalid", "no ID token")
          if (since !== undefined) {
            const at = token.auth_time
            if (typeof at !== "number" || at < Math.floor(since.getTime() / 1_000) - clockSkewSeconds) {
              throw new SignInFailure("not_fresh", typeof at === "number" ? "an earlier sign-in" : "no auth_time")
            }
          }
          const isSilent = (name: string) => token[name] === undefined
          const wanted = ["email", "email_verified", "name"].some(isSilent) ||
            Option.exists(settings.roles, ({ claim }) => claim.startsWith("/") || isSilent(claim))
          const more: Claims = wanted && as.userinfo_endpoint !== undefined
            ? await oauth.processUserInfoResponse(
              as,
              client,
              token.sub,
              await oauth.userInfoRequest(as, client, tokens.access_token, options)
            )
            : {}
          // That an address is verified says nothing about another address.
          const { email_verified: _, ...others } = more
          const isSameEmail = isSilent("email") || token["email"] === more["email"]
          return {
            issuer: token.iss,
            subject: token.sub,
            sid: typeof token["sid"] === "string" ? token["sid"] : undefined,
            claims: { ...isSameEmail ? more : others, ...token }
          }
        })

      const verifyLogout: OidcProvider["Service"]["verifyLogout"] = (token) =>
        attempt(async () => {
          const as = await server()
          if (as.jwks_uri === undefined) throw new SignInFailure("provider_error", "no jwks_uri")
          const { createRemoteJWKSet, customFetch: joseFetch, jwtVerify } = await import("jose")
          const keys = createRemoteJWKSet(new URL(as.jwks_uri), { [joseFetch]: fetched })
          const { payload } = await jwtVerify(token, keys, {
            issuer: as.issuer,
            audience: settings.clientId,
            clockTolerance: clockSkewSeconds,
            maxTokenAge: "5 minutes",
            requiredClaims: ["jti", "iat", "events"],
            algorithms: ["RS256", "PS256", "ES256", "ES384", "RS384", "RS512", "EdDSA"]
          })
          return logoutOf(payload)
        })

      return OidcProvider.of({
        settings,
        authorizeUrl: (secrets, redirectUri, fresh) =>
          attempt(async () => {
            const as = await server()
            if (as.authorization_endpoint === undefined) {
              throw new SignInFailure("provider_error", "no authorization_endpoint")
            }
            const url = new URL(as.authorization_endpoint)
            const parameters = {
              client_id: settings.clientId,
              redirect_uri: redirectUri,
              response_type: "code",
              scope: settings.scopes.join(" "),
              state: secrets.state,
              nonce: secrets.nonce,
              code_challenge: await oauth.calculatePKCECodeChallenge(secrets.verifier),
              code_challenge_method: "S256",
              ...fresh ? { max_age: "0", prompt: "login" } : {}
            }
            for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
            return url.href
          }),
        finish,
        verifyLogout
      })
    })
  )
}

/** A logout token names a session or a person, and has no nonce, which only ID tokens have. */
const logoutOf = (payload: JWTPayload): LogoutToken => {
  const { events, iss = "", jti = "", nonce, sid, sub } = payload
  const isLogout = typeof events === "object" && events !== null && Object.hasOwn(events, logoutEvent)
  if (!isLogout || nonce !== undefined || (sub === undefined && typeof sid !== "string")) {
    throw new SignInFailure("token_invalid", "not a logout token")
  }
  return { issuer: iss, jti, subject: sub, sid: typeof sid === "string" ? sid : undefined }
}

const notConfigured = Effect.fail(new SignInFailure("provider_error", "not configured"))
const unconfigured: OidcProvider["Service"] = {
  settings: undefined,
  authorizeUrl: () => notConfigured,
  finish: () => notConfigured,
  verifyLogout: () => notConfigured
}

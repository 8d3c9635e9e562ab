/** A real OpenID provider (npm `oidc-provider`) on loopback, which signs in the account that a test chooses. */
import { Effect, type Scope } from "effect"
import { decodeJwt, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export const clientId = "countersign"
export const clientSecret = "a client secret of the tests"

interface Grant {
  readonly addOIDCScope: (scope: string) => void
  readonly save: () => Promise<string>
}

interface Context {
  readonly oidc: {
    readonly client: { readonly clientId: string }
    readonly session: { readonly accountId: string }
    readonly provider: { readonly Grant: new(of: { readonly clientId: string; readonly accountId: string }) => Grant }
  }
}

/** The part of the library that is used; it has no types. */
interface Provider {
  readonly callback: () => (request: IncomingMessage, response: ServerResponse) => void
  readonly interactionFinished: (request: IncomingMessage, response: ServerResponse, result: unknown) => Promise<void>
}

export interface IdentityProvider {
  readonly issuer: string
  /** The account of the next sign-in; undefined: the person cancels. */
  account: string | undefined
  /** The claims of an account besides `sub`. */
  readonly claims: Map<string, Readonly<Record<string, unknown>>>
  /** Changes the ID tokens of a broken or hostile provider before they are signed; undefined: as they are. */
  forge: ((token: JWTPayload) => JWTPayload) | undefined
  readonly logoutToken: (claims: Readonly<Record<string, unknown>>, audience?: string) => Promise<string>
}

export const startIdentityProvider = (redirectUri: string): Effect.Effect<IdentityProvider, never, Scope.Scope> =>
  Effect.gen(function*() {
    const { default: Library } = yield* Effect.promise(() =>
      import("oidc-provider" as string) as Promise<{
        readonly default: new(issuer: string, configuration: unknown) => Provider
      }>
    )
    const { privateKey } = yield* Effect.promise(() => generateKeyPair("RS256", { extractable: true }))
    const key: JWK = { ...(yield* Effect.promise(() => exportJWK(privateKey))), kid: "k", alg: "RS256", use: "sig" }
    let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {}
    const server = createServer((request, response) => handle(request, response))
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
      () =>
        Effect.promise(() =>
          new Promise<void>((resolve) => {
            server.close(() => resolve())
            server.closeAllConnections()
          })
        )
    )
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const claims: IdentityProvider["claims"] = new Map()
    const provider = new Library(issuer, {
      clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
      jwks: { keys: [key] },
      cookies: { keys: ["a"] },
      scopes: ["openid", "email", "profile", "groups"],
      claims: { email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, ...claims.get(id) })
      }),
      loadExistingGrant: async ({ oidc }: Context) => {
        const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
        grant.addOIDCScope("openid email profile groups")
        await grant.save()
        return grant
      }
    })
    const idp: IdentityProvider = {
      issuer,
      account: undefined,
      forge: undefined,
      claims,
      logoutToken: (payload, audience = clientId) =>
        new SignJWT({ events: { "http://schemas.openid.net/event/backchannel-logout": {} }, ...payload })
          .setProtectedHeader({ alg: "RS256", kid: "k", typ: "logout+jwt" })
          .setIssuer(issuer).setAudience(audience).setIssuedAt().setExpirationTime("2 minutes").setJti(
            crypto.randomUUID()
          )
          .sign(privateKey)
    }
    const signed = (payload: JWTPayload) =>
      new SignJWT(payload).setProtectedHeader({ alg: "RS256", kid: "k" }).sign(privateKey)
    /** Answers of the token endpoint, with another ID token. */
    const forged = (response: ServerResponse, forge: (token: JWTPayload) => JWTPayload) => {
      const end = response.end.bind(response)
      response.end = ((body: unknown) => {
        const answer = JSON.parse(String(body)) as { id_token: string }
        signed(forge(decodeJwt(answer.id_token))).then((id_token) => {
          const text = JSON.stringify({ ...answer, id_token })
          response.setHeader("content-length", Buffer.byteLength(text))
          end(text)
        }, () => response.destroy())
        return response
      }) as typeof response.end
    }
    const call = provider.callback()
    handle = (request, response) => {
      if (request.url === "/token" && idp.forge !== undefined) forged(response, idp.forge)
      if (request.url?.startsWith("/interaction/") !== true) return call(request, response)
      const result = idp.account === undefined
        ? { error: "access_denied", error_description: "the person canceled" }
        : { login: { accountId: idp.account } }
      provider.interactionFinished(request, response, result).catch(() => response.writeHead(500).end())
    }
    return idp
  })

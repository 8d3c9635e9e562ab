/**
 * The OAuth server of `/mcp`: clients register themselves or publish a metadata document, a person chooses the agent, and tokens speak for that agent on
 * `/mcp` only. Spec: reference/mcp.md "Sign-in".
 */
import { rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import { mintCredential, parseCredential } from "@countersign/domain/credentials"
import { type Unauthorized, unauthorized } from "@countersign/domain/errors"
import { type AgentId, newId, type OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { randomBytes } from "node:crypto"
import { AgentsRepository } from "../agents/repository.ts"
import { factorMissing } from "../auth/factor-rule.ts"
import { credentialHash, isOpaqueToken, opaqueToken } from "../auth/hash.ts"
import { mayActOnAgent, maySeeAgent } from "../auth/own.ts"
import { SignInPolicy } from "../auth/sign-in-policy.ts"
import { ssoExpired } from "../auth/sso-expiry-repository.ts"
import { type Actor, AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { Readiness } from "../platform/readiness.ts"
import { repeatRounds } from "../platform/rounds.ts"
import { ClientDocuments } from "./documents.ts"
import { type ClientRow, type CodeRow, OAuthRepository } from "./repository.ts"
import {
  accessSeconds,
  codeSeconds,
  isDocumentAddress,
  isOwnResource,
  isRegistered,
  isVerified,
  OAuthRefusal,
  readAuthorization,
  readClient,
  redirectTo,
  refreshSeconds,
  scope
} from "./rules.ts"

const sweepMillis = 60_000

type Parameters = Readonly<Record<string, unknown>>

/** A person who speaks through an OAuth client for one agent. */
export interface OAuthCaller {
  readonly user: UserPrincipal
  readonly agentId: AgentId
}

/** An authorization request whose client and address are known: later errors go to that address. */
export interface KnownRequest {
  readonly client: ClientRow
  readonly redirectUri: string
}

export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: "Bearer"
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
}

const unknownToken = unauthorized("The OAuth access token is unknown or was revoked. Sign in again.")
const expiredToken = unauthorized("The OAuth access token has expired. Refresh it.")
const lostRights = unauthorized("The person of this sign-in may no longer use the agent. Sign in again.")

const refuse = (code: string, description: string, status?: number) =>
  Effect.fail(new OAuthRefusal(code, description, status))
const invalidGrant = new OAuthRefusal(
  "invalid_grant",
  "The code or refresh token is unknown, expired, or was used before."
)

const textIn = (sent: Parameters, name: string): string | undefined => {
  const value = sent[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

export class OAuth extends Context.Service<OAuth, {
  readonly register: (metadata: unknown) => Effect.Effect<ClientRow, OAuthRefusal>
  /** Fails while the client or its address is unknown: nothing may be sent there. */
  readonly known: (sent: Parameters) => Effect.Effect<KnownRequest, OAuthRefusal>
  /** The address to which the person's decision sends the browser. */
  readonly decide: (user: UserPrincipal, sent: Parameters, issuer: string) => Effect.Effect<string, OAuthRefusal>
  /** The client's address with an error, where the request cannot be shown to a person. */
  readonly misdirected: (request: KnownRequest, sent: Parameters, issuer: string) => string | undefined
  readonly token: (sent: Parameters, issuer: string) => Effect.Effect<TokenAnswer, OAuthRefusal>
  readonly revoke: (sent: Parameters) => Effect.Effect<void, OAuthRefusal>
  readonly caller: (token: string, ip: string) => Effect.Effect<OAuthCaller, Unauthorized>
}>()("@countersign/hub/oauth/OAuth") {
  static readonly layer = Layer.effect(
    OAuth,
    Effect.gen(function*() {
      const repository = yield* OAuthRepository
      const documents = yield* ClientDocuments
      const agents = yield* AgentsRepository
      const audit = yield* AuditLog
      const db = yield* Db
      const readiness = yield* Readiness
      const { issuer } = yield* SignInPolicy
      yield* repeatRounds(readiness, "oauth", sweepMillis, repository.sweep)

      const known = Effect.fnUntraced(function*(sent: Parameters) {
        const id = textIn(sent, "client_id")
        const client = id === undefined
          ? undefined
          : isDocumentAddress(id)
          ? yield* documents.client(id)
          : Option.getOrUndefined(yield* repository.client(id))
        if (client === undefined) {
          return yield* refuse(
            "invalid_client",
            "The client is not registered at this hub. It must register again.",
            401
          )
        }
        const redirectUri = textIn(sent, "redirect_uri")
        return redirectUri !== undefined && isRegistered(redirectUri, client.redirect_uris)
          ? { client, redirectUri }
          : yield* refuse("invalid_request", "redirect_uri is not one that the client registered.")
      })

      const decide = Effect.fn("OAuth.decide")(function*(user: UserPrincipal, sent: Parameters, issuer: string) {
        const { client, redirectUri } = yield* known(sent)
        const request = readAuthorization(sent, redirectUri, issuer)
        if (request instanceof OAuthRefusal) return yield* Effect.fail(request)
        const { decision } = sent
        if (decision === "deny") {
          return redirectTo(redirectUri, issuer, request.state, {
            error: "access_denied",
            error_description: "The person did not allow it."
          })
        }
        if (decision !== "approve") return yield* refuse("invalid_request", "decision must be approve or deny.")
        const agentId = textIn(sent, "agent_id")
        const agent = agentId === undefined
          ? undefined
          : Option.getOrUndefined(yield* agents.find(user.org_id, agentId))
        if (agent === undefined || !maySeeAgent(user, agent)) {
          return yield* refuse("invalid_request", "agent_id names no agent of this workspace that you can see.", 404)
        }
        if (!mayActOnAgent(user, "requests:write", agent)) {
          return yield* refuse("access_denied", "This needs the permission requests:write for the agent.", 403)
        }
        const code = opaqueToken()
        yield* repository.insertCode(credentialHash(code), {
          org_id: user.org_id,
          user_id: user.user_id,
          agent_id: agent.id,
          client_id: client.id,
          redirect_uri: redirectUri,
          challenge: request.challenge,
          resource: request.resource
        }, codeSeconds)
        return redirectTo(redirectUri, issuer, request.state, { code })
      })

      /** New tokens of a grant. */
      const issue = Effect.fnUntraced(function*(org: OrgId, grant: string) {
        const access = mintCredential("svc_oauth_live").token
        const refresh = mintCredential("svc_refresh_live").token
        yield* repository.insertToken({ hash: credentialHash(access), grant, org, kind: "access" }, accessSeconds)
        yield* repository.insertToken({ hash: credentialHash(refresh), grant, org, kind: "refresh" }, refreshSeconds)
        return {
          access_token: access,
          token_type: "Bearer",
          expires_in: accessSeconds,
          refresh_token: refresh,
          scope
        } satisfies TokenAnswer
      })

      const end = Effect.fnUntraced(function*(org: OrgId, grant: string, actor: Actor, reason: string) {
        const ended = Option.getOrUndefined(yield* repository.removeGrant(org, grant))
        if (ended === undefined) return
        yield* audit.record(org, actor, {
          action: "token.revoked",
          subject: { type: "token", id: grant },
          agent_id: ended.agent_id,
          data: { name: ended.client_name, kind: "oauth", reason }
        })
      })

      const nameOf = (client: string) =>
        Effect.map(repository.client(client), Option.match({ onNone: () => "", onSome: ({ name }) => name }))

      const allowed = Effect.fnUntraced(function*(code: CodeRow) {
        const id = newId("pat")
        yield* repository.insertGrant(id, code, refreshSeconds)
        yield* audit.record(code.org_id, { type: "user", id: code.user_id, name: "" }, {
          action: "token.created",
          subject: { type: "token", id },
          agent_id: code.agent_id,
          data: { name: yield* nameOf(code.client_id), kind: "oauth" }
        })
        return id
      })

      /** A refusal inside ends what was stolen, so it is returned and the transaction commits. */
      const exchange = Effect.fnUntraced(function*(sent: Parameters, issuer: string) {
        const code = textIn(sent, "code")
        if (code === undefined || !isOpaqueToken(code)) return invalidGrant
        const hash = credentialHash(code)
        const stored = Option.getOrUndefined(yield* repository.code(hash))
        if (stored === undefined || stored.client_id !== sent["client_id"]) return invalidGrant
        if (stored.grant_id !== null) {
          yield* end(stored.org_id, stored.grant_id, hubActor, "code_reused")
          return invalidGrant
        }
        if (stored.expired || stored.redirect_uri !== sent["redirect_uri"]) return invalidGrant
        if (sent["resource"] !== undefined && !isOwnResource(sent["resource"], issuer)) {
          return new OAuthRefusal("invalid_target", "The resource is another than the code's.")
        }
        const verifier = textIn(sent, "code_verifier")
        if (verifier === undefined || !isVerified(verifier, stored.challenge)) return invalidGrant
        const grant = yield* allowed(stored)
        yield* repository.useCode(stored.org_id, hash, grant)
        return yield* issue(stored.org_id, grant)
      }, db.transaction)

      const rotate = Effect.fnUntraced(function*(sent: Parameters, issuer: string) {
        const token = textIn(sent, "refresh_token")
        if (token === undefined || !parseCredential(token).ok) return invalidGrant
        const hash = credentialHash(token)
        const stored = Option.getOrUndefined(yield* repository.refresh(hash))
        if (stored === undefined || stored.client_id !== sent["client_id"] || stored.expired) return invalidGrant
        if (stored.used) {
          yield* end(stored.org_id, stored.id, hubActor, "refresh_token_reused")
          return invalidGrant
        }
        if (sent["resource"] !== undefined && !isOwnResource(sent["resource"], issuer)) {
          return new OAuthRefusal("invalid_target", "The resource is another than the grant's.")
        }
        yield* repository.useRefresh(stored.org_id, hash)
        yield* repository.extendGrant(stored.org_id, stored.id, refreshSeconds)
        return yield* issue(stored.org_id, stored.id)
      }, db.transaction)

      return OAuth.of({
        register: Effect.fn("OAuth.register")(function*(metadata) {
          const client = readClient(metadata)
          if (client instanceof OAuthRefusal) return yield* Effect.fail(client)
          return yield* repository.insertClient(`client_${randomBytes(16).toString("base64url")}`, client)
        }),
        known,
        decide,
        misdirected: ({ redirectUri }, sent, issuer) => {
          const request = readAuthorization(sent, redirectUri, issuer)
          return request instanceof OAuthRefusal
            ? redirectTo(redirectUri, issuer, sent["state"], {
              error: request.code,
              error_description: request.description
            })
            : undefined
        },
        token: Effect.fn("OAuth.token")(function*(sent, issuer) {
          const id = textIn(sent, "client_id")
          if (id === undefined || Option.isNone(yield* repository.client(id))) {
            return yield* refuse(
              "invalid_client",
              "The client is not registered at this hub. It must register again.",
              401
            )
          }
          const { grant_type: type } = sent
          if (type !== "authorization_code" && type !== "refresh_token") {
            return yield* refuse("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.")
          }
          const answer = yield* type === "authorization_code" ? exchange(sent, issuer) : rotate(sent, issuer)
          return answer instanceof OAuthRefusal ? yield* Effect.fail(answer) : answer
        }),
        revoke: Effect.fn("OAuth.revoke")(function*(sent) {
          const token = textIn(sent, "token")
          if (token === undefined) return yield* refuse("invalid_request", "token is required.")
          const hash = credentialHash(token)
          const found = Option.getOrUndefined(yield* repository.ofToken(hash))
          // An unknown token is as good as revoked (RFC 7009).
          if (found === undefined) return
          const { client_id: client } = sent
          if (client !== undefined && client !== found.client_id) {
            return yield* refuse("invalid_client", "The token belongs to another client.", 401)
          }
          if (found.kind === "access") return yield* repository.removeToken(found.org_id, hash)
          yield* end(found.org_id, found.grant_id, hubActor, "revoked_by_client")
        }, db.transaction),
        caller: Effect.fn("OAuth.caller")(function*(token, ip) {
          const parsed = parseCredential(token)
          if (!parsed.ok || parsed.kind !== "svc_oauth_live") return yield* Effect.fail(unknownToken)
          const row = Option.getOrUndefined(yield* repository.access(credentialHash(token), issuer))
          if (row === undefined) return yield* Effect.fail(unknownToken)
          if (!row.alive) return yield* Effect.fail(expiredToken)
          if (row.role === null || !rolePermissions[row.role].has("requests:write")) {
            return yield* Effect.fail(lostRights)
          }
          if (row.sso_expired) return yield* Effect.fail(ssoExpired)
          if (row.unnoted) yield* repository.noteUse(row.org_id, row.grant_id, ip)
          const user: UserPrincipal = {
            kind: "user",
            user_id: row.user_id,
            name: row.user_name,
            email: row.email,
            org_id: row.org_id,
            role: row.role,
            permissions: new Set(["requests:write"]),
            ...factorMissing({ ...row, role: row.role }),
            via: { kind: "pat", token_id: row.grant_id, scopes: ["requests:write"] },
            ip
          }
          return { user, agentId: row.agent_id }
        })
      })
    })
  )
}

/**
 * Sign-in at the provider: identities by issuer and subject, links to accounts, and roles. Spec: reference/sign-in.md
 * "Single sign-on".
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import { isEmail, userNameMax } from "@countersign/domain/identity"
import type { UserId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { ChallengesRepository } from "../auth/challenges-repository.ts"
import { credentialHash, isOpaqueToken, opaqueToken } from "../auth/hash.ts"
import { makePersonAudit } from "../auth/person-audit.ts"
import { ProviderLinks } from "../auth/provider-links.ts"
import { SessionsRepository, type User, UsersRepository, withoutPassword } from "../auth/repository.ts"
import { type Caller, type Challenged, Identity, type SignedIn } from "../auth/service.ts"
import { Settings } from "../config.ts"
import { AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { MasterKey } from "../platform/master-key.ts"
import { open, seal } from "../platform/sealed.ts"
import { claimValues } from "../sso-settings/role-mapping.ts"
import { WorkspacesRepository } from "../workspaces/repository.ts"
import { newSecrets, OidcProvider, SignInFailure, type Started, type Verified } from "./provider.ts"
import { type Link, OidcRepository, type Purpose } from "./repository.ts"
import { OidcRoles, ssoActor } from "./roles.ts"

const secretsPlace = (hash: Uint8Array): ReadonlyArray<string> => ["oidc", Buffer.from(hash).toString("hex")]

const fail = (code: SignInFailure["code"], reason: string) => Effect.fail(new SignInFailure(code, reason))

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined

const emailOf = ({ claims }: Verified): string | undefined => {
  const email = textOf(claims["email"])
  return email !== undefined && isEmail(email) ? email : undefined
}
/** Some providers send the claim as a text. */
const emailVerified = ({ claims }: Verified): string => String(claims["email_verified"] ?? "")
const isVerifiedEmail = (verified: Verified): boolean => emailVerified(verified) === "true"
/** The provider itself doubts the address. Many providers omit the claim, because they manage the addresses. */
const isUnverifiedEmail = (verified: Verified): boolean => emailVerified(verified) === "false"

const nameOf = ({ claims }: Verified): string =>
  (textOf(claims["name"]) ?? "").toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").slice(0, userNameMax)
    .toWellFormed().trim()

/** Links an identity and records it; false when it is taken, or the person has another one of the issuer. */
const makeLink = Effect.gen(function*() {
  const repository = yield* OidcRepository
  const recordInAll = yield* makePersonAudit
  return Effect.fnUntraced(function*(link: Link, ip: string) {
    if (!(yield* repository.link(link))) return false
    const { issuer, subject, user_id } = link
    yield* recordInAll(user_id, { ...ssoActor, ip }, { action: "user.identity_linked", data: { issuer, subject } })
    return true
  })
})

/** Where the browser goes, and what its session or cookies become. */
export interface Outcome {
  readonly returnTo: string
  readonly result:
    | { readonly kind: "signed_in"; readonly signedIn: SignedIn }
    | { readonly kind: "challenge"; readonly challenge: Challenged["challenge"] }
    | { readonly kind: "stepped_up" }
    | { readonly kind: "linked" }
    | { readonly kind: "failed"; readonly failure: SignInFailure; readonly purpose: Purpose; readonly link?: string }
}

export class Oidc extends Context.Service<Oidc, {
  readonly isConfigured: boolean
  /** The provider's address, and the value of the cookie that binds the sign-in to this browser. */
  readonly start: (
    purpose: Purpose,
    returnTo: string,
    user: UserPrincipal | undefined
  ) => Effect.Effect<{ readonly location: string; readonly browser: string }, SignInFailure>
  readonly callback: (
    parameters: URLSearchParams,
    browser: string | undefined,
    user: UserPrincipal | undefined,
    caller: Caller
  ) => Effect.Effect<Outcome>
  /** Ends sessions, and sign-ins whose second factor is missing; returns the number of sessions. */
  readonly logout: (token: string) => Effect.Effect<number, SignInFailure>
}>()("@countersign/hub/oidc/Oidc") {
  static readonly layer = Layer.effect(
    Oidc,
    Effect.gen(function*() {
      const provider = yield* OidcProvider
      const repository = yield* OidcRepository
      const roles = yield* OidcRoles
      const users = yield* UsersRepository
      const sessions = yield* SessionsRepository
      const challenges = yield* ChallengesRepository
      const workspaces = yield* WorkspacesRepository
      const identity = yield* Identity
      const settings = yield* Settings
      const { key } = yield* MasterKey
      const audit = yield* AuditLog
      const recordInAll = yield* makePersonAudit
      const linkIdentity = yield* makeLink
      const db = yield* Db
      const redirectUri = `${settings.publicUrl.origin}/api/v1/auth/oidc/callback`

      const start: Oidc["Service"]["start"] = Effect.fn("Oidc.start")(function*(purpose, returnTo, user) {
        if (purpose !== "sign_in" && user?.via.kind !== "session") return yield* fail("session_required", "no session")
        const secrets = newSecrets()
        const location = yield* provider.authorizeUrl(secrets, redirectUri, purpose === "step_up")
        const browser = opaqueToken()
        const hash = credentialHash(secrets.state)
        yield* repository.insertFlow(hash, {
          browser_hash: credentialHash(browser),
          secrets: seal(Redacted.value(key), JSON.stringify(secrets), secretsPlace(hash)),
          purpose,
          session_id: user?.via.kind === "session" ? user.via.session_id : null,
          return_to: returnTo
        })
        return { location, browser }
      })

      const linked = Effect.fnUntraced(function*(link: Link, ip: string) {
        if (!(yield* linkIdentity(link, ip))) return yield* fail("identity_taken", "linked in the meantime")
      })

      const targetsFor = Effect.fnUntraced(function*(verified: Verified) {
        const mapping = Option.getOrUndefined(provider.settings?.roles ?? Option.none())
        const values = mapping === undefined ? undefined : claimValues(verified.claims, mapping.claim)
        return mapping === undefined || values === undefined ? undefined : yield* roles.targets(mapping, values)
      })

      /** A new person needs a rule or an invite: everybody at the provider could get an account otherwise. */
      const created = Effect.fnUntraced(function*(verified: Verified, email: string, hasTarget: boolean) {
        const invites = isVerifiedEmail(verified) ? yield* repository.invites(email) : []
        if (!hasTarget && invites.length === 0) return yield* fail("no_access", "no rule and no invite")
        // A new account would claim an address that may be another person's.
        if (isUnverifiedEmail(verified)) return yield* fail("email_unverified", "email_verified is false")
        const id = yield* users.create({ email, name: nameOf(verified), passwordHash: withoutPassword })
        yield* repository.link({ issuer: verified.issuer, subject: verified.subject, email, user_id: id })
        for (const invite of invites) {
          if (!(yield* repository.acceptInvite(invite.org_id, invite.id, id))) continue
          yield* workspaces.addMember(invite.org_id, id, invite.role)
          yield* audit.record(invite.org_id, ssoActor, {
            action: "invite.accepted",
            subject: { type: "invite", id: invite.id },
            data: { email, user_id: id }
          })
          if (invite.team_id === null) continue
          const role = invite.team_role ?? "worker"
          yield* repository.joinTeam(invite.org_id, invite.team_id, id, { role, managed_by: "manual" })
          yield* audit.record(invite.org_id, ssoActor, {
            action: "team.member_added",
            subject: { type: "team", id: invite.team_id },
            data: { user_id: id, role }
          })
        }
        return id
      })

      /** The person of a verified identity, or an account whose link is pending. */
      const personOf = Effect.fnUntraced(function*(
        verified: Verified,
        hasTarget: boolean,
        ip: string
      ): Effect.fn.Return<UserId | { readonly waits: User }, SignInFailure> {
        const { issuer, subject } = verified
        const email = emailOf(verified)
        yield* repository.lock(issuer, subject, email)
        const known = yield* repository.identity(issuer, subject)
        if (known !== undefined) return known
        if (email === undefined) return yield* fail("email_missing", "no email claim")
        const account = yield* users.byEmail(email)
        if (account === undefined) return yield* created(verified, email, hasTarget)
        if ((yield* repository.identityOf(issuer, account.id)) !== undefined) {
          return yield* fail("identity_taken", "the account has another identity of this issuer")
        }
        if (provider.settings?.linkEmail !== true || !isVerifiedEmail(verified)) return { waits: account }
        yield* linked({ issuer, subject, email, user_id: account.id }, ip)
        return account.id
      })

      const signIn = Effect.fnUntraced(function*(
        verified: Verified,
        caller: Caller
      ): Effect.fn.Return<Outcome["result"], SignInFailure> {
        const targets = yield* targetsFor(verified)
        const found = yield* personOf(verified, (targets?.size ?? 0) > 0, caller.ip)
        if (typeof found !== "string") {
          const link = opaqueToken()
          const { issuer, subject } = verified
          const email = emailOf(verified) ?? null
          yield* repository.insertLink(credentialHash(link), { issuer, subject, email, user_id: found.waits.id })
          const failure = new SignInFailure("link_required", "an account has this address")
          return { kind: "failed", failure, purpose: "sign_in", link }
        }
        const email = emailOf(verified)
        yield* repository.recordSignIn(verified.issuer, verified.subject, email)
        const before = yield* users.byId(found)
        const isChanged = email !== undefined && !isUnverifiedEmail(verified) &&
          (yield* repository.setEmail(found, email, withoutPassword))
        if (targets !== undefined) yield* roles.apply(found, targets)
        if (isChanged) {
          yield* recordInAll(found, { ...ssoActor, ip: caller.ip }, {
            action: "user.email_changed",
            data: { from: before?.email ?? "", to: email }
          })
        }
        const user = yield* users.byId(found)
        if (user === undefined || (yield* sessions.homeOf(found)) === undefined) {
          // Roles that were taken away stay so.
          return { kind: "failed", failure: new SignInFailure("no_access", "no workspace"), purpose: "sign_in" }
        }
        const answer = yield* identity.admit(user, caller, {
          method: "oidc",
          provider: {
            issuer: verified.issuer,
            subject: verified.subject,
            ...verified.sid === undefined ? {} : { sid: verified.sid },
            hours: provider.settings?.sessionHours ?? 1
          }
        }).pipe(Effect.mapError(({ error }) => new SignInFailure("no_access", error.code)))
        return "challenge" in answer
          ? { kind: "challenge", challenge: answer.challenge }
          : { kind: "signed_in", signedIn: answer }
      }, db.transaction)

      const stepUp = Effect.fnUntraced(function*(
        verified: Verified,
        user: UserPrincipal
      ): Effect.fn.Return<Outcome["result"], SignInFailure> {
        if ((yield* repository.identity(verified.issuer, verified.subject)) !== user.user_id) {
          return yield* fail("wrong_identity", "another person signed in at the provider")
        }
        yield* repository.recordSignIn(verified.issuer, verified.subject, undefined)
        yield* Effect.mapError(identity.stepUpByProvider(user), ({ error }) =>
          new SignInFailure(
            error.code === "second_factor_required" ? "second_factor_required" : "session_required",
            error.code
          ))
        return { kind: "stepped_up" }
      })

      const linkTo = Effect.fnUntraced(function*(
        verified: Verified,
        user: UserPrincipal,
        ip: string
      ): Effect.fn.Return<Outcome["result"], SignInFailure> {
        const { issuer, subject } = verified
        const email = emailOf(verified)
        yield* repository.lock(issuer, subject, email)
        const known = yield* repository.identity(issuer, subject)
        if (known !== undefined && known !== user.user_id) {
          return yield* fail("identity_taken", "another account has it")
        }
        if (known === undefined) yield* linked({ issuer, subject, email: email ?? null, user_id: user.user_id }, ip)
        return { kind: "linked" }
      }, db.transaction)

      const callback: Oidc["Service"]["callback"] = Effect.fn("Oidc.callback")(
        function*(parameters, browser, user, caller) {
          const state = parameters.get("state")
          const hash = state === null ? undefined : credentialHash(state)
          const flow = hash === undefined ? undefined : yield* repository.takeFlow(hash)
          const isOwn = flow !== undefined && browser !== undefined && isOpaqueToken(browser) &&
            Buffer.from(flow.browser_hash).equals(Buffer.from(credentialHash(browser)))
          const failed = (failure: SignInFailure, purpose: Purpose, returnTo: string): Outcome => ({
            returnTo,
            result: { kind: "failed", failure, purpose }
          })
          if (hash === undefined || !isOwn) {
            return failed(new SignInFailure("state_invalid", "unknown, used, or another browser's"), "sign_in", "/")
          }
          const { purpose, return_to: returnTo } = flow
          const secrets = JSON.parse(open(Redacted.value(key), flow.secrets, secretsPlace(hash))) as Started
          const isFresh = purpose === "step_up"
          const finished = provider.finish(parameters, secrets, redirectUri, isFresh ? flow.started_at : undefined)
            .pipe(
              Effect.flatMap((verified) => {
                if (purpose === "sign_in") return signIn(verified, caller)
                if (user?.via.kind !== "session" || user.via.session_id !== flow.session_id) {
                  return fail("session_required", "the session ended, or is another")
                }
                return isFresh ? stepUp(verified, user) : linkTo(verified, user, caller.ip)
              })
            )
          return yield* finished.pipe(
            Effect.map((result): Outcome => ({ returnTo, result })),
            Effect.catch((failure) => Effect.succeed(failed(failure, purpose, returnTo)))
          )
        }
      )

      const logout: Oidc["Service"]["logout"] = Effect.fn("Oidc.logout")(function*(token) {
        const { issuer, jti, sid, subject } = yield* provider.verifyLogout(token)
        return yield* db.transaction(Effect.gen(function*() {
          if (!(yield* repository.recordLogout(issuer, jti))) return yield* fail("token_invalid", "used before")
          yield* challenges.removeOfProvider({ issuer, sid, subject })
          const ended = yield* sessions.endOfProvider({ issuer, sid, subject })
          for (const user of [...new Set(ended.map(({ user_id }) => user_id))].sort()) {
            yield* recordInAll(user, ssoActor, {
              action: "user.logged_out_by_provider",
              data: { sessions_ended: ended.filter(({ user_id }) => user_id === user).length }
            })
          }
          return ended.length
        }))
      })

      return Oidc.of({ isConfigured: provider.settings !== undefined, start, callback, logout })
    })
  )
}

/** The port of sign-in by password. */
export const providerLinksLayer = Layer.effect(
  ProviderLinks,
  Effect.gen(function*() {
    const repository = yield* OidcRepository
    const linkIdentity = yield* makeLink
    return ProviderLinks.of({
      complete: Effect.fn("ProviderLinks.complete")(function*(user, token, ip) {
        const link = isOpaqueToken(token) ? yield* repository.takeLink(credentialHash(token), user) : undefined
        if (link === undefined) return
        yield* linkIdentity({ ...link, user_id: user }, ip)
      }, (yield* Db).transaction)
    })
  })
)

/**
 * Signing in and out, sessions, step-up, and passwords. Spec: reference/accounts.md "Sign-in", "Sessions",
 * reference/sign-in.md "Second factors".
 */
import { permissions, rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import {
  type ApiError,
  type Forbidden,
  forbidden,
  type NotFound,
  notFound,
  type Unauthorized,
  unauthorized,
  type Unavailable
} from "@countersign/domain/errors"
import {
  challengeTriesMax,
  type FactorMethod,
  type FactorProof,
  type LoginChallenge,
  type StepUpInput
} from "@countersign/domain/factors"
import type { Me, Session, UpdateMeInput } from "@countersign/domain/identity"
import type { OrgId, SessionId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer } from "effect"
import { type Actor, actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { WorkspacesRepository } from "../workspaces/repository.ts"
import { ActiveTeamRepository } from "./active-team-repository.ts"
import { ChallengesRepository } from "./challenges-repository.ts"
import { credentialHash, isOpaqueToken, opaqueToken } from "./hash.ts"
import { Passwords } from "./passwords.ts"
import { makePersonAudit } from "./person-audit.ts"
import {
  type ProviderSession,
  type SessionRow,
  SessionsRepository,
  type SessionStart,
  type User,
  UsersRepository
} from "./repository.ts"
import { type PasskeyPlace, SecondFactors } from "./second-factors.ts"
import { SignInPolicy } from "./sign-in-policy.ts"

/** A caller without a credential. */
export interface Caller {
  readonly ip: string
  readonly userAgent: string | undefined
}

type SessionMe = Me & { readonly via: Extract<Me["via"], { readonly kind: "session" }> }

export interface SignedIn {
  /** The value of the cookie; only its hash is stored. */
  readonly cookie: string
  readonly me: SessionMe
  /** By a password although single sign-on is required: the owners are mailed. */
  readonly brokeGlass?: boolean
}

const personOf = ({ email, id, locale, name, time_zone }: User): Me["user"] => ({ id, email, name, time_zone, locale })

/** A right password of a person whose second factor is missing. */
export interface Challenged {
  readonly challenge: LoginChallenge["challenge"]
}

const challengeEnded = unauthorized(
  "The challenge was used, has expired after five minutes, or had too many wrong codes. Sign in again."
)
const wrongFactor = "The code or passkey is wrong, or was used before."

const needsFactor = (methods: ReadonlyArray<FactorMethod>) =>
  forbidden(
    `Confirm with your second factor: ${methods.join(", ")}. A password alone is not enough.`,
    { methods },
    "second_factor_required"
  )
const ssoRequired = forbidden(
  "This hub requires single sign-on. Sign in with your identity provider.",
  undefined,
  "sso_required"
)
const noFactor = forbidden("You have no second factor. Confirm with your password.")

const wrongPassword = forbidden("The password is wrong.")

const sessionOf = (principal: UserPrincipal): Effect.Effect<SessionId, Forbidden> =>
  principal.via.kind === "session"
    ? Effect.succeed(principal.via.session_id)
    : Effect.fail(forbidden("This requires a signed-in session.", undefined, "session_required"))

const toSession = (row: SessionRow, current: string): Session => ({
  id: row.id,
  current: row.id === current,
  active_workspace: row.org_id,
  ...(row.ip === null ? {} : { ip: row.ip }),
  ...(row.user_agent === null ? {} : { user_agent: row.user_agent }),
  method: row.method,
  ...(row.factor === null ? {} : { factor: row.factor }),
  created_at: row.created_at.toISOString(),
  last_seen_at: row.last_seen_at.toISOString(),
  expires_at: row.expires_at.toISOString()
})

export class Identity extends Context.Service<Identity, {
  /**
   * A wrong password and an unknown address get the same answer after the same work. A challenge for a person with a
   * second factor. `first` runs in its transaction, once the password is right.
   */
  readonly login: (
    email: string,
    password: string,
    caller: Caller,
    first?: (user: Me["user"]) => Effect.Effect<unknown, ApiError>
  ) => Effect.Effect<SignedIn | Challenged, ApiError>
  /** A session for a person whom the provider verified, or first a challenge; call it inside that transaction. */
  readonly admit: (
    user: Me["user"],
    caller: Caller,
    start: SessionStart
  ) => Effect.Effect<SignedIn | Challenged, ApiError>
  /** Lifts a session whose person just signed in at the provider. A person with a second factor must use it. */
  readonly stepUpByProvider: (principal: UserPrincipal) => Effect.Effect<void, ApiError>
  /** The person of a challenge. 401 when it ended. */
  readonly challenged: (id: string) => Effect.Effect<Pick<User, "id" | "email">, Unauthorized>
  /** Uses up a try of the challenge, and one proof; 401 when either is wrong. Of several concurrent calls one signs in. */
  readonly loginFactor: (
    id: string,
    proof: FactorProof,
    place: PasskeyPlace,
    caller: Caller
  ) => Effect.Effect<SignedIn, ApiError>
  /** Opens a session for a person who was just verified or created; call it inside that transaction. */
  readonly open: (
    user: Me["user"],
    org: OrgId,
    caller: Caller,
    start: SessionStart
  ) => Effect.Effect<SignedIn>
  readonly me: (principal: UserPrincipal) => Effect.Effect<Me>
  /**
   * Changes the person's name, time zone, or locale. A name is recorded in each of the person's workspaces, because all
   * of them show it.
   */
  readonly updateMe: (principal: UserPrincipal, input: UpdateMeInput) => Effect.Effect<Me>
  readonly logout: (principal: UserPrincipal) => Effect.Effect<void, Forbidden>
  /** Ends every other session of the person. 403 when the current password is wrong. */
  readonly changePassword: (
    principal: UserPrincipal,
    current: string,
    next: string
  ) => Effect.Effect<void, Forbidden | Unavailable>
  /** A person with a second factor must use it; 403 when the proof is wrong. */
  readonly stepUp: (
    principal: UserPrincipal,
    input: StepUpInput,
    place: PasskeyPlace
  ) => Effect.Effect<{ readonly stepped_up_until: string }, ApiError>
  readonly sessions: (
    principal: UserPrincipal,
    query: PageQuery
  ) => Effect.Effect<PageOf<Session>, ApiError>
  readonly endSession: (principal: UserPrincipal, id: SessionId) => Effect.Effect<void, NotFound>
}>()("@countersign/hub/auth/Identity") {
  static readonly layer = Layer.effect(
    Identity,
    Effect.gen(function*() {
      const users = yield* UsersRepository
      const sessions = yield* SessionsRepository
      const workspaces = yield* WorkspacesRepository
      const recordInAll = yield* makePersonAudit
      const activeTeams = yield* ActiveTeamRepository
      const passwords = yield* Passwords
      const challenges = yield* ChallengesRepository
      const factors = yield* SecondFactors
      const policy = yield* SignInPolicy
      const audit = yield* AuditLog
      const db = yield* Db

      const meOf = Effect.fnUntraced(function*<Via extends Me["via"]>(
        user: Me["user"],
        org: OrgId,
        allowed: UserPrincipal["permissions"],
        via: Via
      ) {
        const all = yield* workspaces.names(user.id)
        const memberships = via.kind === "pat" ? all.filter(({ id }) => id === org) : all
        const me: Me & { readonly via: Via } = {
          user,
          workspaces: memberships,
          active_workspace: org,
          team: (yield* activeTeams.find(org, user.id, via)) ?? null,
          permissions: permissions.filter((permission) => allowed.has(permission)),
          via
        }
        return me
      })

      const open = Effect.fn("Identity.open")(function*(
        user: Me["user"],
        org: OrgId,
        caller: Caller,
        start: SessionStart
      ) {
        const standing = yield* workspaces.find(org, user.id)
        if (standing === undefined) return yield* Effect.die(new Error(`${user.id} is no member of ${org}`))
        yield* sessions.deleteExpired(user.id)
        const cookie = opaqueToken()
        const id = yield* sessions.open({ tokenHash: credentialHash(cookie), user: user.id, org, ...caller, ...start })
        const me = yield* meOf(user, org, rolePermissions[standing.role], {
          kind: "session",
          session_id: id,
          stepped_up: false
        })
        const actor: Actor = {
          type: "user",
          id: user.id,
          name: user.name === "" ? user.email : user.name,
          ip: caller.ip
        }
        yield* audit.record(org, actor, {
          action: "user.signed_in",
          subject: { type: "user", id: user.id },
          data: {
            session_id: id,
            method: start.method,
            ...(start.factor === undefined ? {} : { factor: start.factor }),
            ...(start.provider === undefined ? {} : { issuer: start.provider.issuer })
          }
        })
        return { cookie, me }
      })

      const refused = unauthorized(
        "Wrong email or password."
      )

      /** The person's stored password if `password` is right; hashed again if it has outdated parameters. */
      const verified = Effect.fnUntraced(function*(user: User | undefined, password: string) {
        const { ok, stale } = yield* passwords.verify(password, user?.password_hash)
        if (!ok || user === undefined) return undefined
        if (!stale) return user.password_hash
        const rehashed = yield* passwords.hash(password)
        return (yield* users.replacePassword(user.id, user.password_hash, rehashed)) ? rehashed : undefined
      })

      /** Verifies the password and runs the effect in a transaction in which the password cannot change. */
      const withPassword = <A, E>(
        user: User | undefined,
        password: string,
        otherwise: () => E,
        then: Effect.Effect<A, E>
      ): Effect.Effect<A, E | Unavailable> =>
        Effect.flatMap(verified(user, password), (hash) =>
          hash === undefined || user === undefined
            ? Effect.fail(otherwise())
            : db.transaction(Effect.flatMap(users.holdPassword(user.id, hash), (held): Effect.Effect<A, E> =>
              held ? then : Effect.fail(otherwise()))))

      const noWorkspaceLeft = forbidden(
        "You no longer belong to a workspace of this hub. Ask an owner for an invite."
      )

      /** A session in the person's own workspace, or first a challenge for the second factor. */
      const admit = Effect.fnUntraced(function*(
        user: Me["user"],
        caller: Caller,
        start: SessionStart
      ): Effect.fn.Return<SignedIn | Challenged, ApiError> {
        const org = yield* sessions.homeOf(user.id)
        if (org === undefined) return yield* Effect.fail(noWorkspaceLeft)
        const methods = yield* factors.methods(user.id)
        if (policy.ssoOnly && start.method === "password") {
          // The account for the day on which the provider is down.
          const isBreakGlass = methods.length > 0 && (yield* users.isOwner(user.id))
          if (!isBreakGlass) return yield* Effect.fail(ssoRequired)
        }
        if (methods.length === 0) return yield* open(user, org, caller, start)
        const id = opaqueToken()
        const expires = yield* challenges.insert(credentialHash(id), {
          user_id: user.id,
          method: start.method === "oidc" ? "oidc" : "password",
          provider: start.provider === undefined ? null : JSON.stringify(start.provider)
        })
        return { challenge: { id, methods, expires_at: expires.toISOString() } }
      })

      const login = Effect.fn("Identity.login")(function*(
        email: string,
        password: string,
        caller: Caller,
        first: (user: Me["user"]) => Effect.Effect<unknown, ApiError> = () => Effect.void
      ) {
        const user = yield* users.byEmail(email)
        return yield* withPassword<SignedIn | Challenged, ApiError>(
          user,
          password,
          () => refused,
          Effect.suspend(() =>
            Effect.andThen(first(personOf(user!)), admit(personOf(user!), caller, { method: "password" }))
          )
        )
      })

      const challenged = Effect.fn("Identity.challenged")(function*(id: string) {
        const found = isOpaqueToken(id) ? yield* challenges.find(credentialHash(id)) : undefined
        const user = found === undefined ? undefined : yield* users.byId(found.user_id)
        return user ?? (yield* Effect.fail(challengeEnded))
      })

      const loginFactor = Effect.fn("Identity.loginFactor")(
        function*(id: string, proof: FactorProof, place: PasskeyPlace, caller: Caller) {
          const hash = credentialHash(id)
          const tries = isOpaqueToken(id) ? yield* challenges.takeTry(hash) : undefined
          if (tries === undefined) return yield* Effect.fail(challengeEnded)
          return yield* db.transaction(Effect.gen(function*() {
            const challenge = yield* challenges.remove(hash)
            const user = challenge === undefined ? undefined : yield* users.byId(challenge.user_id)
            if (challenge === undefined || user === undefined) return yield* Effect.fail(challengeEnded)
            const factor = yield* factors.use(user.id, proof, "login", place)
            if (factor === undefined) {
              return yield* Effect.fail(unauthorized(wrongFactor, { tries_left: challengeTriesMax - tries }))
            }
            const org = yield* sessions.homeOf(user.id)
            if (org === undefined) return yield* Effect.fail(noWorkspaceLeft)
            const provider = challenge.provider === null
              ? {}
              : { provider: JSON.parse(challenge.provider) as ProviderSession }
            const signedIn = yield* open(personOf(user), org, caller, {
              method: challenge.method,
              factor,
              ...provider
            })
            if (!policy.ssoOnly || challenge.method !== "password") return signedIn
            yield* recordInAll(user.id, { type: "user", id: user.id, name: user.email, ip: caller.ip }, {
              action: "user.broke_glass",
              data: { session_id: signedIn.me.via.session_id }
            })
            return { ...signedIn, brokeGlass: true }
          }))
        }
      )

      const own = (principal: UserPrincipal) =>
        Effect.flatMap(
          users.byId(principal.user_id),
          (user) => user === undefined ? Effect.die(new Error("a session without its person")) : Effect.succeed(user)
        )

      const changePassword = Effect.fn("Identity.changePassword")(
        function*(principal: UserPrincipal, current: string, next: string) {
          const session = yield* sessionOf(principal)
          const user = yield* own(principal)
          if (!(yield* passwords.verify(current, user.password_hash)).ok) return yield* Effect.fail(wrongPassword)
          const hash = yield* passwords.hash(next)
          yield* db.transaction(Effect.gen(function*() {
            // Another session changed the password in the meantime, so the given current password is outdated.
            if (!(yield* users.replacePassword(user.id, user.password_hash, hash))) {
              return yield* Effect.fail(wrongPassword)
            }
            const ended = yield* sessions.endAll(user.id, session)
            yield* challenges.removeAll(user.id)
            yield* audit.record(principal.org_id, actorOf(principal), {
              action: "user.password_changed",
              subject: { type: "user", id: user.id },
              data: { sessions_ended: ended }
            })
          }))
        }
      )

      const stepUp = Effect.fn("Identity.stepUp")(function*(
        principal: UserPrincipal,
        { password, ...proof }: StepUpInput,
        place: PasskeyPlace
      ) {
        const session = yield* sessionOf(principal)
        const user = yield* own(principal)
        const lift = Effect.fnUntraced(function*(method: string) {
          const until = yield* sessions.stepUp(session)
          if (until === undefined) return yield* Effect.fail(notFound("session"))
          yield* audit.record(principal.org_id, actorOf(principal), {
            action: "user.stepped_up",
            subject: { type: "user", id: user.id },
            data: { session_id: session, method }
          })
          return { stepped_up_until: until.toISOString() }
        })
        const methods = yield* factors.methods(user.id)
        if (methods.length > 0) {
          if (password !== undefined) return yield* Effect.fail(needsFactor(methods))
          return yield* db.transaction(Effect.gen(function*() {
            const used = yield* factors.use(user.id, proof, "step_up", place)
            return yield* used === undefined ? Effect.fail(forbidden(wrongFactor)) : lift(used)
          }))
        }
        if (password === undefined) return yield* Effect.fail(noFactor)
        return yield* withPassword<{ readonly stepped_up_until: string }, ApiError>(
          user,
          password,
          () => wrongPassword,
          lift("password")
        )
      })

      const stepUpByProvider = Effect.fn("Identity.stepUpByProvider")(function*(principal: UserPrincipal) {
        const session = yield* sessionOf(principal)
        const methods = yield* factors.methods(principal.user_id)
        if (methods.length > 0) return yield* Effect.fail(needsFactor(methods))
        if ((yield* sessions.stepUp(session)) === undefined) return yield* Effect.fail(notFound("session"))
        yield* audit.record(principal.org_id, actorOf(principal), {
          action: "user.stepped_up",
          subject: { type: "user", id: principal.user_id },
          data: { session_id: session, method: "oidc" }
        })
      }, db.transaction)

      const end = (principal: UserPrincipal, id: SessionId, action: string): Effect.Effect<boolean> =>
        db.transaction(Effect.gen(function*() {
          if (!(yield* sessions.end(principal.user_id, id))) return false
          yield* audit.record(principal.org_id, actorOf(principal), {
            action,
            subject: { type: "user", id: principal.user_id },
            data: { session_id: id }
          })
          return true
        }))

      const me = Effect.fn("Identity.me")(function*(principal: UserPrincipal) {
        const { via } = principal
        if (via.kind === "messenger") return yield* Effect.die(new Error("a click is no sign-in"))
        return yield* meOf(personOf(yield* own(principal)), principal.org_id, principal.permissions, via)
      })

      const updateMe = Effect.fn("Identity.updateMe")(function*(principal: UserPrincipal, input: UpdateMeInput) {
        yield* db.transaction(Effect.gen(function*() {
          const before = yield* users.holdProfile(principal.user_id)
          if (before === undefined) return yield* Effect.die(new Error("a session without its person"))
          const after = { ...before, ...input }
          const data = Object.fromEntries(
            (["name", "time_zone", "locale"] as const)
              .filter((field) => after[field] !== before[field])
              .map((field) => [field, { from: before[field], to: after[field] }])
          )
          if (Object.keys(data).length === 0) return
          yield* users.setProfile(principal.user_id, after)
          const entry = { action: "user.updated", data }
          yield* data["name"] === undefined
            ? audit.record(principal.org_id, actorOf(principal), {
              ...entry,
              subject: { type: "user", id: principal.user_id }
            })
            : recordInAll(principal.user_id, actorOf(principal), entry)
        }))
        return yield* me(principal)
      })

      return Identity.of({
        login,
        admit,
        stepUpByProvider,
        challenged,
        loginFactor,
        open,
        me,
        updateMe,
        logout: (principal) =>
          Effect.flatMap(sessionOf(principal), (id) => Effect.asVoid(end(principal, id, "user.signed_out"))),
        changePassword,
        stepUp,
        sessions: Effect.fn("Identity.sessions")(function*(principal, query) {
          const current = yield* sessionOf(principal)
          const after = yield* decodeCursor(query.cursor, [/^ses_[0-9a-z]{26}$/])
          const as_of = yield* audit.asOf(principal.org_id)
          const rows = yield* sessions.list(principal.user_id, after?.[0], (query.limit ?? pageLimitDefault) + 1)
          return { ...toPage(rows.map((row) => toSession(row, current)), query.limit, (row) => [row.id]), as_of }
        }),
        endSession: (principal, id) =>
          Effect.flatMap(
            end(principal, id, "user.session_ended"),
            (ended) => ended ? Effect.void : Effect.fail(notFound("session"))
          )
      })
    })
  )
}

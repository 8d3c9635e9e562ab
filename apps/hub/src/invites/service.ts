/** Invites to a workspace, and their acceptance. Spec: reference/accounts.md "Invites". */
import { rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import {
  type ApiError,
  conflict,
  fieldConflict,
  forbidden,
  type Gone,
  gone,
  invalidField,
  noSuch,
  type NotFound,
  notFound,
  noWorkspace,
  unauthorized
} from "@countersign/domain/errors"
import type { Me } from "@countersign/domain/identity"
import { idPattern, type OrgId, type UserId } from "@countersign/domain/ids"
import {
  type AcceptInviteInput,
  type CreatedInvite,
  type CreateInviteInput,
  type Invite,
  inviteDays,
  invitesMax,
  type InviteStatus,
  type OpenInvite
} from "@countersign/domain/invites"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer } from "effect"
import { credentialHash, isOpaqueToken, opaqueToken } from "../auth/hash.ts"
import { Passwords } from "../auth/passwords.ts"
import { UsersRepository } from "../auth/repository.ts"
import { Rights } from "../auth/rights.ts"
import { type Caller, type Challenged, Identity, type SignedIn } from "../auth/service.ts"
import { SignInPolicy } from "../auth/sign-in-policy.ts"
import { Settings } from "../config.ts"
import { needs } from "../edge/access.ts"
import { Outbox } from "../mail/outbox.ts"
import { plainLine } from "../mail/plain-line.ts"
import { htmlOf, type MailBody, textOf } from "../mail/template.ts"
import { MembersRepository } from "../members/repository.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { TeamsRepository } from "../teams/repository.ts"
import { WorkspacesRepository } from "../workspaces/repository.ts"
import { type FoundInvite, type InviteRow, InvitesRepository } from "./repository.ts"

const toInvite = (row: InviteRow): Invite => ({
  id: row.id,
  email: row.email,
  role: row.role,
  ...(row.team_id === null || row.team_role === null ? {} : { team_id: row.team_id, team_role: row.team_role }),
  status: row.status,
  invited_by: { id: row.invited_by, name: row.inviter_name },
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  ...(row.accepted_at === null ? {} : { accepted_at: row.accepted_at.toISOString() }),
  ...(row.accepted_by === null ? {} : { accepted_by: row.accepted_by })
})

const ended = (status: InviteStatus): Gone =>
  gone(`This invite was ${status === "pending" ? "revoked" : status}. Ask an admin of the workspace for a new one.`)

/** An invite gives no more than its inviter may give now. */
const isValid = ({ inviter_role, role }: FoundInvite): boolean =>
  inviter_role !== null && rolePermissions[inviter_role].has("members:write") &&
  (role !== "owner" || inviter_role === "owner")

export class Invites extends Context.Service<Invites, {
  readonly list: (
    user: UserPrincipal,
    org: OrgId,
    query: PageQuery & { readonly status?: InviteStatus }
  ) => Effect.Effect<PageOf<Invite>, ApiError>
  /** 403 for an owner's invite by anyone but an owner; 409 `conflict` for a member's email and for an invited one. */
  readonly create: (
    user: UserPrincipal,
    org: OrgId,
    input: CreateInviteInput
  ) => Effect.Effect<CreatedInvite, ApiError>
  /** A second revocation changes nothing. */
  readonly revoke: (user: UserPrincipal, org: OrgId, id: string | undefined) => Effect.Effect<void, ApiError>
  readonly get: (token: string) => Effect.Effect<OpenInvite, NotFound | Gone>
  /** Creates the person and signs in. Of several concurrent calls one succeeds. */
  readonly acceptNew: (token: string, input: AcceptInviteInput, caller: Caller) => Effect.Effect<SignedIn, ApiError>
  /** The email of a pending invite whose person exists and belongs to no workspace, so that they cannot sign in. */
  readonly formerMember: (token: string) => Effect.Effect<string | undefined, NotFound | Gone>
  /** Adds such a person by their password, and signs in, or first a challenge for the second factor. */
  readonly acceptAgain: (
    token: string,
    email: string,
    password: string,
    caller: Caller
  ) => Effect.Effect<SignedIn | Challenged, ApiError>
  /** Adds the session's person, and makes the workspace the active one of the session. */
  readonly acceptAs: (token: string, user: UserPrincipal) => Effect.Effect<Me, ApiError>
}>()("@countersign/hub/invites/Invites") {
  static readonly layer = Layer.effect(
    Invites,
    Effect.gen(function*() {
      const repository = yield* InvitesRepository
      const teams = yield* TeamsRepository
      const members = yield* MembersRepository
      const workspaces = yield* WorkspacesRepository
      const users = yield* UsersRepository
      const passwords = yield* Passwords
      const identity = yield* Identity
      const policy = yield* SignInPolicy
      const rights = yield* Rights
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const outbox = yield* Outbox
      const settings = yield* Settings
      const db = yield* Db

      /** The person with current rights in the workspace of the path, in the caller's transaction. */
      const inviter = Effect.fnUntraced(function*(caller: UserPrincipal, org: OrgId) {
        if (caller.via.kind === "pat" && caller.org_id !== org) return yield* Effect.fail(noWorkspace())
        const user = yield* rights.hold({ ...caller, org_id: org as UserPrincipal["org_id"] })
        yield* needs(user, "members:write")
        return user
      })

      const mail = (org: OrgId, invite: InviteRow, workspace: string, url: string) => {
        const [name, place] = [plainLine(invite.inviter_name), plainLine(workspace)]
        const body: MailBody = {
          heading: `${name} invites you to ${place} on Countersign`,
          lead: `${name} invites you to the workspace ${place} on Countersign.`,
          items: [{
            title: place,
            details: [`the invite is valid for ${inviteDays} days`],
            link: { label: "Accept the invite", href: url }
          }],
          reason: `You receive this because ${name} entered your email address. Ignore it if you do not know them.`
        }
        return outbox.add(org, "invite", invite.id, {
          to: invite.email,
          subject: body.heading,
          text: textOf(body),
          html: htmlOf(body)
        })
      }

      const create = Effect.fn("Invites.create")(
        function*(caller: UserPrincipal, org: OrgId, input: CreateInviteInput) {
          const user = yield* inviter(caller, org)
          if (input.role === "owner" && user.role !== "owner") {
            return yield* Effect.fail(forbidden("Only an owner can invite an owner.", { role: "owner" }))
          }
          if (input.team_role !== undefined && input.team_id === undefined) {
            return yield* Effect.fail(invalidField("team_role", "it needs team_id"))
          }
          const at = yield* heads.lock(org)
          if (input.team_id !== undefined && !(yield* teams.exists(org, input.team_id))) {
            return yield* Effect.fail(invalidField("team_id", "there is no such team in this workspace"))
          }
          if (yield* repository.isMember(org, input.email)) {
            return yield* Effect.fail(fieldConflict("email", "This person is already a member of the workspace."))
          }
          if (yield* repository.isInvited(org, input.email)) {
            return yield* Effect.fail(
              fieldConflict("email", "This person has a pending invite. Revoke it to send a new one.")
            )
          }
          if ((yield* repository.pending(org)) >= invitesMax) {
            const advice = `A workspace can have ${invitesMax} pending invites; revoke one first.`
            return yield* Effect.fail(conflict("limit_reached", advice, { max: invitesMax }))
          }
          const token = opaqueToken()
          const id = yield* repository.insert(org, {
            email: input.email,
            role: input.role,
            team_id: input.team_id ?? null,
            team_role: input.team_id === undefined ? null : input.team_role ?? "worker",
            tokenHash: credentialHash(token),
            invited_by: user.user_id
          }, at)
          const invite = (yield* repository.find(org, id))!
          yield* audit.record(org, actorOf(user), {
            action: "invite.created",
            subject: { type: "invite", id },
            data: {
              email: input.email,
              role: input.role,
              ...(invite.team_id === null ? {} : { team_id: invite.team_id, team_role: invite.team_role })
            }
          })
          const url = `${settings.publicUrl.origin}/invite#token=${token}`
          if (outbox.isConfigured) {
            const workspace = yield* workspaces.find(org, user.user_id)
            yield* mail(org, invite, workspace?.name ?? "", url)
          }
          return { ...toInvite(invite), token, url, mailed: outbox.isConfigured }
        },
        db.transaction
      )

      const revoke = Effect.fn("Invites.revoke")(function*(caller: UserPrincipal, org: OrgId, id: string | undefined) {
        const user = yield* inviter(caller, org)
        if (id === undefined) return yield* Effect.fail(invalidField("invite_id", "it names the invite"))
        const at = yield* heads.lock(org)
        const invite = yield* repository.find(org, id)
        if (invite === undefined) return yield* Effect.fail(notFound("invite"))
        if (invite.status === "accepted") {
          return yield* Effect.fail(
            conflict("conflict", "The invite was accepted. Remove the person from the workspace instead.")
          )
        }
        if (invite.status !== "pending") return
        yield* repository.revoke(org, id, at)
        yield* outbox.cancelAbout(org, id)
        yield* audit.record(org, actorOf(user), {
          action: "invite.revoked",
          subject: { type: "invite", id },
          data: { email: invite.email, role: invite.role }
        })
      }, db.transaction)

      const pending = Effect.fnUntraced(function*(token: string) {
        const invite = isOpaqueToken(token) ? yield* repository.byToken(credentialHash(token)) : undefined
        if (invite === undefined) return yield* Effect.fail(noSuch("invite"))
        if (invite.status !== "pending" || !isValid(invite)) return yield* Effect.fail(ended(invite.status))
        return invite
      })

      /** The membership, under the workspace's lock; call it after the person's rows are locked. */
      const join = Effect.fnUntraced(function*(token: string, user: UserId, name: string, ip: string) {
        const before = yield* pending(token)
        yield* workspaces.addMember(before.org_id, user, before.role)
        const at = yield* heads.lock(before.org_id)
        const invite = yield* pending(token)
        const org = invite.org_id
        if (!(yield* repository.accept(org, invite.id, user, at))) return yield* Effect.fail(ended("revoked"))
        const actor = { type: "user", id: user, name, ip } as const
        yield* audit.record(org, actor, {
          action: "invite.accepted",
          subject: { type: "invite", id: invite.id },
          data: { email: invite.email, user_id: user }
        })
        yield* audit.record(org, actor, {
          action: "member.added",
          subject: { type: "user", id: user },
          data: { role: invite.role, invited_by: invite.invited_by }
        })
        if (invite.team_id !== null && invite.team_role !== null && invite.team_name !== null) {
          yield* teams.addMember(org, invite.team_id, user, invite.team_role, at)
          yield* audit.record(org, actor, {
            action: "team.member_added",
            subject: { type: "team", id: invite.team_id },
            data: { user_id: user, role: invite.team_role }
          })
        }
        return invite
      })

      const acceptNew = Effect.fn("Invites.acceptNew")(
        function*(token: string, input: AcceptInviteInput, caller: Caller) {
          const needsSession = unauthorized(
            "A person with this email exists. Sign in as this person, and accept the invite with the session."
          )
          const { can_sign_in, email, has_account } = yield* pending(token)
          if (can_sign_in) return yield* Effect.fail(needsSession)
          if (has_account) {
            return yield* Effect.fail(invalidField("password", "accept with the password of your account"))
          }
          if (input.password === undefined) {
            return yield* Effect.fail(invalidField("password", "a new person needs a password"))
          }
          if (policy.ssoOnly) {
            const advice = "This hub requires single sign-on. Sign in with your identity provider to accept the invite."
            return yield* Effect.fail(forbidden(advice, undefined, "sso_required"))
          }
          const passwordHash = yield* passwords.hash(input.password)
          const name = input.name ?? ""
          return yield* db.transaction(Effect.gen(function*() {
            yield* repository.lockEmail(email)
            if ((yield* pending(token)).has_account) return yield* Effect.fail(needsSession)
            const id = yield* users.create({ email, name, passwordHash })
            const { org_id } = yield* join(token, id, name === "" ? email : name, caller.ip)
            return yield* identity.open({ id, email, name, time_zone: null, locale: null }, org_id, caller, {
              method: "setup"
            })
          }))
        }
      )

      const acceptAgain = Effect.fn("Invites.acceptAgain")(
        (token: string, email: string, password: string, caller: Caller) =>
          identity.login(email, password, caller, ({ id, name }) =>
            Effect.andThen(
              repository.lockEmail(email),
              join(token, id, name === "" ? email : name, caller.ip)
            ))
      )

      const acceptAs = Effect.fn("Invites.acceptAs")(function*(token: string, user: UserPrincipal) {
        const { org_id } = yield* db.transaction(Effect.gen(function*() {
          const { org_id } = yield* pending(token)
          yield* repository.lockEmail(user.email)
          if (yield* members.belongs(org_id, user.user_id)) {
            return yield* Effect.fail(conflict("conflict", "You already belong to this workspace."))
          }
          const { id, name } = actorOf(user)
          const invite = yield* join(token, id as UserId, name, user.ip)
          if (user.via.kind === "session") yield* workspaces.enter(org_id, user.via.session_id)
          return invite
        }))
        const { permissions, role } = yield* db.transaction(rights.hold({ ...user, org_id }))
        return yield* identity.me({ ...user, org_id, role, permissions })
      })

      return Invites.of({
        list: Effect.fn("Invites.list")(function*(user, org, { cursor, limit, status }) {
          yield* db.transaction(inviter(user, org))
          const after = yield* decodeCursor(cursor, [idPattern("inv")])
          const as_of = yield* audit.asOf(org)
          const rows = yield* repository.list(org, status, after?.[0], (limit ?? pageLimitDefault) + 1)
          return { ...toPage(rows.map(toInvite), limit, ({ id }) => [id]), as_of }
        }),
        create,
        revoke,
        get: Effect.fn("Invites.get")(function*(token) {
          const invite = yield* pending(token)
          return {
            email: invite.email,
            role: invite.role,
            workspace: { id: invite.org_id, name: invite.org_name },
            ...(invite.team_id === null || invite.team_name === null || invite.team_role === null
              ? {}
              : { team: { id: invite.team_id, name: invite.team_name, role: invite.team_role } }),
            invited_by: { name: invite.inviter_name },
            has_account: invite.has_account,
            can_sign_in: invite.can_sign_in,
            expires_at: invite.expires_at.toISOString()
          }
        }),
        formerMember: Effect.fn("Invites.formerMember")(function*(token) {
          const { can_sign_in, email, has_account } = yield* pending(token)
          return has_account && !can_sign_in ? email : undefined
        }),
        acceptAgain,
        acceptNew,
        acceptAs
      })
    })
  )
}

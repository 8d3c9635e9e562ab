/** Roles of a workspace's members. Spec: reference/accounts.md "Members", "Member removal". */
import type { Role, UserPrincipal } from "@countersign/domain/auth"
import {
  type ApiError,
  type BadRequest,
  type Conflict,
  conflict,
  type Forbidden,
  forbidden,
  invalidField,
  type NotFound,
  notFound
} from "@countersign/domain/errors"
import type { OrgId } from "@countersign/domain/ids"
import { mayOwn, type Member, type MemberHoldings, type RemoveMemberInput } from "@countersign/domain/members"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer } from "effect"
import { BreakGlass } from "../auth/break-glass.ts"
import { SessionsRepository } from "../auth/repository.ts"
import { type Actor, actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { TokensRepository } from "../tokens/repository.ts"
import { AppsOfMember, Departure, FiringsOfMember, TeamsOfMember, WorkflowsOfMember } from "./departure.ts"
import { HoldingsRepository } from "./holdings-repository.ts"
import { MembersRepository } from "./repository.ts"

const lastOwner = conflict(
  "last_owner",
  "A workspace must have at least one owner. Make another person an owner first."
)

export class Members extends Context.Service<Members, {
  readonly list: (
    user: UserPrincipal,
    query: PageQuery
  ) => Effect.Effect<PageOf<Member>, ApiError>
  /** Takes effect with the member's next call; also restricts the member's tokens. 409 `last_owner`. */
  readonly setRole: (
    user: UserPrincipal,
    member: string,
    role: Role
  ) => Effect.Effect<Member, NotFound | Forbidden | Conflict>
  /** The member's agents, devices, and other objects that a removal affects. */
  readonly holdings: (user: UserPrincipal, member: string) => Effect.Effect<MemberHoldings, NotFound>
  /**
   * In one transaction: sessions and tokens in this workspace end, agents, devices, and apps are transferred or stop, and the
   * member's standing approvals are revoked. The member leaves all teams; 409 `holds_open` while requests hold money of
   * an allocation.
   */
  readonly remove: (
    user: UserPrincipal,
    member: string,
    input?: RemoveMemberInput
  ) => Effect.Effect<void, NotFound | Forbidden | Conflict | BadRequest>
  /** Sets a role that single sign-on manages. 409 `last_owner` for the last owner. */
  readonly setRoleFor: (actor: Actor, org: OrgId, member: string, role: Role) => Effect.Effect<void, Conflict>
  /** Removes a member without a transfer. 409 `last_owner`, `holds_open`. */
  readonly removeFor: (actor: Actor, org: OrgId, member: string) => Effect.Effect<void, Conflict>
}>()("@countersign/hub/members/Members") {
  static readonly layer = Layer.effect(
    Members,
    Effect.gen(function*() {
      const repository = yield* MembersRepository
      const sessions = yield* SessionsRepository
      const tokens = yield* TokensRepository
      const holdings = yield* HoldingsRepository
      const departure = yield* Departure
      const teams = yield* TeamsOfMember
      const apps = yield* AppsOfMember
      const workflows = yield* WorkflowsOfMember
      const firings = yield* FiringsOfMember
      const breakGlass = yield* BreakGlass
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db

      const held = Effect.fnUntraced(function*(user: UserPrincipal, id: string, makesOwner: boolean) {
        const member = yield* repository.hold(user.org_id, id)
        if (member === undefined) return yield* Effect.fail(notFound("member"))
        if ((member.role === "owner" || makesOwner) && user.role !== "owner") {
          return yield* Effect.fail(forbidden("Only an owner can add or remove an owner.", { role: "owner" }))
        }
        return member
      })

      /**
       * Checks under the workspace's lock, so that of two owners who demote each other one sees the other's change.
       * Every transaction locks people, memberships, sessions, and tokens before the workspace, so no holder of the
       * workspace's lock waits for them.
       */
      const keepsAnOwner = (org: OrgId) =>
        Effect.flatMap(
          heads.lock(org),
          (at) =>
            Effect.flatMap(repository.owners(org), (count) => count > 1 ? Effect.succeed(at) : Effect.fail(lastOwner))
        )

      /** Changes a role; the workspace, and a hub with single sign-on only, keep an owner. */
      const change = (org: OrgId, { role, user_id }: Member, write: Effect.Effect<void>) =>
        role === "owner" ? Effect.andThen(keepsAnOwner(org), breakGlass.keepOne(user_id, write)) : write

      const setRole = Effect.fn("Members.setRole")(function*(user: UserPrincipal, id: string, role: Role) {
        yield* breakGlass.lockFor(id)
        const member = yield* held(user, id, role === "owner")
        if (member.role === role) return member
        yield* change(user.org_id, member, repository.setRole(user.org_id, id, role))
        yield* audit.record(user.org_id, actorOf(user), {
          action: "member.updated",
          subject: { type: "user", id },
          data: { role, previous_role: member.role }
        })
        return { ...member, role }
      }, db.transaction)

      /** Both memberships in order of id, so that two removals that name each other do not deadlock. */
      const memberAndRecipient = Effect.fnUntraced(
        function*(user: UserPrincipal, id: string, recipientId: string | undefined) {
          if (recipientId === id) return yield* Effect.fail(invalidField("transfer_to", "it is the person to remove"))
          const lockedRecipient = recipientId !== undefined && recipientId < id
            ? yield* repository.hold(user.org_id, recipientId)
            : undefined
          const member = yield* held(user, id, false)
          if (recipientId === undefined) return member
          const recipient = lockedRecipient ?? (yield* repository.hold(user.org_id, recipientId))
          if (recipient === undefined) {
            return yield* Effect.fail(invalidField("transfer_to", "there is no such person in this workspace"))
          }
          if (!mayOwn(recipient.role)) {
            return yield* Effect.fail(
              invalidField("transfer_to", `a person with the role ${recipient.role} cannot own agents and devices`)
            )
          }
          return member
        }
      )

      /** In the caller's transaction, with the membership locked. */
      const leave = Effect.fnUntraced(
        function*(org: OrgId, member: Member, transferTo: string | undefined, actor: Actor) {
          const id = member.user_id
          const leaving = { org, user: id, transferTo, actor }
          yield* sessions.endInWorkspace(org, id)
          yield* tokens.removeAll(org, id)
          const devices = yield* departure.devices(leaving)
          const at = yield* member.role === "owner" ? keepsAnOwner(org) : heads.lock(org)
          const left = yield* teams.leave(leaving, at)
          const schedules = transferTo === undefined ? yield* firings.pause(leaving, at) : 0
          const agents = yield* departure.agents(leaving)
          const connected = yield* apps.leave(leaving)
          const owned = yield* workflows.leave(leaving, at)
          const standing_approvals = yield* departure.standingApprovals(leaving)
          yield* holdings.removePrivateViews(org, id)
          yield* member.role === "owner"
            ? breakGlass.keepOne(id, repository.remove(org, id))
            : repository.remove(org, id)
          yield* audit.record(org, actor, {
            action: "member.removed",
            subject: { type: "user", id },
            data: {
              role: member.role,
              email: member.email,
              ...(transferTo === undefined ? {} : { transfer_to: transferTo }),
              agents,
              devices,
              apps: connected,
              workflows: owned,
              standing_approvals,
              ...(schedules === 0 ? {} : { schedules }),
              teams: left
            }
          })
        }
      )

      const remove = Effect.fn("Members.remove")(
        function*(user: UserPrincipal, id: string, input: RemoveMemberInput = {}) {
          yield* breakGlass.lockFor(id)
          const member = yield* memberAndRecipient(user, id, input.transfer_to)
          yield* leave(user.org_id, member, input.transfer_to, actorOf(user))
        },
        db.transaction
      )

      /** A nested transaction: what failed is undone, and the caller's continues. */
      const removeFor = Effect.fn("Members.removeFor")(function*(actor: Actor, org: OrgId, id: string) {
        const member = yield* repository.hold(org, id)
        if (member !== undefined) yield* leave(org, member, undefined, actor)
      }, db.transaction)

      const setRoleFor = Effect.fn("Members.setRoleFor")(
        function*(actor: Actor, org: OrgId, id: string, role: Role) {
          const member = yield* repository.hold(org, id)
          if (member === undefined || member.role === role) return
          yield* change(org, member, repository.setRole(org, id, role, "oidc"))
          yield* audit.record(org, actor, {
            action: "member.updated",
            subject: { type: "user", id },
            data: { role, previous_role: member.role }
          })
        },
        db.transaction
      )

      return Members.of({
        list: Effect.fn("Members.list")(function*(user, query) {
          const after = yield* decodeCursor(query.cursor, [/^usr_[0-9a-z]{26}$/])
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* repository.list(user.org_id, after?.[0], (query.limit ?? pageLimitDefault) + 1)
          return { ...toPage(rows, query.limit, (row) => [row.user_id]), as_of }
        }),
        holdings: Effect.fn("Members.holdings")(function*(user, id) {
          if (!(yield* repository.belongs(user.org_id, id))) return yield* Effect.fail(notFound("member"))
          return yield* holdings.read(user.org_id, id)
        }),
        setRole,
        remove,
        setRoleFor,
        removeFor
      })
    })
  )
}

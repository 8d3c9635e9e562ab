/** Roles that single sign-on gives, at each sign-in. Spec: reference/sign-in.md "Roles". */
import type { Conflict } from "@countersign/domain/errors"
import type { OrgId, UserId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { BreakGlass } from "../auth/break-glass.ts"
import { TeamsOfMember } from "../members/departure.ts"
import { Members } from "../members/service.ts"
import { type Actor, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { type RoleMapping, type Target, targetsOf } from "../sso-settings/role-mapping.ts"
import { OidcRepository } from "./repository.ts"

/** Single sign-on as an actor. */
export const ssoActor: Actor = { type: "provider", id: "oidc", name: "Single sign-on" }

export class OidcRoles extends Context.Service<OidcRoles, {
  /** The roles that the values of the claim give, by workspace. */
  readonly targets: (
    mapping: RoleMapping,
    values: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, Target>>
  /**
   * Gives, changes, and takes away the roles of a person that single sign-on manages; others stay. The last owner of a
   * workspace stays one, and so does the last one who can sign in without the provider. Call it in the transaction of
   * the sign-in.
   */
  readonly apply: (user: UserId, targets: ReadonlyMap<string, Target>) => Effect.Effect<void>
}>()("@countersign/hub/oidc/OidcRoles") {
  static readonly layer = Layer.effect(
    OidcRoles,
    Effect.gen(function*() {
      const repository = yield* OidcRepository
      const members = yield* Members
      const teamsOf = yield* TeamsOfMember
      const breakGlass = yield* BreakGlass
      const heads = yield* OrgHeads
      const db = yield* Db
      const audit = yield* AuditLog

      /** The last owner keeps the role, and who holds money that requests hold becomes a viewer until they ended. */
      const kept = (org: OrgId, user: UserId, otherwise: Effect.Effect<void>) => (error: Conflict) =>
        error.error.code === "last_owner"
          ? audit.record(org, ssoActor, { action: "member.role_kept", subject: { type: "user", id: user } })
          : otherwise

      const leaveTeam = Effect.fnUntraced(function*(org: OrgId, team: string, user: UserId) {
        const at = yield* heads.lock(org)
        const returned = yield* teamsOf.leaveTeam({ actor: ssoActor, org, user }, team, at)
        yield* audit.record(org, ssoActor, {
          action: "team.member_removed",
          subject: { type: "team", id: team },
          data: { user_id: user, amount_cents: returned }
        })
      }, db.transaction)

      /** While requests hold money of the person's allocation, the person stays in the team, until the next sign-in. */
      const leaveOthers = Effect.fnUntraced(function*(org: OrgId, user: UserId, wanted: ReadonlySet<string>) {
        for (const team of yield* repository.managedTeams(org, user)) {
          if (!wanted.has(team)) yield* Effect.ignore(leaveTeam(org, team, user))
        }
      })

      const join = Effect.fnUntraced(function*(org: OrgId, user: UserId, { role, teams }: Target, isMember: boolean) {
        if (!isMember) {
          yield* repository.addMember(org, user, role)
          yield* audit.record(org, ssoActor, {
            action: "member.added",
            subject: { type: "user", id: user },
            data: { role }
          })
        }
        const wanted = new Set<string>()
        for (const named of teams) {
          const team = yield* repository.team(org, named)
          if (team !== undefined) wanted.add(team)
        }
        yield* leaveOthers(org, user, wanted)
        for (const team of wanted) {
          if (!(yield* repository.joinTeam(org, team, user))) continue
          yield* audit.record(org, ssoActor, {
            action: "team.member_added",
            subject: { type: "team", id: team },
            data: { user_id: user, role: "worker" }
          })
        }
      })

      return OidcRoles.of({
        targets: Effect.fn("OidcRoles.targets")(function*(mapping, values) {
          const all = yield* repository.workspaces
          return targetsOf(mapping, values, (named) => {
            const byName = all.filter(({ name }) => name === named)
            return all.find(({ id }) => id === named)?.id ?? (byName.length === 1 ? byName[0]?.id : undefined)
          })
        }),
        apply: Effect.fn("OidcRoles.apply")(function*(user, targets) {
          yield* breakGlass.lockFor(user)
          const standing = new Map((yield* repository.memberships(user)).map((each) => [each.org_id as string, each]))
          // In order of id, like every transaction that locks several workspaces.
          for (const id of [...new Set([...standing.keys(), ...targets.keys()])].sort()) {
            const org = id as OrgId
            const target = targets.get(id)
            const before = standing.get(id)
            if (target === undefined) {
              if (before?.managed_by !== "oidc") {
                yield* leaveOthers(org, user, new Set())
                continue
              }
              const asViewer = Effect.ignore(members.setRoleFor(ssoActor, org, user, "viewer"))
              yield* Effect.catch(members.removeFor(ssoActor, org, user), kept(org, user, asViewer))
              continue
            }
            if (before?.managed_by === "oidc") {
              yield* Effect.catch(
                members.setRoleFor(ssoActor, org, user, target.role),
                kept(org, user, Effect.void)
              )
            }
            yield* join(org, user, target, before !== undefined)
          }
        })
      })
    })
  )
}

/** Teams and their members. Spec: reference/teams.md "Teams". */
import type { TeamRole, UserPrincipal } from "@countersign/domain/auth"
import {
  type ApiError,
  conflict,
  fieldConflict,
  invalidField,
  type NotFound,
  notFound
} from "@countersign/domain/errors"
import { idPattern, type OrgId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import {
  type AddTeamMemberInput,
  type CreateTeamInput,
  type Team,
  type TeamMember,
  teamsMax,
  type UpdateTeamInput
} from "@countersign/domain/teams"
import { Context, Effect, Layer, Option } from "effect"
import { ActiveTeamRepository } from "../auth/active-team-repository.ts"
import { maySeeTeam } from "../auth/own.ts"
import { Rights } from "../auth/rights.ts"
import { needsInTeam } from "../edge/access.ts"
import { MembersRepository } from "../members/repository.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { Signals } from "../platform/signals.ts"
import { TeamBudgets, toAllocation } from "./budgets.ts"
import { type TeamMemberRow, type TeamRow, TeamsRepository } from "./repository.ts"

const toTeam = (row: TeamRow): Team => ({
  ...row,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})

const toMember = ({ balance, created_at, held, paid, spent, ...row }: TeamMemberRow): TeamMember => ({
  ...row,
  allocation: balance === null ? null : toAllocation({ balance, held: held ?? 0, spent: paid ?? 0 }),
  spent_this_month_cents: spent,
  created_at: created_at.toISOString()
})

const nameTaken = fieldConflict("name", "Another team of the workspace has this name. Choose another name.")

export class Teams extends Context.Service<Teams, {
  readonly list: (user: UserPrincipal, query: PageQuery) => Effect.Effect<PageOf<Team>, ApiError>
  /** 409 `limit_reached` beyond the maximum number of teams, 409 `conflict` for a name that another team has. */
  readonly create: (user: UserPrincipal, input: CreateTeamInput) => Effect.Effect<Team, ApiError>
  readonly update: (user: UserPrincipal, id: string, input: UpdateTeamInput) => Effect.Effect<Team, ApiError>
  /** Returns all money to the workspace's wallet. 409 `holds_open` while requests hold some of it. */
  readonly remove: (user: UserPrincipal, id: string) => Effect.Effect<void, ApiError>
  /** Makes a team the active one of the session or token; null ends it. */
  readonly enter: (user: UserPrincipal, id: string | null) => Effect.Effect<Team | null, NotFound>
  readonly members: (user: UserPrincipal, id: string, query: PageQuery) => Effect.Effect<PageOf<TeamMember>, ApiError>
  /** 409 `conflict` for a member of the team. */
  readonly addMember: (
    user: UserPrincipal,
    id: string,
    input: AddTeamMemberInput
  ) => Effect.Effect<TeamMember, ApiError>
  readonly setRole: (
    user: UserPrincipal,
    id: string,
    member: string,
    role: TeamRole
  ) => Effect.Effect<TeamMember, ApiError>
  /** Returns the person's allocation to the pool. */
  readonly removeMember: (user: UserPrincipal, id: string, member: string) => Effect.Effect<void, ApiError>
}>()("@countersign/hub/teams/Teams") {
  static readonly layer = Layer.effect(
    Teams,
    Effect.gen(function*() {
      const teams = yield* TeamsRepository
      const budgets = yield* TeamBudgets
      const members = yield* MembersRepository
      const activeTeams = yield* ActiveTeamRepository
      const rights = yield* Rights
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db

      const found = (user: UserPrincipal, id: string): Effect.Effect<TeamRow, NotFound> =>
        Effect.flatMap(
          teams.find(user.org_id, id, user.user_id),
          Option.match({ onNone: () => Effect.fail(notFound("team")), onSome: Effect.succeed })
        )
      const member = (org: OrgId, team: string, id: string): Effect.Effect<TeamMemberRow, NotFound> =>
        Effect.flatMap(
          teams.member(org, team, id),
          Option.match({ onNone: () => Effect.fail(notFound("member")), onSome: Effect.succeed })
        )

      const create = Effect.fn("Teams.create")(function*(caller: UserPrincipal, input: CreateTeamInput) {
        const user = yield* rights.hold(caller)
        const org = user.org_id
        yield* needsInTeam(user, "members:write", undefined)
        const at = yield* heads.lock(org)
        if ((yield* teams.count(org)) >= teamsMax) {
          return yield* Effect.fail(
            conflict("limit_reached", `A workspace can have ${teamsMax} teams; delete one first.`, { max: teamsMax })
          )
        }
        if (yield* teams.isNamed(org, input.name)) return yield* Effect.fail(nameTaken)
        const id = yield* teams.insert(org, { description: "", ...input }, at)
        yield* audit.record(org, actorOf(user), {
          action: "team.created",
          subject: { type: "team", id },
          data: { name: input.name }
        })
        return toTeam(yield* Effect.orDie(found(user, id)))
      }, db.transaction)

      const update = Effect.fn("Teams.update")(
        function*(caller: UserPrincipal, id: string, input: UpdateTeamInput) {
          const user = yield* rights.hold(caller)
          const org = user.org_id
          const at = yield* heads.lock(org)
          const before = yield* found(user, id)
          yield* needsInTeam(user, "members:write", id)
          const changed = Object.fromEntries(
            Object.entries(input).filter(([name, value]) => before[name as keyof UpdateTeamInput] !== value)
          )
          if (Object.keys(changed).length === 0) return toTeam(before)
          if (input.name !== undefined && (yield* teams.isNamed(org, input.name, id))) {
            return yield* Effect.fail(nameTaken)
          }
          yield* teams.update(org, id, changed, at)
          yield* audit.record(org, actorOf(user), {
            action: "team.updated",
            subject: { type: "team", id },
            data: Object.fromEntries(
              Object.entries(changed).map(([name, to]) => [name, { from: before[name as keyof UpdateTeamInput], to }])
            )
          })
          return toTeam(yield* Effect.orDie(found(user, id)))
        },
        db.transaction
      )

      const remove = Effect.fn("Teams.remove")(function*(caller: UserPrincipal, id: string) {
        const user = yield* rights.hold(caller)
        const org = user.org_id
        yield* needsInTeam(user, "members:write", undefined)
        const at = yield* heads.lock(org)
        const team = yield* found(user, id)
        const returned = yield* budgets.returnAll(org, id, at)
        const agents = yield* teams.remove(org, id, at)
        yield* audit.record(org, actorOf(user), {
          action: "team.deleted",
          subject: { type: "team", id },
          data: { name: team.name, members: team.member_count, agents, amount_cents: returned }
        })
        yield* db.afterCommit(Effect.sync(() => signals.config(org)))
      }, db.transaction)

      /** Both memberships of the workspace in order of id, as removals lock them. */
      const callerAndMember = Effect.fnUntraced(function*(caller: UserPrincipal, id: string) {
        const stays = Effect.mapError(
          members.stays(caller.org_id, id),
          () => invalidField("user_id", "there is no such person in this workspace")
        )
        if (id < caller.user_id) yield* stays
        const user = yield* rights.hold(caller)
        if (id > caller.user_id) yield* stays
        return user
      })

      const addMember = Effect.fn("Teams.addMember")(
        function*(caller: UserPrincipal, id: string, input: AddTeamMemberInput) {
          yield* found(caller, id)
          const user = yield* callerAndMember(caller, input.user_id)
          const org = user.org_id
          const at = yield* heads.lock(org)
          yield* found(user, id)
          yield* needsInTeam(user, "members:write", id)
          if (Option.isSome(yield* teams.member(org, id, input.user_id))) {
            return yield* Effect.fail(fieldConflict("user_id", "This person is already a member of the team."))
          }
          yield* teams.addMember(org, id, input.user_id, input.role, at)
          yield* audit.record(org, actorOf(user), {
            action: "team.member_added",
            subject: { type: "team", id },
            data: { user_id: input.user_id, role: input.role }
          })
          return toMember(yield* Effect.orDie(member(org, id, input.user_id)))
        },
        db.transaction
      )

      const setRole = Effect.fn("Teams.setRole")(
        function*(caller: UserPrincipal, id: string, memberId: string, role: TeamRole) {
          const user = yield* rights.hold(caller)
          const org = user.org_id
          yield* heads.lock(org)
          yield* found(user, id)
          yield* needsInTeam(user, "members:write", id)
          const before = yield* member(org, id, memberId)
          if (before.role === role) return toMember(before)
          yield* teams.setRole(org, id, memberId, role)
          yield* audit.record(org, actorOf(user), {
            action: "team.member_updated",
            subject: { type: "team", id },
            data: { user_id: memberId, role, previous_role: before.role }
          })
          return toMember({ ...before, role })
        },
        db.transaction
      )

      const removeMember = Effect.fn("Teams.removeMember")(
        function*(caller: UserPrincipal, id: string, memberId: string) {
          const user = yield* rights.hold(caller)
          const org = user.org_id
          const at = yield* heads.lock(org)
          yield* found(user, id)
          yield* needsInTeam(user, "members:write", id)
          const { role } = yield* member(org, id, memberId)
          const returned = yield* budgets.returnAllocation(org, id, memberId, actorOf(user), at)
          yield* teams.removeMember(org, id, memberId)
          yield* audit.record(org, actorOf(user), {
            action: "team.member_removed",
            subject: { type: "team", id },
            data: { user_id: memberId, role, amount_cents: returned }
          })
        },
        db.transaction
      )

      return Teams.of({
        list: Effect.fn("Teams.list")(function*(user, { cursor, limit }) {
          const after = yield* decodeCursor(cursor, [idPattern("team")])
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* teams.list(user.org_id, user.user_id, after?.[0], (limit ?? pageLimitDefault) + 1)
          return { ...toPage(rows.map(toTeam), limit, (team) => [team.id]), as_of }
        }),
        create,
        update,
        remove,
        enter: Effect.fn("Teams.enter")(function*(user, id) {
          const team = id === null ? null : toTeam(yield* found(user, id))
          yield* activeTeams.set(user, id)
          return team
        }),
        members: Effect.fn("Teams.members")(function*(user, id, { cursor, limit }) {
          const after = yield* decodeCursor(cursor, [idPattern("usr")])
          const as_of = yield* audit.asOf(user.org_id)
          yield* found(user, id)
          if (!maySeeTeam(user, id)) return yield* Effect.fail(notFound("team"))
          const rows = yield* teams.members(user.org_id, id, after?.[0], (limit ?? pageLimitDefault) + 1)
          return { ...toPage(rows.map(toMember), limit, (row) => [row.user_id]), as_of }
        }),
        addMember,
        setRole,
        removeMember
      })
    })
  )
}

/** Locks the rows that give a person the right to act. Order of locks: membership, then credential, then workspace. */
import type { Permission, Role, TeamMembership } from "@countersign/domain/auth"
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { UnmetRule } from "./factor-rule.ts"
import { sessionEnd } from "./liveness-repository.ts"
import { teamsOf } from "./team-roles-repository.ts"
import { unmetRuleOf } from "./unmet-rule-repository.ts"

export interface HeldRole {
  readonly role: Role
  readonly teams: ReadonlyArray<TeamMembership>
  readonly unmet_rule: UnmetRule
}

export class RightsRepository extends Context.Service<RightsRepository, {
  /** A person's roles in a workspace and its teams; undefined when the person is not a member. */
  readonly holdRole: (
    org: OrgId,
    user: string
  ) => Effect.Effect<HeldRole | undefined>
  /** Undefined when the session has ended. */
  readonly holdSession: (id: string) => Effect.Effect<{ readonly stepped_up: boolean } | undefined>
  /** Undefined when the token is revoked, disabled, or expired. */
  readonly holdToken: (
    org: OrgId,
    id: string
  ) => Effect.Effect<{ readonly scopes: ReadonlyArray<Permission> } | undefined>
  /** Whether the account of a messenger is linked to the person. */
  readonly holdLink: (user: string, id: string) => Effect.Effect<boolean>
}>()("@countersign/hub/auth/RightsRepository") {
  static readonly layer = Layer.effect(
    RightsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const first = <A>(rows: ReadonlyArray<A>) => rows[0]
      return RightsRepository.of({
        holdRole: (org, user) =>
          sql<HeldRole>`select role, ${teamsOf(sql, sql`memberships.org_id`, sql`memberships.user_id`)} as teams,
            ${unmetRuleOf(sql, sql`memberships.org_id`, sql`memberships.user_id`)} as unmet_rule
          from memberships where org_id = ${org} and user_id = ${user} for share`.pipe(
            Effect.map(first),
            Effect.orDie
          ),
        holdSession: (id) =>
          sql<
            { stepped_up: boolean }
          >`select coalesce(stepped_up_until > hub_time_or_last(), false) as stepped_up from sessions s
          where id = ${id} and ${sessionEnd(sql)} > hub_time_or_last() for share`.pipe(
            Effect.map(first),
            Effect.orDie
          ),
        holdToken: (org, id) =>
          sql<{ scopes: ReadonlyArray<Permission> }>`select scopes from tokens
          where org_id = ${org} and id = ${id} and enabled and expires_at > hub_time_or_last() for share`.pipe(
            Effect.map(first),
            Effect.orDie
          ),
        holdLink: (user, id) =>
          sql`select 1 from messenger_accounts
          where user_id = ${user} and id = ${id} and confirmed_at is not null for share`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          )
      })
    })
  )
}

/** The members of a workspace. */
import type { Role } from "@countersign/domain/auth"
import { type Unauthorized, unauthorized } from "@countersign/domain/errors"
import type { OrgId, UserId } from "@countersign/domain/ids"
import type { Member } from "@countersign/domain/members"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

interface Row {
  readonly user_id: UserId
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly created_at: Date
}

const toMember = (row: Row): Member => ({ ...row, created_at: row.created_at.toISOString() })

export class MembersRepository extends Context.Service<MembersRepository, {
  readonly list: (org: OrgId, after: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<Member>>
  /** A member, with the row locked against changes until the transaction ends. */
  readonly hold: (org: OrgId, user: string) => Effect.Effect<Member | undefined>
  /**
   * For changes that create something that acts for the person (an agent, a key, a device): a concurrent removal either
   * waits for the change or undoes it. Call it before the workspace's lock.
   */
  readonly stays: (org: OrgId, user: string) => Effect.Effect<void, Unauthorized>
  /** The person's role, with the row locked against changes until the transaction ends; undefined for no member. */
  readonly roleOf: (org: OrgId, user: string) => Effect.Effect<Role | undefined>
  readonly belongs: (org: OrgId, user: string) => Effect.Effect<boolean>
  /** `oidc`: single sign-on gave the role, and may change it. */
  readonly setRole: (org: OrgId, user: string, role: Role, by?: "manual" | "oidc") => Effect.Effect<void>
  readonly remove: (org: OrgId, user: string) => Effect.Effect<void>
  readonly owners: (org: OrgId) => Effect.Effect<number>
}>()("@countersign/hub/members/MembersRepository") {
  static readonly layer = Layer.effect(
    MembersRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql`m.user_id, u.email, u.name, m.role, m.created_at`
      return MembersRepository.of({
        list: (org, after, limit) =>
          sql<Row>`select ${columns} from memberships m join users u on u.id = m.user_id where m.org_id = ${org}
          and ${after === undefined ? sql`true` : sql`m.user_id < ${after}`} order by m.user_id desc limit ${limit}`
            .pipe(
              Effect.map((rows) => rows.map(toMember)),
              Effect.orDie
            ),
        hold: (org, user) =>
          sql<Row>`select ${columns} from memberships m join users u on u.id = m.user_id
          where m.org_id = ${org} and m.user_id = ${user} for update of m`.pipe(
            Effect.map(([row]) => row === undefined ? undefined : toMember(row)),
            Effect.orDie
          ),
        stays: (org, user) =>
          sql`select 1 from memberships where org_id = ${org} and user_id = ${user} for share`.pipe(
            Effect.orDie,
            Effect.flatMap((rows) =>
              rows.length > 0 ? Effect.void : Effect.fail(unauthorized("You no longer belong to this workspace."))
            )
          ),
        roleOf: (org, user) =>
          sql<{ role: Role }>`select role from memberships where org_id = ${org} and user_id = ${user} for share`.pipe(
            Effect.map(([row]) => row?.role),
            Effect.orDie
          ),
        belongs: (org, user) =>
          sql`select 1 from memberships where org_id = ${org} and user_id = ${user}`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        setRole: (org, user, role, by = "manual") =>
          Effect.orDie(
            sql`update memberships set role = ${role}, managed_by = ${by} where org_id = ${org} and user_id = ${user}`
          ),
        remove: (org, user) => Effect.orDie(sql`delete from memberships where org_id = ${org} and user_id = ${user}`),
        owners: (org) =>
          sql<{ n: number }>`select count(*)::int as n from memberships where org_id = ${org} and role = 'owner'`.pipe(
            Effect.map(([row]) => row!.n),
            Effect.orDie
          )
      })
    })
  )
}

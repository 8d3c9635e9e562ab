/** Invites. */
import type { Role, TeamRole } from "@countersign/domain/auth"
import { type InviteId, newId, type OrgId, type TeamId, type UserId } from "@countersign/domain/ids"
import { inviteDays, type InviteStatus } from "@countersign/domain/invites"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { shownName } from "../platform/shown-name.ts"

export interface InviteRow {
  readonly id: InviteId
  readonly email: string
  readonly role: Role
  readonly team_id: TeamId | null
  readonly team_role: TeamRole | null
  readonly status: InviteStatus
  readonly invited_by: UserId
  readonly inviter_name: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly accepted_at: Date | null
  readonly accepted_by: UserId | null
}

/** An invite that its token found, with the facts that its recipient sees. */
export interface FoundInvite extends InviteRow {
  readonly org_id: OrgId
  readonly org_name: string
  /** Null: no team, or one that was deleted. */
  readonly team_name: string | null
  /** The inviter's current role; null: no longer a member. */
  readonly inviter_role: Role | null
  readonly has_account: boolean
  readonly can_sign_in: boolean
}

export interface NewInvite {
  readonly email: string
  readonly role: Role
  readonly team_id: string | null
  readonly team_role: TeamRole | null
  readonly tokenHash: Uint8Array
  readonly invited_by: string
}

export class InvitesRepository extends Context.Service<InvitesRepository, {
  /** Newest first. */
  readonly list: (
    org: OrgId,
    status: InviteStatus | undefined,
    after: string | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<InviteRow>>
  readonly find: (org: OrgId, id: string) => Effect.Effect<InviteRow | undefined>
  readonly byToken: (tokenHash: Uint8Array) => Effect.Effect<FoundInvite | undefined>
  readonly pending: (org: OrgId) => Effect.Effect<number>
  readonly isInvited: (org: OrgId, email: string) => Effect.Effect<boolean>
  readonly isMember: (org: OrgId, email: string) => Effect.Effect<boolean>
  /** Replaces an expired invite of the same email. */
  readonly insert: (org: OrgId, invite: NewInvite, at: Date) => Effect.Effect<InviteId>
  readonly revoke: (org: OrgId, id: string, at: Date) => Effect.Effect<void>
  /** Compare-and-set: false when it is no longer pending. */
  readonly accept: (org: OrgId, id: string, user: string, at: Date) => Effect.Effect<boolean>
  /** One acceptance at a time for an email, over all hubs, until the transaction ends. */
  readonly lockEmail: (email: string) => Effect.Effect<void>
}>()("@countersign/hub/invites/InvitesRepository") {
  static readonly layer = Layer.effect(
    InvitesRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const status = sql`case when i.accepted_at is not null then 'accepted'
        when i.revoked_at < i.expires_at then 'revoked'
        when i.expires_at <= hub_time_or_last() then 'expired'
        else 'pending' end`
      const columns = sql`i.id, i.email, i.role, i.team_id, i.team_role, ${status} as status, i.invited_by,
        ${shownName(sql, "u")} as inviter_name, i.created_at, i.expires_at, i.accepted_at,
        i.accepted_by`
      const open = sql`accepted_at is null and revoked_at is null and expires_at > hub_time_or_last()`
      const some = (rows: ReadonlyArray<unknown>) => rows.length > 0
      return InvitesRepository.of({
        list: (org, wanted, after, limit) =>
          sql<InviteRow>`select ${columns} from invites i join users u on u.id = i.invited_by
          where i.org_id = ${org} ${wanted === undefined ? sql`` : sql`and ${status} = ${wanted}`}
          ${after === undefined ? sql`` : sql`and i.id < ${after}`}
          order by i.id desc limit ${limit}`.pipe(Effect.orDie),
        find: (org, id) =>
          sql<InviteRow>`select ${columns} from invites i join users u on u.id = i.invited_by
          where i.org_id = ${org} and i.id = ${id}`.pipe(Effect.map(([row]) => row), Effect.orDie),
        byToken: (tokenHash) =>
          sql<FoundInvite>`select ${columns}, i.org_id, o.name as org_name, t.name as team_name,
            (select m.role from memberships m where m.org_id = i.org_id and m.user_id = i.invited_by) as inviter_role,
            exists (select 1 from users p where lower(p.email) = lower(i.email)) as has_account,
            exists (select 1 from memberships m join users p on p.id = m.user_id where lower(p.email) = lower(i.email)) as can_sign_in
          from invites i
          join users u on u.id = i.invited_by
          join orgs o on o.id = i.org_id
          left join teams t on t.org_id = i.org_id and t.id = i.team_id and t.deleted_at is null
          where i.token_hash = ${tokenHash}`.pipe(Effect.map(([row]) => row), Effect.orDie),
        pending: (org) =>
          sql<{ n: number }>`select count(*)::int as n from invites where org_id = ${org} and ${open}`.pipe(
            Effect.map(([row]) => row?.n ?? 0),
            Effect.orDie
          ),
        isInvited: (org, email) =>
          sql`select 1 from invites where org_id = ${org} and ${open} and lower(email) = lower(${email})`.pipe(
            Effect.map(some),
            Effect.orDie
          ),
        isMember: (org, email) =>
          sql`select 1 from memberships m join users u on u.id = m.user_id
          where m.org_id = ${org} and lower(u.email) = lower(${email})`.pipe(Effect.map(some), Effect.orDie),
        insert: Effect.fnUntraced(function*(org, { email, invited_by, role, team_id, team_role, tokenHash }, at) {
          yield* sql`update invites set revoked_at = greatest(${at}, expires_at)
          where org_id = ${org} and lower(email) = lower(${email}) and accepted_at is null and revoked_at is null`
          const id = newId("inv")
          yield* sql`insert into invites
            (org_id, id, email, role, team_id, team_role, token_hash, invited_by, created_at, expires_at)
          values (${org}, ${id}, ${email}, ${role}, ${team_id}, ${team_role}, ${tokenHash}, ${invited_by}, ${at},
            ${at}::timestamptz + make_interval(days => ${inviteDays}))`
          return id
        }, Effect.orDie),
        revoke: (org, id, at) =>
          sql`update invites set revoked_at = ${at} where org_id = ${org} and id = ${id} and revoked_at is null`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        accept: (org, id, user, at) =>
          sql`update invites set accepted_at = ${at}, accepted_by = ${user} where org_id = ${org} and id = ${id} and ${open}
          returning 1`
            .pipe(Effect.map(some), Effect.orDie),
        lockEmail: (email) =>
          Effect.orDie(
            Effect.asVoid(sql`select pg_advisory_xact_lock(hashtextextended('invite ' || lower(${email}), 0))`)
          )
      })
    })
  )
}

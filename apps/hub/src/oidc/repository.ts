/** Identities of people at the provider, sign-ins that are under way there, and the memberships that it gave. */
import type { Role, TeamRole } from "@countersign/domain/auth"
import type { OrgId, UserId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export const flowSeconds = 600
/** Old rows that a new one deletes. */
const sweepMax = 20

export type Purpose = "sign_in" | "step_up" | "link"

export interface Flow {
  readonly browser_hash: Uint8Array
  /** Sealed. */
  readonly secrets: Uint8Array
  readonly purpose: Purpose
  readonly session_id: string | null
  readonly return_to: string
}

export interface TakenFlow extends Flow {
  readonly started_at: Date
}

export interface Link {
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  readonly user_id: UserId
}

export interface IdentityRow {
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  readonly created_at: Date
  readonly last_sign_in_at: Date
}

export interface ManagedMembership {
  readonly org_id: OrgId
  readonly role: Role
  readonly managed_by: "manual" | "oidc"
}

export interface PendingInvite {
  readonly id: string
  readonly org_id: OrgId
  readonly role: Role
  readonly team_id: string | null
  readonly team_role: TeamRole | null
}

export class OidcRepository extends Context.Service<OidcRepository, {
  readonly insertFlow: (hash: Uint8Array, flow: Flow) => Effect.Effect<void>
  /** For one caller only. */
  readonly takeFlow: (hash: Uint8Array) => Effect.Effect<TakenFlow | undefined>
  /** Sign-ins of one identity, and of one address, run one after another until the transaction ends. */
  readonly lock: (issuer: string, subject: string, email: string | undefined) => Effect.Effect<void>
  readonly identity: (issuer: string, subject: string) => Effect.Effect<UserId | undefined>
  readonly identityOf: (issuer: string, user: string) => Effect.Effect<string | undefined>
  /** False when somebody has the identity, or the person has another one of the issuer. */
  readonly link: (link: Link) => Effect.Effect<boolean>
  readonly identities: (user: string) => Effect.Effect<ReadonlyArray<IdentityRow>>
  readonly unlink: (user: string, issuer: string, subject: string) => Effect.Effect<boolean>
  readonly recordSignIn: (issuer: string, subject: string, email: string | undefined) => Effect.Effect<void>
  /** Takes the provider's address for a person without a password; false when somebody else has it. */
  readonly setEmail: (user: string, email: string, withoutPassword: string) => Effect.Effect<boolean>
  readonly insertLink: (hash: Uint8Array, link: Link) => Effect.Effect<void>
  readonly takeLink: (hash: Uint8Array, user: string) => Effect.Effect<Link | undefined>
  readonly workspaces: Effect.Effect<ReadonlyArray<{ readonly id: OrgId; readonly name: string }>>
  readonly memberships: (user: string) => Effect.Effect<ReadonlyArray<ManagedMembership>>
  readonly addMember: (org: OrgId, user: string, role: Role) => Effect.Effect<void>
  /** The team's id, by id or by name. */
  readonly team: (org: OrgId, named: string) => Effect.Effect<string | undefined>
  /** Teams that single sign-on put the person in. */
  readonly managedTeams: (org: OrgId, user: string) => Effect.Effect<ReadonlyArray<string>>
  /** False when the person is already in the team. */
  readonly joinTeam: (
    org: OrgId,
    team: string,
    user: string,
    as?: { readonly role: TeamRole; readonly managed_by: "manual" | "oidc" }
  ) => Effect.Effect<boolean>
  readonly invites: (email: string) => Effect.Effect<ReadonlyArray<PendingInvite>>
  readonly acceptInvite: (org: OrgId, id: string, user: string) => Effect.Effect<boolean>
  /** False when the logout token was used. */
  readonly recordLogout: (issuer: string, jti: string) => Effect.Effect<boolean>
}>()("@countersign/hub/oidc/OidcRepository") {
  static readonly layer = Layer.effect(
    OidcRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const isSome = (rows: ReadonlyArray<unknown>): boolean => rows.length > 0
      const until = sql`clock_timestamp() + make_interval(secs => ${flowSeconds})`
      return OidcRepository.of({
        insertFlow: (hash, flow) =>
          sql`with swept as (
              delete from oidc_flows where hash in (select hash from oidc_flows where expires_at < clock_timestamp()
                order by expires_at limit ${sweepMax} for update skip locked)
            )
            insert into oidc_flows (hash, browser_hash, secrets, purpose, session_id, return_to, expires_at)
            values (${hash}, ${flow.browser_hash}, ${flow.secrets}, ${flow.purpose}, ${flow.session_id},
              ${flow.return_to}, ${until})`.pipe(Effect.asVoid, Effect.orDie),
        takeFlow: (hash) =>
          sql<TakenFlow>`delete from oidc_flows where hash = ${hash} and expires_at > clock_timestamp()
            returning browser_hash, secrets, purpose, session_id, return_to, started_at`.pipe(
            Effect.map(([row]) => row),
            Effect.orDie
          ),
        lock: (issuer, subject, email) =>
          Effect.orDie(
            Effect.asVoid(
              sql`select pg_advisory_xact_lock(hashtextextended(${
                JSON.stringify(["identity", issuer, subject])
              }, 0)), pg_advisory_xact_lock(hashtextextended('invite ' || lower(${email ?? subject}), 0))`
            )
          ),
        identity: (issuer, subject) =>
          sql<{ user_id: UserId }>`select user_id from identities where issuer = ${issuer} and subject = ${subject}`
            .pipe(
              Effect.map(([row]) => row?.user_id),
              Effect.orDie
            ),
        identityOf: (issuer, user) =>
          sql<{ subject: string }>`select subject from identities where issuer = ${issuer} and user_id = ${user}`.pipe(
            Effect.map(([row]) => row?.subject),
            Effect.orDie
          ),
        link: ({ email, issuer, subject, user_id }) =>
          sql`select 1 from users where id = ${user_id} for no key update`.pipe(
            Effect.andThen(sql`insert into identities (issuer, subject, user_id, email)
              select ${issuer}, ${subject}, ${user_id}, ${email}
              where not exists (select 1 from identities i where i.issuer = ${issuer} and i.user_id = ${user_id})
              on conflict (issuer, subject) do nothing returning 1`),
            Effect.map(isSome),
            Effect.orDie
          ),
        identities: (user) =>
          Effect.orDie(sql<IdentityRow>`select issuer, subject, email, created_at, last_sign_in_at from identities
            where user_id = ${user} order by created_at, issuer, subject`),
        unlink: (user, issuer, subject) =>
          sql`delete from identities where user_id = ${user} and issuer = ${issuer} and subject = ${subject} returning 1`
            .pipe(Effect.map(isSome), Effect.orDie),
        recordSignIn: (issuer, subject, email) =>
          sql`update identities set last_sign_in_at = hub_time_or_last(), email = coalesce(${email ?? null}, email)
            where issuer = ${issuer} and subject = ${subject}`.pipe(Effect.asVoid, Effect.orDie),
        setEmail: (user, email, withoutPassword) =>
          sql`update users set email = ${email}, updated_at = hub_time_or_last()
            where id = ${user} and password_hash = ${withoutPassword} and lower(email) <> lower(${email})
              and not exists (select 1 from users o where lower(o.email) = lower(${email})) returning 1`.pipe(
            Effect.map(isSome),
            Effect.orDie
          ),
        insertLink: (hash, { email, issuer, subject, user_id }) =>
          sql`with swept as (
              delete from oidc_links where hash in (select hash from oidc_links where expires_at < clock_timestamp()
                order by expires_at limit ${sweepMax} for update skip locked)
            )
            insert into oidc_links (hash, issuer, subject, email, user_id, expires_at)
            values (${hash}, ${issuer}, ${subject}, ${email}, ${user_id}, ${until})`.pipe(Effect.asVoid, Effect.orDie),
        takeLink: (hash, user) =>
          sql<Link>`delete from oidc_links where hash = ${hash} and user_id = ${user} and expires_at > clock_timestamp()
            returning issuer, subject, email, user_id`.pipe(Effect.map(([row]) => row), Effect.orDie),
        workspaces: Effect.orDie(sql<{ id: OrgId; name: string }>`select id, name from orgs order by id`),
        memberships: (user) =>
          Effect.orDie(sql<ManagedMembership>`select org_id, role, managed_by from memberships
            where user_id = ${user} order by org_id`),
        addMember: (org, user, role) =>
          sql`insert into memberships (org_id, user_id, role, managed_by) values (${org}, ${user}, ${role}, 'oidc')`
            .pipe(
              Effect.asVoid,
              Effect.orDie
            ),
        team: (org, named) =>
          sql<{ id: string }>`select id from teams where org_id = ${org} and deleted_at is null
            and (id = ${named} or lower(name) = lower(${named})) order by id = ${named} desc limit 1`.pipe(
            Effect.map(([row]) => row?.id),
            Effect.orDie
          ),
        managedTeams: (org, user) =>
          sql<{ team_id: string }>`select team_id from team_members
            where org_id = ${org} and user_id = ${user} and managed_by = 'oidc' order by team_id`.pipe(
            Effect.map((rows) => rows.map(({ team_id }) => team_id)),
            Effect.orDie
          ),
        joinTeam: (org, team, user, { managed_by, role } = { role: "worker", managed_by: "oidc" }) =>
          sql`insert into team_members (org_id, team_id, user_id, role, created_at, managed_by)
            values (${org}, ${team}, ${user}, ${role}, hub_time_or_last(), ${managed_by}) on conflict do nothing returning 1`
            .pipe(
              Effect.map(isSome),
              Effect.orDie
            ),
        invites: (email) =>
          Effect.orDie(sql<PendingInvite>`select i.id, i.org_id, i.role,
              case when t.id is null then null else i.team_id end as team_id, i.team_role from invites i
            join memberships m on m.org_id = i.org_id and m.user_id = i.invited_by
            left join teams t on t.org_id = i.org_id and t.id = i.team_id and t.deleted_at is null
            where lower(i.email) = lower(${email}) and i.accepted_at is null and i.revoked_at is null
              and i.expires_at > hub_time_or_last() and m.role in ('owner', 'admin') and (i.role <> 'owner' or m.role = 'owner')
            order by i.org_id`),
        acceptInvite: (org, id, user) =>
          sql`update invites set accepted_at = hub_time_or_last(), accepted_by = ${user}
            where org_id = ${org} and id = ${id} and accepted_at is null and revoked_at is null returning 1`.pipe(
            Effect.map(isSome),
            Effect.orDie
          ),
        recordLogout: (issuer, jti) =>
          sql`with swept as (
              delete from oidc_logouts where (issuer, jti) in (select issuer, jti from oidc_logouts
                where expires_at < clock_timestamp() order by expires_at limit ${sweepMax} for update skip locked)
            )
            insert into oidc_logouts (issuer, jti, expires_at) values (${issuer}, ${jti}, clock_timestamp() + interval '1 hour')
            on conflict do nothing returning 1`.pipe(Effect.map(isSome), Effect.orDie)
      })
    })
  )
}

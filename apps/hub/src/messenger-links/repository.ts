/** Linked accounts. They belong to people, and a person can have several workspaces. */
import type { Role, TeamMembership } from "@countersign/domain/auth"
import type { MessengerLinkId, OrgId, UserId } from "@countersign/domain/ids"
import type { MessengerKind } from "@countersign/domain/notice-channels"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { ssoExpiredOf } from "../auth/sso-expiry-repository.ts"
import { teamsOf } from "../auth/team-roles-repository.ts"

/** A row whose code was entered. */
export interface LinkRow {
  readonly id: MessengerLinkId
  readonly user_id: string
  readonly provider: MessengerKind
  readonly team: string
  readonly team_name: string | null
  readonly account: string
  readonly account_name: string | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly confirmed_at: Date | null
  readonly last_used_at: Date | null
}

export interface CodeRow {
  readonly id: MessengerLinkId
  readonly account: string | null
  readonly confirmed_at: Date | null
  readonly over: boolean
}

/** An account as its provider reports it. */
export interface Account {
  readonly provider: MessengerKind
  readonly team: string
  readonly teamName: string | undefined
  readonly account: string
  readonly accountName: string
}

export interface LinkedPerson {
  readonly link_id: MessengerLinkId
  readonly user_id: UserId
  readonly name: string
  readonly email: string
}

export interface Membership {
  readonly org_id: OrgId
  readonly role: Role
  readonly teams: ReadonlyArray<TeamMembership>
}

export class MessengerLinksRepository extends Context.Service<MessengerLinksRepository, {
  /** Locks the person's accounts until the transaction ends, so that their number is exact. */
  readonly lockPerson: (user: string) => Effect.Effect<void>
  /** Deletes the person's unused codes. */
  readonly dropCodes: (user: string) => Effect.Effect<void>
  readonly count: (user: string) => Effect.Effect<number>
  readonly insert: (id: string, user: string, codeHash: Uint8Array, seconds: number) => Effect.Effect<Date>
  /** Newest first: linked accounts, and unconfirmed ones in time. */
  readonly list: (user: string, before: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<LinkRow>>
  readonly find: (user: string, id: string) => Effect.Effect<Option.Option<LinkRow>>
  /** Locks one row, also one whose code was not entered. */
  readonly hold: (user: string, id: string) => Effect.Effect<CodeRow | undefined>
  /** Gives an account to the row of a code, once; the person, or undefined for a wrong, used, or expired code. */
  readonly claim: (codeHash: Uint8Array, account: Account) => Effect.Effect<{ readonly name: string } | undefined>
  /** The owner of a linked account other than `id`. The account stays locked until the transaction ends. */
  readonly ownerOf: (id: string) => Effect.Effect<{ readonly id: string; readonly user_id: string } | undefined>
  readonly confirm: (user: string, id: string) => Effect.Effect<void>
  readonly remove: (user: string, id: string) => Effect.Effect<boolean>
  readonly linked: (provider: MessengerKind, team: string, account: string) => Effect.Effect<LinkedPerson | undefined>
  /** The linked accounts of a workspace's people. */
  readonly accountsOf: (
    org: OrgId,
    provider: MessengerKind
  ) => Effect.Effect<ReadonlyArray<{ readonly user_id: string; readonly account: string }>>
  /** Undefined without a membership, and after the single sign-on of the person has expired. */
  readonly membership: (org: OrgId, user: string, issuer: string | undefined) => Effect.Effect<Membership | undefined>
  readonly used: (id: string) => Effect.Effect<void>
  /** Deletes codes and unconfirmed accounts that expired over a day ago; returns how many. */
  readonly forget: (limit: number) => Effect.Effect<number>
}>()("@countersign/hub/messenger-links/MessengerLinksRepository") {
  static readonly layer = Layer.effect(
    MessengerLinksRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        "id, user_id, provider, team, team_name, account, account_name, created_at, expires_at, confirmed_at, last_used_at"
      )
      const shown = sql`account is not null and (confirmed_at is not null or expires_at > hub_time_or_last())`
      return MessengerLinksRepository.of({
        lockPerson: (user) =>
          sql`select 1 from users where id = ${user} for no key update`.pipe(Effect.asVoid, Effect.orDie),
        dropCodes: (user) =>
          sql`delete from messenger_accounts where user_id = ${user} and confirmed_at is null and (account is null
            or expires_at <= hub_time_or_last())`.pipe(Effect.asVoid, Effect.orDie),
        count: (user) =>
          sql<{ n: number }>`select count(*)::int as n from messenger_accounts where user_id = ${user}`.pipe(
            Effect.map(([row]) => row?.n ?? 0),
            Effect.orDie
          ),
        insert: (id, user, codeHash, seconds) =>
          sql<{ expires_at: Date }>`insert into messenger_accounts (id, user_id, code_hash, created_at, expires_at)
          values (${id}, ${user}, ${codeHash}, hub_time_or_last(),
            hub_time_or_last() + ${seconds} * interval '1 second') returning expires_at`.pipe(
            Effect.map(([row]) => row!.expires_at),
            Effect.orDie
          ),
        list: (user, before, limit) =>
          sql<LinkRow>`select ${columns} from messenger_accounts where ${
            sql.and([sql`user_id = ${user}`, shown, ...(before === undefined ? [] : [sql`id < ${before}`])])
          } order by id desc limit ${limit}`.pipe(Effect.orDie),
        find: (user, id) =>
          sql<LinkRow>`select ${columns} from messenger_accounts where user_id = ${user} and id = ${id} and ${shown}`
            .pipe(Effect.map(([row]) => Option.fromNullishOr(row)), Effect.orDie),
        hold: (user, id) =>
          sql<
            CodeRow
          >`select id, account, confirmed_at, expires_at <= hub_time_or_last() as over from messenger_accounts
          where user_id = ${user} and id = ${id} for update`.pipe(Effect.map(([row]) => row), Effect.orDie),
        claim: (codeHash, { account, accountName, provider, team, teamName }) =>
          sql<
            { name: string }
          >`update messenger_accounts m set code_hash = null, provider = ${provider}, team = ${team},
            team_name = ${teamName ?? null}::text, account = ${account}, account_name = ${accountName}
          from users u where m.code_hash = ${codeHash} and m.expires_at > hub_time_or_last() and u.id = m.user_id
          returning coalesce(nullif(u.name, ''), u.email) as name`.pipe(Effect.map(([row]) => row), Effect.orDie),
        accountsOf: (org, provider) =>
          sql<{ user_id: string; account: string }>`select a.user_id, a.account from memberships m
            join messenger_accounts a on a.user_id = m.user_id
          where m.org_id = ${org} and a.provider = ${provider} and a.confirmed_at is not null order by a.id`.pipe(
            Effect.orDie
          ),
        ownerOf: (id) =>
          sql`select pg_advisory_xact_lock(hashtextextended(concat_ws(' ', 'messenger account', provider, team, account), 0))
          from messenger_accounts where id = ${id}`.pipe(
            Effect.andThen(
              sql<{ id: string; user_id: string }>`select o.id, o.user_id from messenger_accounts m
                join messenger_accounts o on o.provider = m.provider and o.team = m.team and o.account = m.account
              where m.id = ${id} and o.id <> m.id and o.confirmed_at is not null for update of o`
            ),
            Effect.map(([row]) => row),
            Effect.orDie
          ),
        confirm: (user, id) =>
          sql`update messenger_accounts set confirmed_at = hub_time_or_last()
          where user_id = ${user} and id = ${id} and confirmed_at is null`.pipe(Effect.asVoid, Effect.orDie),
        remove: (user, id) =>
          sql`delete from messenger_accounts where user_id = ${user} and id = ${id} returning 1`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        linked: (provider, team, account) =>
          sql<LinkedPerson>`select m.id as link_id, u.id as user_id, u.name, u.email from messenger_accounts m
            join users u on u.id = m.user_id
          where m.provider = ${provider} and m.team = ${team} and m.account = ${account}
            and m.confirmed_at is not null`.pipe(Effect.map(([row]) => row), Effect.orDie),
        membership: (org, user, issuer) =>
          sql<Membership>`select m.org_id, m.role, ${
            teamsOf(sql, sql`m.org_id`, sql`m.user_id`)
          } as teams from memberships m where m.org_id = ${org} and m.user_id = ${user}
            and not ${ssoExpiredOf(sql, sql`m.user_id`, issuer)}`.pipe(
            Effect.map(([row]) => row),
            Effect.orDie
          ),
        used: (id) =>
          sql`update messenger_accounts set last_used_at = hub_time_or_last() where id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        forget: (limit) =>
          sql`delete from messenger_accounts where id in (select id from messenger_accounts
            where confirmed_at is null and expires_at < hub_time_or_last() - interval '1 day' limit ${limit})
          returning 1`.pipe(
            Effect.map((rows) => rows.length),
            Effect.orDie
          )
      })
    })
  )
}

/** People, their sessions, and the setup token. */
import type { Role, TeamMembership } from "@countersign/domain/auth"
import type { FactorMethod } from "@countersign/domain/factors"
import { setupTokenHours, stepUpSeconds } from "@countersign/domain/identity"
import { newId, type OrgId, type SessionId, type UserId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { UnmetRule } from "./factor-rule.ts"
import { sessionEnd } from "./liveness-repository.ts"
import { teamsOf } from "./team-roles-repository.ts"
import { unmetRuleOf } from "./unmet-rule-repository.ts"

/** In place of a hash, of people who sign in at the provider only: no password fits it. */
export const withoutPassword = "-"

export interface User {
  readonly id: UserId
  readonly email: string
  readonly name: string
  readonly password_hash: string
  readonly time_zone: string | null
  readonly locale: string | null
}

/** The settings that people change themselves. */
export type Profile = Pick<User, "name" | "time_zone" | "locale">

export class UsersRepository extends Context.Service<UsersRepository, {
  readonly byEmail: (email: string) => Effect.Effect<User | undefined>
  readonly byId: (id: string) => Effect.Effect<User | undefined>
  readonly any: Effect.Effect<boolean>
  readonly create: (user: Pick<User, "email" | "name"> & { readonly passwordHash: string }) => Effect.Effect<UserId>
  /** Compare-and-set: false when the stored hash is a different one by now. */
  readonly replacePassword: (id: string, from: string, to: string) => Effect.Effect<boolean>
  /** Whether the person owns a workspace. */
  readonly isOwner: (id: string) => Effect.Effect<boolean>
  readonly setPassword: (id: string, to: string) => Effect.Effect<void>
  /** Locks the row until the transaction ends, so that a change is recorded with the values it replaces. */
  readonly holdProfile: (id: string) => Effect.Effect<Profile | undefined>
  readonly setProfile: (id: string, profile: Profile) => Effect.Effect<void>
  /**
   * Locks the password until the transaction ends: a session opened in it is older than the next change of the
   * password, and ends with that change. False when the stored hash is a different one by now.
   */
  readonly holdPassword: (id: string, hash: string) => Effect.Effect<boolean>
}>()("@countersign/hub/auth/UsersRepository") {
  static readonly layer = Layer.effect(
    UsersRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql`id, email, name, password_hash, time_zone, locale`
      return UsersRepository.of({
        byEmail: (email) =>
          sql<User>`select ${columns} from users where lower(email) = lower(${email})`.pipe(
            Effect.map(([user]) => user),
            Effect.orDie
          ),
        byId: (id) =>
          sql<User>`select ${columns} from users where id = ${id}`.pipe(Effect.map(([user]) => user), Effect.orDie),
        any: sql`select 1 from users limit 1`.pipe(Effect.map((rows) => rows.length > 0), Effect.orDie),
        create: ({ email, name, passwordHash }) => {
          const id = newId("usr") as UserId
          return sql`insert into users (id, email, name, password_hash) values (${id}, ${email}, ${name}, ${passwordHash})`
            .pipe(
              Effect.as(id),
              Effect.orDie
            )
        },
        replacePassword: (id, from, to) =>
          sql`update users set password_hash = ${to}, updated_at = hub_time_or_last()
          where id = ${id} and password_hash = ${from} returning 1`.pipe(
            Effect.map((rows) => rows.length === 1),
            Effect.orDie
          ),
        isOwner: (id) =>
          sql`select 1 from memberships where user_id = ${id} and role = 'owner' limit 1`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        setPassword: (id, to) =>
          Effect.orDie(sql`update users set password_hash = ${to}, updated_at = hub_time_or_last() where id = ${id}`),
        holdProfile: (id) =>
          sql<Profile>`select name, time_zone, locale from users where id = ${id} for no key update`.pipe(
            Effect.map(([profile]) => profile),
            Effect.orDie
          ),
        setProfile: (id, { locale, name, time_zone }) =>
          Effect.orDie(
            sql`update users set name = ${name}, time_zone = ${time_zone}, locale = ${locale}, updated_at = hub_time_or_last()
          where id = ${id}`
          ),
        holdPassword: (id, hash) =>
          sql`select 1 from users where id = ${id} and password_hash = ${hash} for share`.pipe(
            Effect.map((rows) => rows.length === 1),
            Effect.orDie
          )
      })
    })
  )
}

/** How a session began. */
export interface SessionStart {
  readonly method: "password" | "oidc" | "setup"
  readonly factor?: FactorMethod
  readonly provider?: ProviderSession
}

/** Of a session that began at the sign-in provider. */
export interface ProviderSession {
  readonly issuer: string
  readonly subject: string
  readonly sid?: string
  /** The session ends after this, whatever its use. */
  readonly hours: number
}

export interface NewSession extends Partial<SessionStart> {
  readonly tokenHash: Uint8Array
  readonly user: string
  readonly org: OrgId
  readonly ip: string
  readonly userAgent: string | undefined
}

/** A valid session, seen from the workspace of the call. */
export interface LiveSession {
  readonly id: SessionId
  readonly user_id: UserId
  readonly name: string
  readonly email: string
  readonly org_id: OrgId
  /** null: the person is not a member of that workspace. */
  readonly role: Role | null
  readonly teams: ReadonlyArray<TeamMembership>
  readonly unmet_rule: UnmetRule
  readonly stepped_up: boolean
  /** Its last-seen time was written over a minute ago. */
  readonly unnoted: boolean
}

export interface SessionRow {
  readonly id: SessionId
  readonly org_id: OrgId
  readonly ip: string | null
  readonly user_agent: string | null
  readonly method: SessionStart["method"]
  readonly factor: FactorMethod | null
  readonly created_at: Date
  readonly last_seen_at: Date
  readonly expires_at: Date
}

export class SessionsRepository extends Context.Service<SessionsRepository, {
  readonly open: (session: NewSession) => Effect.Effect<SessionId>
  /**
   * Finds a session by its cookie, in its own workspace or in the one that the call names. None when it is unknown,
   * idle, or too old.
   */
  readonly find: (tokenHash: Uint8Array, workspace: string | undefined) => Effect.Effect<LiveSession | undefined>
  readonly recordUse: (id: string) => Effect.Effect<void>
  readonly list: (user: string, after: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<SessionRow>>
  readonly end: (user: string, id: string) => Effect.Effect<boolean>
  /** Returns the number of ended sessions. */
  readonly endAll: (user: string, except: string | undefined) => Effect.Effect<number>
  /** Ends the sessions of a provider's logout; returns whose they were. */
  readonly endOfProvider: (
    of: { readonly issuer: string; readonly subject: string | undefined; readonly sid: string | undefined }
  ) => Effect.Effect<ReadonlyArray<{ readonly user_id: UserId; readonly id: SessionId }>>
  readonly endInWorkspace: (org: OrgId, user: string) => Effect.Effect<number>
  readonly deleteExpired: (user: string) => Effect.Effect<void>
  readonly stepUp: (id: string) => Effect.Effect<Date | undefined>
  /** The workspace that a person used last, or otherwise the one that the person joined last. */
  readonly homeOf: (user: string) => Effect.Effect<OrgId | undefined>
}>()("@countersign/hub/auth/SessionsRepository") {
  static readonly layer = Layer.effect(
    SessionsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const ends = sessionEnd(sql)
      const alive = sql`${ends} > hub_time_or_last()`
      return SessionsRepository.of({
        open: ({ tokenHash, user, org, ip, userAgent, method = "password", factor, provider }) => {
          const id = newId("ses") as SessionId
          return sql`insert into sessions (id, token_hash, user_id, org_id, ip, user_agent, method, factor,
            provider_issuer, provider_subject, provider_sid, ends_at)
          values (${id}, ${tokenHash}, ${user}, ${org}, ${ip}, ${userAgent ?? null}, ${method}, ${factor ?? null},
            ${provider?.issuer ?? null}, ${provider?.subject ?? null}, ${provider?.sid ?? null},
            hub_time_or_last() + ${provider?.hours ?? null}::int * interval '1 hour')`
            .pipe(
              Effect.as(id),
              Effect.orDie
            )
        },
        find: (tokenHash, workspace) =>
          sql<LiveSession>`select s.id, s.user_id, u.name, u.email, coalesce(m.org_id, s.org_id) as org_id, m.role,
            ${teamsOf(sql, sql`m.org_id`, sql`m.user_id`)} as teams,
            ${unmetRuleOf(sql, sql`m.org_id`, sql`m.user_id`)} as unmet_rule,
            coalesce(s.stepped_up_until > hub_time_or_last(), false) as stepped_up, s.last_seen_at < hub_time_or_last() - interval '1 minute' as unnoted
          from sessions s join users u on u.id = s.user_id
          left join memberships m on m.user_id = s.user_id
            and m.org_id = ${workspace === undefined ? sql`s.org_id` : sql`${workspace}`}
          where s.token_hash = ${tokenHash} and ${alive}`.pipe(Effect.map(([session]) => session), Effect.orDie),
        recordUse: (id) =>
          Effect.orDie(
            sql`update sessions set last_seen_at = hub_time_or_last() where id = ${id} and last_seen_at < hub_time_or_last() - interval '1 minute'`
          ),
        list: (user, after, limit) =>
          Effect.orDie(
            sql<SessionRow>`select s.id, s.org_id, s.ip, s.user_agent, s.method, s.factor, s.created_at, s.last_seen_at,
            ${ends} as expires_at
          from sessions s where s.user_id = ${user} and ${alive} and ${
              after === undefined ? sql`true` : sql`s.id < ${after}`
            }
          order by s.id desc limit ${limit}`
          ),
        end: (user, id) =>
          sql`delete from sessions where user_id = ${user} and id = ${id} returning 1`.pipe(
            Effect.map((rows) => rows.length === 1),
            Effect.orDie
          ),
        endAll: (user, except) =>
          sql`delete from sessions where user_id = ${user} and id <> ${except ?? ""} returning 1`.pipe(
            Effect.map((rows) => rows.length),
            Effect.orDie
          ),
        endOfProvider: ({ issuer, sid, subject }) =>
          Effect.orDie(sql<{ user_id: UserId; id: SessionId }>`delete from sessions where provider_issuer = ${issuer}
            and ${subject === undefined ? sql`true` : sql`provider_subject = ${subject}`}
            and ${sid === undefined ? sql`true` : sql`provider_sid = ${sid}`} returning user_id, id`),
        endInWorkspace: (org, user) =>
          sql`delete from sessions where user_id = ${user} and org_id = ${org} returning 1`.pipe(
            Effect.map((rows) => rows.length),
            Effect.orDie
          ),
        deleteExpired: (user) => Effect.orDie(sql`delete from sessions s where s.user_id = ${user} and not (${alive})`),
        stepUp: (id) =>
          sql<
            { until: Date }
          >`update sessions set stepped_up_until = hub_time_or_last() + make_interval(secs => ${stepUpSeconds})
          where id = ${id} returning stepped_up_until as until`.pipe(Effect.map(([row]) => row?.until), Effect.orDie),
        homeOf: (user) =>
          sql<{ org_id: OrgId }>`select m.org_id from memberships m
          left join lateral (
            select max(s.last_seen_at) as seen from sessions s where s.user_id = m.user_id and s.org_id = m.org_id
          ) l on true
          where m.user_id = ${user} order by l.seen desc nulls last, m.created_at desc, m.org_id desc limit 1`.pipe(
            Effect.map(([row]) => row?.org_id),
            Effect.orDie
          )
      })
    })
  )
}

export class SetupTokensRepository extends Context.Service<SetupTokensRepository, {
  /** One setup at a time, over all hubs, until the transaction ends. */
  readonly lock: Effect.Effect<void>
  readonly ownerExists: Effect.Effect<boolean>
  /** Deletes earlier tokens. */
  readonly replace: (tokenHash: Uint8Array) => Effect.Effect<void>
  readonly isAlive: (tokenHash: Uint8Array) => Effect.Effect<boolean>
  readonly clear: Effect.Effect<void>
}>()("@countersign/hub/auth/SetupTokensRepository") {
  static readonly layer = Layer.effect(
    SetupTokensRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return SetupTokensRepository.of({
        lock: Effect.orDie(sql`lock table setup_tokens in share row exclusive mode`),
        ownerExists: sql`select 1 from memberships where role = 'owner' limit 1`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orDie
        ),
        replace: (tokenHash) =>
          sql`delete from setup_tokens`.pipe(
            Effect.andThen(sql`insert into setup_tokens (token_hash, expires_at)
            values (${tokenHash}, hub_time_or_last() + make_interval(hours => ${setupTokenHours}))`),
            Effect.orDie
          ),
        isAlive: (tokenHash) =>
          sql`select 1 from setup_tokens where token_hash = ${tokenHash} and expires_at > hub_time_or_last()`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        clear: Effect.orDie(sql`delete from setup_tokens`)
      })
    })
  )
}

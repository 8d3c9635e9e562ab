/** OAuth clients, codes, grants, and tokens. Only hashes of codes and tokens are stored. */
import type { Role, TeamMembership } from "@countersign/domain/auth"
import type { AgentId, OrgId, TokenId, UserId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { UnmetRule } from "../auth/factor-rule.ts"
import { ssoExpiredOf } from "../auth/sso-expiry-repository.ts"
import { teamsOf } from "../auth/team-roles-repository.ts"
import { unmetRuleOf } from "../auth/unmet-rule-repository.ts"
import { textArray } from "../platform/db.ts"
import { clientSeconds, type NewClient } from "./rules.ts"

const sweptRows = 1_000

export interface ClientRow {
  readonly id: string
  readonly name: string
  readonly redirect_uris: ReadonlyArray<string>
  readonly created_at: Date
  /** False: of a metadata document that is to be read again. */
  readonly fresh: boolean
}

export interface CodeRow {
  readonly org_id: OrgId
  readonly user_id: string
  readonly agent_id: AgentId
  readonly client_id: string
  readonly redirect_uri: string
  readonly challenge: string
  readonly resource: string
}

/** A code at its exchange. */
export interface StoredCode extends CodeRow {
  readonly expired: boolean
  readonly grant_id: string | null
}

export interface GrantRow {
  readonly id: TokenId
  readonly org_id: OrgId
  readonly client_id: string
  readonly resource: string
}

/** A refresh token at its use. */
export interface StoredRefresh extends GrantRow {
  readonly expired: boolean
  readonly used: boolean
}

/** An access token with all that decides its rights now. */
export interface AccessRow {
  readonly grant_id: TokenId
  readonly org_id: OrgId
  readonly user_id: UserId
  readonly user_name: string
  readonly email: string
  readonly agent_id: AgentId
  readonly role: Role | null
  readonly teams: ReadonlyArray<TeamMembership>
  readonly unmet_rule: UnmetRule
  /** The person has not signed in at the provider for long. */
  readonly sso_expired: boolean
  readonly alive: boolean
  readonly unnoted: boolean
}

export class OAuthRepository extends Context.Service<OAuthRepository, {
  readonly insertClient: (id: string, client: NewClient) => Effect.Effect<ClientRow>
  /** A client as its metadata document describes it, for this long. */
  readonly putDocument: (id: string, client: NewClient, seconds: number) => Effect.Effect<ClientRow>
  readonly client: (id: string) => Effect.Effect<Option.Option<ClientRow>>
  readonly insertCode: (hash: Uint8Array, code: CodeRow, seconds: number) => Effect.Effect<void>
  /** Locks the code until the transaction ends. */
  readonly code: (hash: Uint8Array) => Effect.Effect<Option.Option<StoredCode>>
  readonly useCode: (org: OrgId, hash: Uint8Array, grant: string) => Effect.Effect<void>
  readonly insertGrant: (id: string, code: CodeRow, seconds: number) => Effect.Effect<void>
  /** Locks the token and its grant until the transaction ends. */
  readonly refresh: (hash: Uint8Array) => Effect.Effect<Option.Option<StoredRefresh>>
  readonly useRefresh: (org: OrgId, hash: Uint8Array) => Effect.Effect<void>
  readonly insertToken: (
    token: {
      readonly hash: Uint8Array
      readonly grant: string
      readonly org: OrgId
      readonly kind: "access" | "refresh"
    },
    seconds: number
  ) => Effect.Effect<void>
  readonly extendGrant: (org: OrgId, id: string, seconds: number) => Effect.Effect<void>
  /** `issuer`: of the sign-in provider. */
  readonly access: (hash: Uint8Array, issuer: string | undefined) => Effect.Effect<Option.Option<AccessRow>>
  readonly noteUse: (org: OrgId, id: string, ip: string) => Effect.Effect<void>
  /** The token's grant, and whether the token is one of the kind that ends it. */
  readonly ofToken: (
    hash: Uint8Array
  ) => Effect.Effect<
    Option.Option<
      { readonly org_id: OrgId; readonly grant_id: string; readonly client_id: string; readonly kind: string }
    >
  >
  readonly removeToken: (org: OrgId, hash: Uint8Array) => Effect.Effect<void>
  /** Ends a grant with all its tokens; returns whose it was. */
  readonly removeGrant: (
    org: OrgId,
    id: string
  ) => Effect.Effect<
    Option.Option<{ readonly user_id: string; readonly client_name: string; readonly agent_id: AgentId }>
  >
  /** Deletes expired codes, tokens and grants, and clients that nobody allowed anything. */
  readonly sweep: Effect.Effect<number>
}>()("@countersign/hub/oauth/OAuthRepository") {
  static readonly layer = Layer.effect(
    OAuthRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const first = <A>(rows: ReadonlyArray<A>) => Option.fromNullishOr(rows[0])
      const after = (seconds: number) => sql`clock_timestamp() + ${seconds} * interval '1 second'`
      const columns =
        sql`id, name, redirect_uris, created_at, coalesce(document_until > clock_timestamp(), true) as fresh`
      return OAuthRepository.of({
        insertClient: (id, { name, redirectUris }) =>
          sql<ClientRow>`insert into oauth_clients (id, name, redirect_uris)
          values (${id}, ${name}, ${textArray([...redirectUris])}) returning ${columns}`.pipe(
            Effect.map(([row]) => row!),
            Effect.orDie
          ),
        putDocument: (id, { name, redirectUris }, seconds) =>
          sql<ClientRow>`insert into oauth_clients (id, name, redirect_uris, document_until)
          values (${id}, ${name}, ${textArray([...redirectUris])}, ${after(seconds)})
          on conflict (id) do update set name = excluded.name, redirect_uris = excluded.redirect_uris,
            document_until = excluded.document_until
          returning ${columns}`.pipe(Effect.map(([row]) => row!), Effect.orDie),
        client: (id) =>
          sql<ClientRow>`select ${columns} from oauth_clients where id = ${id}`.pipe(Effect.map(first), Effect.orDie),
        insertCode: (hash, code, seconds) =>
          sql`insert into oauth_codes (hash, org_id, user_id, agent_id, client_id, redirect_uri, challenge, resource, expires_at)
          values (${hash}, ${code.org_id}, ${code.user_id}, ${code.agent_id}, ${code.client_id}, ${code.redirect_uri},
            ${code.challenge}, ${code.resource}, ${after(seconds)})`.pipe(Effect.asVoid, Effect.orDie),
        code: (hash) =>
          sql<StoredCode>`select org_id, user_id, agent_id, client_id, redirect_uri, challenge, resource, grant_id,
            expires_at <= clock_timestamp() as expired from oauth_codes where hash = ${hash} for update`.pipe(
            Effect.map(first),
            Effect.orDie
          ),
        useCode: (org, hash, grant) =>
          sql`update oauth_codes set grant_id = ${grant} where org_id = ${org} and hash = ${hash}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        insertGrant: (id, { agent_id, client_id, org_id, resource, user_id }, seconds) =>
          sql`insert into oauth_grants (id, org_id, user_id, agent_id, client_id, resource, expires_at)
          values (${id}, ${org_id}, ${user_id}, ${agent_id}, ${client_id}, ${resource}, ${after(seconds)})`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        refresh: (hash) =>
          sql<StoredRefresh>`select g.id, g.org_id, g.client_id, g.resource, t.used_at is not null as used,
            t.expires_at <= clock_timestamp() as expired
          from oauth_tokens t join oauth_grants g on g.id = t.grant_id and g.org_id = t.org_id
          where t.hash = ${hash} and t.kind = 'refresh' for update`.pipe(Effect.map(first), Effect.orDie),
        useRefresh: (org, hash) =>
          sql`update oauth_tokens set used_at = clock_timestamp() where org_id = ${org} and hash = ${hash}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        insertToken: ({ grant, hash, kind, org }, seconds) =>
          sql`insert into oauth_tokens (hash, grant_id, org_id, kind, expires_at)
          values (${hash}, ${grant}, ${org}, ${kind}, ${after(seconds)})`.pipe(Effect.asVoid, Effect.orDie),
        extendGrant: (org, id, seconds) =>
          sql`update oauth_grants set expires_at = ${after(seconds)} where org_id = ${org} and id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        access: (hash, issuer) =>
          sql<AccessRow>`select g.id as grant_id, g.org_id, g.user_id, u.name as user_name, u.email, g.agent_id, m.role,
            ${teamsOf(sql, sql`g.org_id`, sql`g.user_id`)} as teams,
            ${unmetRuleOf(sql, sql`g.org_id`, sql`g.user_id`)} as unmet_rule,
            ${ssoExpiredOf(sql, sql`g.user_id`, issuer)} as sso_expired,
            t.expires_at > clock_timestamp() as alive,
            (g.last_used_at is null or g.last_used_at < clock_timestamp() - interval '1 minute') as unnoted
          from oauth_tokens t join oauth_grants g on g.id = t.grant_id and g.org_id = t.org_id
            join users u on u.id = g.user_id
            left join memberships m on m.org_id = g.org_id and m.user_id = g.user_id
          where t.hash = ${hash} and t.kind = 'access'`.pipe(Effect.map(first), Effect.orDie),
        noteUse: (org, id, ip) =>
          sql`update oauth_grants set last_used_at = clock_timestamp(), last_used_ip = ${ip}
          where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        ofToken: (hash) =>
          sql<{ org_id: OrgId; grant_id: string; client_id: string; kind: string }>`select t.org_id, t.grant_id,
            g.client_id, t.kind from oauth_tokens t join oauth_grants g on g.id = t.grant_id and g.org_id = t.org_id
          where t.hash = ${hash}`.pipe(Effect.map(first), Effect.orDie),
        removeToken: (org, hash) =>
          sql`delete from oauth_tokens where org_id = ${org} and hash = ${hash}`.pipe(Effect.asVoid, Effect.orDie),
        removeGrant: (org, id) =>
          sql<{ user_id: string; client_name: string; agent_id: AgentId }>`delete from oauth_grants g
          using oauth_clients c where g.org_id = ${org} and g.id = ${id} and c.id = g.client_id
          returning g.user_id, c.name as client_name, g.agent_id`.pipe(Effect.map(first), Effect.orDie),
        sweep: Effect.gen(function*() {
          const codes = yield* sql`delete from oauth_codes where hash in (
            select hash from oauth_codes where expires_at < clock_timestamp() - interval '1 day' limit ${sweptRows}) returning 1`
          const tokens = yield* sql`delete from oauth_tokens where hash in (
            select hash from oauth_tokens where expires_at < clock_timestamp() limit ${sweptRows}) returning 1`
          const grants = yield* sql`delete from oauth_grants where id in (
            select id from oauth_grants where expires_at < clock_timestamp() limit ${sweptRows}) returning 1`
          const clients = yield* sql`delete from oauth_clients where id in (
            select c.id from oauth_clients c where c.created_at < clock_timestamp() - ${clientSeconds} * interval '1 second'
              and not exists (select 1 from oauth_grants g where g.client_id = c.id)
              and not exists (select 1 from oauth_codes k where k.client_id = c.id)
            order by c.created_at limit ${sweptRows}) returning 1`
          return codes.length + tokens.length + grants.length + clients.length
        }).pipe(Effect.orDie)
      })
    })
  )
}

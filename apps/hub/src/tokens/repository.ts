/** Personal access tokens, each of one person in one workspace. */
import type { Permission, Role } from "@countersign/domain/auth"
import { type AgentId, newId, type OrgId, type TokenId } from "@countersign/domain/ids"
import type { Token, TokenPatch } from "@countersign/domain/tokens"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

interface Row {
  readonly id: TokenId
  readonly kind: "personal" | "oauth"
  readonly agent_id: AgentId | null
  readonly agent_name: string | null
  readonly name: string
  readonly scopes: ReadonlyArray<Permission>
  readonly enabled: boolean
  readonly hint: string
  readonly expires_at: Date
  readonly last_used_at: Date | null
  readonly last_used_ip: string | null
  readonly created_at: Date
}

const toToken = (row: Row): Token => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  ...(row.agent_id === null ? {} : { agent: { id: row.agent_id, name: row.agent_name ?? "" } }),
  scopes: row.scopes,
  enabled: row.enabled,
  hint: row.hint,
  expires_at: row.expires_at.toISOString(),
  ...(row.last_used_at === null ? {} : { last_used_at: row.last_used_at.toISOString() }),
  ...(row.last_used_ip === null ? {} : { last_used_ip: row.last_used_ip }),
  created_at: row.created_at.toISOString()
})

export interface NewToken {
  readonly org: OrgId
  readonly user: string
  readonly name: string
  readonly scopes: ReadonlyArray<Permission>
  readonly tokenHash: Uint8Array
  readonly hint: string
  readonly expiresAt: Date
}

export class TokensRepository extends Context.Service<TokensRepository, {
  /** The current role, locked until the transaction ends. */
  readonly holdRole: (org: OrgId, user: string) => Effect.Effect<Role | undefined>
  /** The number of a person's unexpired tokens in all workspaces; it cannot change until the transaction ends. */
  readonly countOfPerson: (user: string) => Effect.Effect<number>
  readonly insert: (token: NewToken) => Effect.Effect<Token>
  readonly list: (
    org: OrgId,
    user: string,
    after: string | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Token>>
  readonly find: (org: OrgId, user: string, id: string) => Effect.Effect<Token | undefined>
  readonly update: (org: OrgId, user: string, id: string, patch: TokenPatch) => Effect.Effect<Token | undefined>
  readonly remove: (org: OrgId, user: string, id: string) => Effect.Effect<string | undefined>
  readonly removeAll: (org: OrgId, user: string) => Effect.Effect<number>
}>()("@countersign/hub/tokens/TokensRepository") {
  static readonly layer = Layer.effect(
    TokensRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql`id, 'personal' as kind, null as agent_id, null as agent_name, name, scopes, enabled, hint,
        expires_at, last_used_at, last_used_ip, created_at`
      const signIn = sql`g.id, 'oauth' as kind, g.agent_id, a.name as agent_name, c.name, array[]::text[] as scopes,
        true as enabled, '' as hint, g.expires_at, g.last_used_at, g.last_used_ip, g.created_at`
      const signIns = sql`oauth_grants g join oauth_clients c on c.id = g.client_id
        join agents a on a.org_id = g.org_id and a.id = g.agent_id`
      return TokensRepository.of({
        holdRole: (org, user) =>
          sql<{ role: Role }>`select role from memberships where org_id = ${org} and user_id = ${user} for share`.pipe(
            Effect.map(([row]) => row?.role),
            Effect.orDie
          ),
        countOfPerson: (user) =>
          sql`select pg_advisory_xact_lock(hashtextextended('tokens of ' || ${user}, 0))`.pipe(
            Effect.andThen(sql<{ n: number }>`select count(*)::int as n from tokens
            where user_id = ${user} and expires_at > clock_timestamp()`),
            Effect.map(([row]) => row?.n ?? 0),
            Effect.orDie
          ),
        insert: ({ org, user, name, scopes, tokenHash, hint, expiresAt }) =>
          sql<Row>`insert into tokens (id, org_id, user_id, name, scopes, token_hash, hint, expires_at)
          values (${newId("pat")}, ${org}, ${user}, ${name}, ${scopes}::text[], ${tokenHash}, ${hint}, ${expiresAt})
          returning ${columns}`.pipe(
            Effect.map(([row]) => toToken(row!)),
            Effect.orDie
          ),
        list: (org, user, after, limit) =>
          sql<Row>`select * from (
            select ${columns} from tokens where org_id = ${org} and user_id = ${user}
            union all
            select ${signIn} from ${signIns} where g.org_id = ${org} and g.user_id = ${user}
          ) t where ${after === undefined ? sql`true` : sql`t.id < ${after}`} order by t.id desc limit ${limit}`.pipe(
            Effect.map((rows) => rows.map(toToken)),
            Effect.orDie
          ),
        find: (org, user, id) =>
          sql<Row>`select ${columns} from tokens where org_id = ${org} and user_id = ${user} and id = ${id}
          union all
          select ${signIn} from ${signIns} where g.org_id = ${org} and g.user_id = ${user} and g.id = ${id}`.pipe(
            Effect.map(([row]) => row === undefined ? undefined : toToken(row)),
            Effect.orDie
          ),
        update: (org, user, id, patch) =>
          sql<Row>`update tokens set name = coalesce(${patch.name ?? null}::text, name),
            enabled = coalesce(${patch.enabled ?? null}::boolean, enabled)
          where org_id = ${org} and user_id = ${user} and id = ${id} returning ${columns}`.pipe(
            Effect.map(([row]) => row === undefined ? undefined : toToken(row)),
            Effect.orDie
          ),
        remove: (org, user, id) =>
          sql<{ name: string }>`with token as (
              delete from tokens where org_id = ${org} and user_id = ${user} and id = ${id} returning name
            ), sign_in as (
              delete from oauth_grants g using oauth_clients c
              where g.org_id = ${org} and g.user_id = ${user} and g.id = ${id} and c.id = g.client_id returning c.name
            )
            select name from token union all select name from sign_in`.pipe(
            Effect.map(([row]) => row?.name),
            Effect.orDie
          ),
        removeAll: (org, user) =>
          sql`with token as (
              delete from tokens where org_id = ${org} and user_id = ${user} returning 1
            ), sign_in as (
              delete from oauth_grants where org_id = ${org} and user_id = ${user} returning 1
            ), code as (
              delete from oauth_codes where org_id = ${org} and user_id = ${user}
            )
            select 1 from token union all select 1 from sign_in`.pipe(
            Effect.map((rows) => rows.length),
            Effect.orDie
          )
      })
    })
  )
}

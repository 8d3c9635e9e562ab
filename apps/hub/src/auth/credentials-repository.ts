/** Looks up credentials by their hashes, without a cache. */
import type { Mode, Permission, Role, TeamMembership } from "@countersign/domain/auth"
import type { AgentId, DeviceId, KeyId, OrgId, TokenId, UserId } from "@countersign/domain/ids"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { byteaArray } from "../platform/db.ts"
import type { UnmetRule } from "./factor-rule.ts"
import { ssoExpiredOf } from "./sso-expiry-repository.ts"
import { teamsOf } from "./team-roles-repository.ts"
import { unmetRuleOf } from "./unmet-rule-repository.ts"

export interface AgentKeyRow {
  readonly key_id: KeyId
  readonly org_id: OrgId
  readonly agent_id: AgentId
  readonly agent_name: string
  readonly mode: Mode
  readonly agent_version: number
  /** Milliseconds until it ends, by the database's clock; null: it has no end. */
  readonly left: number | null
}

export interface TokenRow {
  readonly id: TokenId
  readonly org_id: OrgId
  readonly user_id: UserId
  readonly name: string
  readonly email: string
  readonly scopes: ReadonlyArray<Permission>
  readonly enabled: boolean
  readonly alive: boolean
  /** null: the person is no longer a member of the workspace. */
  readonly role: Role | null
  readonly teams: ReadonlyArray<TeamMembership>
  readonly unmet_rule: UnmetRule
  /** The person has not signed in at the provider for long. */
  readonly sso_expired: boolean
  /** Its use was last written over a minute ago. */
  readonly unnoted: boolean
}

export interface DeviceKeyRow {
  readonly device_id: DeviceId
  readonly org_id: OrgId
  readonly name: string
  readonly revoked: boolean
}

export const makeCredentialsRepository = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Of each hash, in order. Keys and agents are found by index, also before PostgreSQL has statistics of their tables. */
  agentKeys: (hashes: ReadonlyArray<Uint8Array>): Effect.Effect<ReadonlyArray<AgentKeyRow | undefined>> =>
    sql<
      AgentKeyRow & { readonly n: number }
    >`select wanted.n::int as n, k.id as key_id, k.org_id, k.agent_id, a.name as agent_name, k.mode, a.version as agent_version,
        (extract(epoch from k.expires_at - hub_time_or_last()) * 1000)::float8 as left
      from unnest(${byteaArray(hashes)}) with ordinality wanted(hash, n)
        cross join lateral (select * from agent_keys x where x.key_hash = wanted.hash offset 0) k
        cross join lateral (select * from agents x where x.id = k.agent_id and x.org_id = k.org_id offset 0) a
      where a.deleted_at is null`.pipe(
      Effect.map((rows) => {
        const found = new Map(rows.map(({ n, ...row }) => [n, row]))
        return hashes.map((_, at) => found.get(at + 1))
      }),
      Effect.orDie
    ),
  /**
   * Writes the last-seen time of agents, given as pairs of agent and workspace. In order of agent, so that hubs do not
   * deadlock.
   */
  recordLastSeen: (seen: ReadonlyArray<readonly [agent: AgentId, org: OrgId]>): Effect.Effect<void> =>
    sql`insert into agent_sightings (agent_id, org_id, last_seen_at)
      select agent_id, org_id, hub_time_or_last()
      from unnest(${seen.map(([agent]) => agent)}::text[], ${seen.map(([, org]) => org)}::text[]) t(agent_id, org_id)
      on conflict (agent_id) do update set last_seen_at = greatest(agent_sightings.last_seen_at, excluded.last_seen_at)`
      .pipe(Effect.asVoid, Effect.orDie),
  token: (hash: Uint8Array, issuer: string | undefined): Effect.Effect<TokenRow | undefined> =>
    sql<
      TokenRow
    >`select t.id, t.org_id, t.user_id, u.name, u.email, t.scopes, t.enabled, t.expires_at > hub_time_or_last() as alive, m.role, ${
      teamsOf(sql, sql`t.org_id`, sql`t.user_id`)
    } as teams, ${unmetRuleOf(sql, sql`t.org_id`, sql`t.user_id`)} as unmet_rule,
        ${ssoExpiredOf(sql, sql`t.user_id`, issuer)} as sso_expired,
        t.last_used_at is null or t.last_used_at < hub_time_or_last() - interval '1 minute' as unnoted
      from tokens t join users u on u.id = t.user_id
      left join memberships m on m.org_id = t.org_id and m.user_id = t.user_id
      where t.token_hash = ${hash}`.pipe(Effect.map(([row]) => row), Effect.orDie),
  device: (hash: Uint8Array): Effect.Effect<DeviceKeyRow | undefined> =>
    sql<
      DeviceKeyRow
    >`select id as device_id, org_id, name, state = 'revoked' as revoked from devices where key_hash = ${hash}`.pipe(
      Effect.map(([row]) => row),
      Effect.orDie
    ),
  recordTokenUse: (row: TokenRow, ip: string): Effect.Effect<void> =>
    sql`update tokens set last_used_at = hub_time_or_last(), last_used_ip = ${ip}
      where org_id = ${row.org_id} and id = ${row.id} and (last_used_at is null or last_used_at < hub_time_or_last() - interval '1 minute')`
      .pipe(Effect.asVoid, Effect.orDie)
}))

/** SQL of discovery. */
import type { AppStatus } from "@countersign/domain/apps"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"

export interface DatabaseState {
  readonly migration: number
  /** The oldest hub that works with this schema without knowing all of its migrations. */
  readonly minVersion: string | null
  /** The oldest hub that works without what contract migrations removed. */
  readonly contractVersion: string | null
  /** The database's clock, in milliseconds since 1970. */
  readonly millis: number
}

/** Of all workspaces. */
export interface PendingWork {
  readonly approvals: number
  readonly delegated_tasks: number
  readonly invites: number
  readonly agent_requests: number
  readonly budget_requests: number
  readonly publish_requests: number
  readonly memories: number
  readonly apps: Readonly<Record<AppStatus, number>>
}

export class DiscoveryRepository extends Context.Service<DiscoveryRepository, {
  /** Of the database, and so of every hub on it; created with the first hub. */
  readonly hubId: Effect.Effect<string>
  /** Fails with a line that gives the reason when the database does not answer. */
  readonly state: Effect.Effect<DatabaseState, string>
  /** Open work of agents and people; fails when the database does not answer. */
  readonly pending: Effect.Effect<PendingWork, SqlError.SqlError>
}>()("@countersign/hub/discovery/DiscoveryRepository") {
  static readonly layer = Layer.effect(
    DiscoveryRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return DiscoveryRepository.of({
        hubId: sql`insert into hub (hub_id) values (${randomUUID()}) on conflict (one) do nothing`.pipe(
          Effect.andThen(sql<{ hub_id: string }>`select hub_id from hub`),
          Effect.map(([row]) => row!.hub_id),
          Effect.orDie
        ),
        state: sql<
          DatabaseState
        >`select coalesce(max(migration_id), 0)::int migration, (select min_version from hub) as "minVersion",
            (select array_to_string(max(string_to_array(min_version, '.')::int[]), '.') from contract_migrations)
              as "contractVersion",
            (extract(epoch from clock_timestamp()) * 1000)::float8 millis from migrations`
          .pipe(
            Effect.map(([row]) => row!),
            Effect.mapError(() => "the database refused the query or cannot be reached")
          ),
        pending: sql<PendingWork>`select
            (select count(*)::int from approvals where status = 'pending') as approvals,
            (select count(*)::int from delegated_tasks where ended_at is null) as delegated_tasks,
            (select count(*)::int from invites
              where accepted_at is null and revoked_at is null and expires_at > hub_time_or_last()) as invites,
            (select count(*)::int from agent_requests r join agents a on a.id = r.agent_id
              where r.status = 'open' and a.deleted_at is null
                and (r.expires_at is null or r.expires_at > hub_time_or_last())) as agent_requests,
            (select count(*)::int from budget_requests b join agents a on a.id = b.agent_id
              where b.status = 'pending' and a.deleted_at is null) as budget_requests,
            (select count(*)::int from memories where embedding_model = '') as memories,
            (select count(*)::int from publish_requests where status = 'pending') as publish_requests,
            (select jsonb_build_object('pending', count(*) filter (where status = 'pending'),
                'connected', count(*) filter (where status = 'connected'),
                'needs_reauth', count(*) filter (where status = 'needs_reauth'),
                'revoked', count(*) filter (where status = 'revoked')) from apps) as apps`.pipe(
          Effect.map(([row]) => row!)
        )
      })
    })
  )
}

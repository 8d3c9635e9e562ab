/** SQL of discovery. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"

export interface DatabaseState {
  readonly migration: number
  /** The database's clock, in milliseconds since 1970. */
  readonly millis: number
}

export class DiscoveryRepository extends Context.Service<DiscoveryRepository, {
  /** Of the database, and so of every hub on it; created with the first hub. */
  readonly hubId: Effect.Effect<string>
  /** Fails with a line that gives the reason when the database does not answer. */
  readonly state: Effect.Effect<DatabaseState, string>
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
        >`select coalesce(max(migration_id), 0)::int migration, (extract(epoch from clock_timestamp()) * 1000)::float8 millis from migrations`
          .pipe(
            Effect.map(([row]) => row!),
            Effect.mapError(() => "the database refused the query or cannot be reached")
          )
      })
    })
  )
}

/**
 * Events of providers that were acted on. Each counts once: it is recorded in the transaction that acts, under the name of
 * its provider.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export interface ProviderEvent {
  readonly id: string
  readonly type: string
}

export class ProviderEvents extends Context.Service<ProviderEvents, {
  /** False when it was recorded before. Waits for a transaction that is recording the same event. */
  readonly record: (provider: string, event: ProviderEvent) => Effect.Effect<boolean>
  readonly isRecorded: (provider: string, id: string) => Effect.Effect<boolean>
  /** Deletes events older than this many days; returns how many. */
  readonly forget: (days: number, limit: number) => Effect.Effect<number>
}>()("@countersign/hub/platform/ProviderEvents") {
  static readonly layer = Layer.effect(
    ProviderEvents,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return ProviderEvents.of({
        record: (provider, { id, type }) =>
          sql`insert into provider_events (provider, event_id, type, received_at)
          values (${provider}, ${id}, ${type}, hub_time_or_last()) on conflict do nothing returning 1`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        isRecorded: (provider, id) =>
          sql`select 1 from provider_events where provider = ${provider} and event_id = ${id}`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        forget: (days, limit) =>
          sql`delete from provider_events where (provider, event_id) in (select provider, event_id from provider_events
            where received_at < hub_time_or_last() - ${days} * interval '1 day' order by received_at limit ${limit})
          returning 1`.pipe(
            Effect.map((rows) => rows.length),
            Effect.orDie
          )
      })
    })
  )
}

/** Calls whose caller may not have their answer yet. */
import type { Mode } from "@countersign/domain/auth"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** How long an answer waits for the identical call. */
export const keptHours = 24
const sweptRows = 1_000

/** Who makes a call, and what the identical call is recognized by. */
export interface PickUpCall {
  readonly org: string
  readonly agent: string
  readonly mode: Mode
  readonly hash: Uint8Array
}

export class PickUpsRepository extends Context.Service<PickUpsRepository, {
  /**
   * The key of the oldest answer that was left for this call, of which one of two identical calls gets it; otherwise
   * `key`, which is stored. Begin the request afterwards: only that makes it durable.
   */
  readonly take: (call: PickUpCall, key: string, owner: number) => Effect.Effect<string>
  readonly leave: (org: string, key: string, request: string | undefined) => Effect.Effect<void>
  readonly remove: (org: string, key: string) => Effect.Effect<void>
  /** Of a request whose final answer arrived in another way. */
  readonly removeOfRequest: (org: string, request: string) => Effect.Effect<void>
  /** Deletes rows that are too old; returns their number. */
  readonly sweep: Effect.Effect<number>
}>()("@countersign/hub/pick-ups/PickUpsRepository") {
  static readonly layer = Layer.effect(
    PickUpsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return PickUpsRepository.of({
        // Not flushed by itself: the request that is begun next is, and everything before it with it.
        take: ({ agent, hash, mode, org }, key, owner) =>
          sql<{ key: string }>`with unflushed as materialized (select set_config('synchronous_commit', 'off', true)),
          taken as (
            update call_pickups set owner = ${owner} where key = (
              select p.key from call_pickups p
              where p.org_id = ${org} and p.agent_id = ${agent} and p.mode = ${mode} and p.hash = ${hash}
                and p.created_at > clock_timestamp() - ${keptHours} * interval '1 hour'
                and (p.owner is null or not exists (
                  select 1 from owners o where o.num = p.owner and not o.ended and o.alive_until > hub_time_or_last()))
              order by p.created_at, p.key limit 1 for update skip locked)
            returning key),
          made as (
            insert into call_pickups (key, org_id, agent_id, mode, hash, owner)
            select ${key}, ${org}, ${agent}, ${mode}, ${hash}, ${owner} where not exists (select 1 from taken)
            returning key)
          select k.key from unflushed, (select key from taken union all select key from made) k`.pipe(
            Effect.map(([row]) => row?.key ?? key),
            Effect.orDie
          ),
        leave: (org, key, request) =>
          sql`update call_pickups set owner = null, request_id = coalesce(${request ?? null}::text, request_id)
          where org_id = ${org} and key = ${key}`.pipe(Effect.asVoid, Effect.orDie),
        remove: (org, key) =>
          sql`delete from call_pickups where org_id = ${org} and key = ${key}`.pipe(Effect.asVoid, Effect.orDie),
        removeOfRequest: (org, request) =>
          sql`delete from call_pickups where org_id = ${org} and request_id = ${request}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        sweep: sql`delete from call_pickups where key in (
            select key from call_pickups where created_at < clock_timestamp() - ${keptHours} * interval '1 hour'
            order by created_at limit ${sweptRows})
          returning 1`.pipe(
          Effect.map((rows) => rows.length),
          Effect.orDie
        )
      })
    })
  )
}

/** Calls whose caller may not have their answer yet. */
import type { Mode } from "@countersign/domain/auth"
import type { AgentId, OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { takeStatement } from "./pick-up.ts"

/** How long an answer waits for the identical call; `take_pickup` has the same. */
export const keptHours = 24
const sweptRows = 1_000

/** Who makes a call, and what the identical call is recognized by. */
export interface PickUpCall {
  readonly org: OrgId
  readonly agent: AgentId
  readonly mode: Mode
  readonly hash: Uint8Array
}

export class PickUpsRepository extends Context.Service<PickUpsRepository, {
  /**
   * The key of the oldest answer that was left for this call, of which one of two identical calls gets it; otherwise
   * `key`, which is stored. Begin the request afterwards: only that makes it durable.
   */
  readonly take: (call: PickUpCall, key: string, owner: number) => Effect.Effect<string>
  readonly leave: (org: OrgId, key: string, request: ServiceRequestId | undefined) => Effect.Effect<void>
  readonly remove: (org: OrgId, key: string) => Effect.Effect<void>
  /** Of a request whose final answer arrived in another way. */
  readonly removeOfRequest: (org: OrgId, request: ServiceRequestId) => Effect.Effect<void>
  /** Deletes rows that are too old; returns their number. */
  readonly sweep: Effect.Effect<number>
}>()("@countersign/hub/pick-ups/PickUpsRepository") {
  static readonly layer = Layer.effect(
    PickUpsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return PickUpsRepository.of({
        take: ({ agent, hash, mode, org }, key, owner) =>
          sql.unsafe<{ key: string }>(takeStatement, [org, agent, mode, hash, key, owner]).pipe(
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

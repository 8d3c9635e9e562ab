/** The reader of the log: endpoints behind its head, and the deliveries of what they have not read. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { int8Array, textArray } from "../platform/db.ts"
import type { MessageFacts } from "./rules.ts"

export interface Reader {
  readonly endpoint_id: string
  /** null: all. */
  readonly types: ReadonlyArray<string> | null
  readonly seq: number
}

export interface NewDelivery extends MessageFacts {
  readonly id: string
  readonly endpoint_id: string
}

/** Of an endpoint `e`. */
const isEnabled = "e.status = 'enabled' and e.deleted_at is null"
export const behindEndpoints = `select from webhook_endpoints e join webhook_cursors c on c.endpoint_id = e.id
  join org_heads h on h.org_id = e.org_id where ${isEnabled} and c.seq < h.seq`

export class WebhookFanOutRepository extends Context.Service<WebhookFanOutRepository, {
  /** Workspaces with enabled endpoints. */
  readonly followed: Effect.Effect<ReadonlyArray<string>>
  /** Those of them in which an endpoint has not read the whole log, except endpoints that wait. */
  readonly behind: (waiting: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<OrgId>>
  /** Locks the cursors of a workspace that are behind, without those that another transaction holds. */
  readonly lock: (org: OrgId, waiting: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Reader>>
  /** The pending deliveries of each of these endpoints, counted up to `max`. */
  readonly pending: (
    org: OrgId,
    endpoints: ReadonlyArray<string>,
    max: number
  ) => Effect.Effect<ReadonlyArray<{ readonly endpoint_id: string; readonly pending: number }>>
  /** Stores deliveries that are due at once. One that exists, after a replay, becomes due again. */
  readonly insert: (org: OrgId, deliveries: ReadonlyArray<NewDelivery>) => Effect.Effect<void>
  readonly advance: (org: OrgId, endpoints: ReadonlyArray<string>, seq: number) => Effect.Effect<void>
}>()("@countersign/hub/webhook-endpoints/WebhookFanOutRepository") {
  static readonly layer = Layer.effect(
    WebhookFanOutRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const enabled = sql.literal(isEnabled)
      return WebhookFanOutRepository.of({
        followed: sql<{ org_id: OrgId }>`select distinct e.org_id from webhook_endpoints e where ${enabled}`.pipe(
          Effect.map((rows) => rows.map(({ org_id }) => org_id)),
          Effect.orDie
        ),
        behind: (waiting) =>
          sql<{ org_id: OrgId }>`select distinct e.org_id from webhook_endpoints e
          join webhook_cursors c on c.endpoint_id = e.id join org_heads h on h.org_id = e.org_id
          where ${enabled} and c.seq < h.seq and e.id <> all(${textArray(waiting)})`.pipe(
            Effect.map((rows) => rows.map(({ org_id }) => org_id)),
            Effect.orDie
          ),
        lock: (org, waiting) =>
          sql<Reader>`select c.endpoint_id, e.types, c.seq from webhook_cursors c
          join webhook_endpoints e on e.id = c.endpoint_id join org_heads h on h.org_id = c.org_id
          where c.org_id = ${org} and ${enabled} and c.seq < h.seq and c.endpoint_id <> all(${textArray(waiting)})
          order by c.endpoint_id for update of c skip locked`.pipe(Effect.orDie),
        pending: (org, endpoints, max) =>
          sql<{ endpoint_id: string; pending: number }>`select u.id as endpoint_id, p.pending
          from unnest(${textArray(endpoints)}) u(id)
          cross join lateral (select count(*)::int as pending from (select 1 from webhook_deliveries d
            where d.org_id = ${org} and d.endpoint_id = u.id and d.status = 'pending' limit ${max}) x) p`.pipe(
            Effect.orDie
          ),
        insert: (org, deliveries) =>
          sql`insert into webhook_deliveries as t (id, org_id, endpoint_id, event_id, type, subject_type, subject_id,
            version, occurred_at, status, due_at, created_at)
          select u.id, ${org}, u.endpoint_id, u.event_id, u.type, u.subject_type, u.subject_id, u.version, u.occurred_at,
            'pending', hub_time_or_last(), hub_time_or_last()
          from unnest(${textArray(deliveries.map(({ id }) => id))},
            ${textArray(deliveries.map(({ endpoint_id }) => endpoint_id))},
            ${textArray(deliveries.map(({ event_id }) => event_id))},
            ${textArray(deliveries.map(({ type }) => type))},
            ${textArray(deliveries.map(({ subject_type }) => subject_type))},
            ${textArray(deliveries.map(({ subject_id }) => subject_id))},
            ${int8Array(deliveries.map(({ version }) => version))},
            ${textArray(deliveries.map(({ occurred_at }) => occurred_at.toISOString()))}::timestamptz[]
          ) u(id, endpoint_id, event_id, type, subject_type, subject_id, version, occurred_at)
          on conflict (endpoint_id, event_id) do update set status = 'pending', tries = 0, due_at = excluded.due_at
            where t.status <> 'pending' or t.due_at > excluded.due_at`.pipe(Effect.asVoid, Effect.orDie),
        advance: (org, endpoints, seq) =>
          sql`update webhook_cursors set seq = ${BigInt(seq)}::int8
          where org_id = ${org} and endpoint_id = any(${textArray(endpoints)})`.pipe(Effect.asVoid, Effect.orDie)
      })
    })
  )
}

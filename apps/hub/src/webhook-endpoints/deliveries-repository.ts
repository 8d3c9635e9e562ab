/** Deliveries of webhook endpoints as people see them, and their removal. */
import type { DeliveryId, OrgId, WebhookEndpointId } from "@countersign/domain/ids"
import type { WebhookDeliveryStatus } from "@countersign/domain/webhook-endpoints"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"
import type { MessageFacts } from "./rules.ts"

export interface DeliveryRow extends MessageFacts {
  readonly id: DeliveryId
  readonly endpoint_id: WebhookEndpointId
  readonly status: WebhookDeliveryStatus
  readonly due_at: Date | null
  /** Ended attempts in all. */
  readonly attempts: number
  readonly created_at: Date
}

export interface AttemptRow {
  readonly delivery_id: string
  /** From 1. */
  readonly number: number
  readonly at: Date
  readonly status: number | null
  readonly millis: number
  readonly error: string | null
  readonly response: string | null
}

export interface DeliveryFilter {
  readonly status: WebhookDeliveryStatus | undefined
  readonly type: string | undefined
  /** Events before this one. */
  readonly before: string | undefined
  readonly limit: number
}

export class WebhookDeliveriesRepository extends Context.Service<WebhookDeliveriesRepository, {
  /** Newest event first, one more than the limit. */
  readonly list: (org: OrgId, endpoint: string, filter: DeliveryFilter) => Effect.Effect<ReadonlyArray<DeliveryRow>>
  readonly find: (org: OrgId, endpoint: string, id: string) => Effect.Effect<Option.Option<DeliveryRow>>
  /** The latest attempts of each delivery, oldest first. */
  readonly attempts: (
    org: OrgId,
    deliveries: ReadonlyArray<string>,
    limit: number
  ) => Effect.Effect<ReadonlyArray<AttemptRow>>
  /** A new delivery, due at once. */
  readonly insert: (endpoint: string, id: string, facts: MessageFacts, at: Date) => Effect.Effect<void>
  /** Makes a delivery due at once, with a new schedule; one that is due continues unchanged: its attempt may be in progress. */
  readonly redeliver: (org: OrgId, endpoint: string, id: string, at: Date) => Effect.Effect<void>
  /**
   * Removes deliveries of events before an id that are also stored that long, and of deleted endpoints; returns their
   * number.
   */
  readonly forget: (days: number, event: string, limit: number) => Effect.Effect<number>
  /** Removes endpoints that were deleted and have no deliveries left. */
  readonly forgetEndpoints: (limit: number) => Effect.Effect<void>
}>()("@countersign/hub/webhook-endpoints/WebhookDeliveriesRepository") {
  static readonly layer = Layer.effect(
    WebhookDeliveriesRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        `id, org_id, endpoint_id, event_id, type, subject_type, subject_id, version, occurred_at, status, due_at,
          attempts, created_at`
      )
      return WebhookDeliveriesRepository.of({
        list: (org, endpoint, { before, limit, status, type }) =>
          sql<DeliveryRow>`select ${columns} from webhook_deliveries where ${
            sql.and([
              sql`org_id = ${org}`,
              sql`endpoint_id = ${endpoint}`,
              ...(status === undefined ? [] : [sql`status = ${status}`]),
              ...(type === undefined ? [] : [sql`type = ${type}`]),
              ...(before === undefined ? [] : [sql`event_id < ${before}`])
            ])
          } order by event_id desc limit ${limit + 1}`.pipe(Effect.orDie),
        find: (org, endpoint, id) =>
          sql<DeliveryRow>`select ${columns} from webhook_deliveries
          where org_id = ${org} and endpoint_id = ${endpoint} and id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        attempts: (org, deliveries, limit) =>
          sql<AttemptRow>`select a.delivery_id, a.number, a.at, a.status, a.millis, a.error, a.response
          from unnest(${textArray(deliveries)}) d(id) cross join lateral (
            select * from webhook_attempts x where x.org_id = ${org} and x.delivery_id = d.id
            order by x.number desc limit ${limit}) a
          order by a.delivery_id, a.number`.pipe(Effect.orDie),
        insert: (endpoint, id, { org_id, ...facts }, at) =>
          sql`insert into webhook_deliveries ${
            sql.insert({ org_id, ...facts, id, endpoint_id: endpoint, status: "pending", due_at: at, created_at: at })
          }`.pipe(Effect.asVoid, Effect.orDie),
        redeliver: (org, endpoint, id, at) =>
          sql`update webhook_deliveries set status = 'pending', tries = 0, due_at = ${at}
          where org_id = ${org} and endpoint_id = ${endpoint} and id = ${id}
            and (status <> 'pending' or due_at > ${at})`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        forget: (days, event, limit) =>
          sql`delete from webhook_deliveries where id in (
            select d.id from webhook_endpoints e cross join lateral (
              select x.id, x.created_at from webhook_deliveries x
              where x.endpoint_id = e.id and (e.deleted_at is not null or x.event_id < ${event})
              order by x.event_id limit ${limit}) d
            where e.deleted_at is not null or d.created_at < hub_time_or_null() - make_interval(days => ${days})
            limit ${limit})
          returning id`.pipe(Effect.map((rows) => rows.length), Effect.orDie),
        forgetEndpoints: (limit) =>
          sql`delete from webhook_endpoints where id in (
            select e.id from webhook_endpoints e where e.deleted_at is not null
              and not exists (select 1 from webhook_deliveries d where d.endpoint_id = e.id) limit ${limit})`.pipe(
            Effect.asVoid,
            Effect.orDie
          )
      })
    })
  )
}

/** Due deliveries of all workspaces: hubs share their endpoints by leases, and store the ends of attempts. */
import type { OrgId } from "@countersign/domain/ids"
import type { WebhookDeliveryStatus } from "@countersign/domain/webhook-endpoints"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { int4Array, textArray } from "../platform/db.ts"
import { type EndpointTally, isLost, leaseSeconds, type MessageFacts, renewSeconds } from "./rules.ts"
import type { SealedSecrets } from "./secrets.ts"

export interface DueDelivery extends MessageFacts, SealedSecrets {
  readonly id: string
  readonly endpoint_id: string
  readonly url: string
  /** Ended attempts of the present schedule. */
  readonly tries: number
  /** Ended attempts in all. */
  readonly attempts: number
  readonly due_at: Date
  /** Its endpoint has failed since its last delivery. */
  readonly is_failing: boolean
}

/** The end of an attempt. */
export interface EndedAttempt {
  readonly id: string
  readonly org_id: OrgId
  readonly endpoint_id: string
  /** Ended attempts before it. */
  readonly before: number
  readonly at: Date
  /** Of the answer; null: none arrived. */
  readonly status: number | null
  readonly millis: number
  readonly error: string | null
  readonly response: string | null
  readonly outcome: WebhookDeliveryStatus
  /** For `pending`: the pause before the next attempt. */
  readonly pauseSeconds: number
  /** As of its start. */
  readonly isFailing: boolean
}

export interface FailingEndpoint {
  readonly endpoint_id: string
  readonly org_id: OrgId
}

export const pendingDeliveries = "select from webhook_deliveries where status = 'pending'"

export class WebhookQueueRepository extends Context.Service<WebhookQueueRepository, {
  /**
   * For the transaction: rows are found by index, because a connection keeps plans that were made while a table was
   * small. Its commit does not wait for the disk: what a lost one stored is sent again, as after a crash of the hub.
   */
  readonly prepare: Effect.Effect<void>
  /**
   * Leases enabled endpoints that have due deliveries, those first that wait longest, without those that are `full`.
   * Returns those that this hub has now, for `leaseSeconds - renewSeconds` at least.
   */
  readonly lease: (hub: string, full: ReadonlyArray<string>, limit: number) => Effect.Effect<ReadonlyArray<string>>
  /** Due deliveries of leased endpoints without those in `busy`, at most `room` of each, earliest first. */
  readonly due: (
    rooms: ReadonlyArray<{ readonly endpoint_id: string; readonly room: number }>,
    busy: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<DueDelivery>>
  /** Gives these endpoints to any hub. */
  readonly release: (hub: string, endpoints: ReadonlyArray<string>) => Effect.Effect<void>
  /** Stores the ends of attempts unless another end was stored meanwhile; returns the ids of their deliveries. */
  readonly end: (attempts: ReadonlyArray<EndedAttempt>) => Effect.Effect<ReadonlySet<string>>
  /** Counts failures in a row; returns the endpoints that have failed for too long. */
  readonly count: (tallies: ReadonlyArray<EndpointTally>) => Effect.Effect<ReadonlyArray<FailingEndpoint>>
}>()("@countersign/hub/webhook-endpoints/WebhookQueueRepository") {
  static readonly layer = Layer.effect(
    WebhookQueueRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      // The time is a subquery, so that it is read once and not for each row.
      const now = sql.literal("(select hub_time_or_last())")
      return WebhookQueueRepository.of({
        prepare: sql`select set_config('enable_seqscan', 'off', true), set_config('synchronous_commit', 'off', true)`
          .pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        // The recursion reads one row of the index for each endpoint, however many deliveries wait. A lease that is not
        // renewed yet is not written: most rounds write none.
        lease: (hub, full, limit) =>
          sql<{ endpoint_id: string }>`with recursive waiting(endpoint_id) as (
            (select d.endpoint_id from webhook_deliveries d where d.status = 'pending' order by d.endpoint_id limit 1)
            union all
            select (select d.endpoint_id from webhook_deliveries d
              where d.status = 'pending' and d.endpoint_id > w.endpoint_id order by d.endpoint_id limit 1)
            from waiting w where w.endpoint_id is not null),
          open as materialized (select e.id as endpoint_id,
              coalesce(l.hub = ${hub} and l.leased_until > ${now} + ${
            leaseSeconds - renewSeconds
          } * interval '1 second',
                false) as is_held
            from waiting w join webhook_endpoints e on e.id = w.endpoint_id
            left join webhook_leases l on l.endpoint_id = w.endpoint_id
            cross join lateral (select d.due_at from webhook_deliveries d
              where d.endpoint_id = w.endpoint_id and d.status = 'pending' and d.due_at <= ${now}
              order by d.due_at limit 1) first
            where e.status = 'enabled' and e.deleted_at is null and w.endpoint_id <> all(${textArray(full)})
              and (l.hub is null or l.hub = ${hub} or l.leased_until <= ${now})
            order by first.due_at limit ${limit}),
          leased as (insert into webhook_leases as l (endpoint_id, hub, leased_until)
            select endpoint_id, ${hub}, ${now} + ${leaseSeconds} * interval '1 second' from open where not is_held
            order by endpoint_id
            on conflict (endpoint_id) do update set hub = excluded.hub, leased_until = excluded.leased_until
              where l.hub = excluded.hub or l.leased_until <= ${now}
            returning l.endpoint_id)
          select endpoint_id from open where is_held union all select endpoint_id from leased`.pipe(
            Effect.map((rows) => rows.map(({ endpoint_id }) => endpoint_id)),
            Effect.orDie
          ),
        due: (rooms, busy) =>
          sql<DueDelivery>`select d.id, d.org_id, d.endpoint_id, d.event_id, d.type, d.subject_type, d.subject_id,
            d.version, d.occurred_at, d.tries, d.attempts, d.due_at, e.url, e.secret, e.previous_secret,
            e.previous_until, e.failures > 0 as is_failing
          from unnest(${textArray(rooms.map(({ endpoint_id }) => endpoint_id))}, ${
            int4Array(rooms.map(({ room }) => room))
          }) r(endpoint_id, room)
          join webhook_endpoints e on e.id = r.endpoint_id
          cross join lateral (select x.* from webhook_deliveries x
            where x.endpoint_id = r.endpoint_id and x.status = 'pending' and x.due_at <= ${now}
              and x.id <> all(${textArray(busy)})
            order by x.due_at, x.id limit r.room) d
          order by d.due_at, d.id`.pipe(Effect.orDie),
        release: (hub, endpoints) =>
          sql`delete from webhook_leases where hub = ${hub} and endpoint_id = any(${textArray(endpoints)})`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        end: (attempts) =>
          sql<{ id: string }>`with ended as (select * from unnest(
              ${textArray(attempts.map(({ id }) => id))}, ${int4Array(attempts.map(({ before }) => before))},
              ${textArray(attempts.map(({ at }) => at.toISOString()))}::timestamptz[],
              ${int4Array(attempts.map(({ status }) => status))}, ${int4Array(attempts.map(({ millis }) => millis))},
              ${textArray(attempts.map(({ error }) => error))}, ${textArray(attempts.map(({ response }) => response))},
              ${textArray(attempts.map(({ outcome }) => outcome))},
              ${textArray(attempts.map(({ pauseSeconds }) => String(pauseSeconds)))}::double precision[]
            ) a(id, before, at, status, millis, error, response, outcome, pause)),
          stored as (update webhook_deliveries d set status = a.outcome, tries = d.tries + 1, attempts = d.attempts + 1,
            due_at = case when a.outcome = 'pending' then ${now} + a.pause * interval '1 second' end
            from ended a where d.id = a.id and d.attempts = a.before and d.status = 'pending'
            returning d.id, d.org_id, d.attempts)
          insert into webhook_attempts (delivery_id, number, org_id, at, status, millis, error, response)
          select a.id, s.attempts, s.org_id, a.at, a.status, a.millis, a.error, a.response
          from ended a join stored s on s.id = a.id
          returning delivery_id as id`.pipe(
            Effect.map((rows) => new Set(rows.map(({ id }) => id))),
            Effect.orDie
          ),
        count: (tallies) =>
          sql<{
            endpoint_id: string
            org_id: OrgId
            failures: number
            failing_since: Date | null
            now: Date
          }>`update webhook_endpoints e set
            failures = case when t.delivered then t.failed else e.failures + t.failed end,
            failing_since = case when t.failed = 0 then null
              when t.delivered or e.failing_since is null then ${now} else e.failing_since end
          from unnest(${textArray(tallies.map(({ endpoint_id }) => endpoint_id))}, ${
            int4Array(tallies.map(({ failed }) => failed))
          }, ${
            textArray(tallies.map(({ delivered }) => String(delivered)))
          }::boolean[]) t(endpoint_id, failed, delivered)
          where e.id = t.endpoint_id and (t.failed > 0 or e.failures > 0)
          returning e.id as endpoint_id, e.org_id, e.failures, e.failing_since, ${now} as now`
            .pipe(
              Effect.map((rows) =>
                rows.filter(({ failing_since, failures, now }) => isLost(failures, failing_since, now))
              ),
              Effect.orDie
            )
      })
    })
  )
}

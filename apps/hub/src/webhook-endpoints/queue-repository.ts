/** Due deliveries of all workspaces: hubs share them by leases, and store the ends of attempts. */
import type { WebhookDeliveryStatus } from "@countersign/domain/webhook-endpoints"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { int4Array, textArray } from "../platform/db.ts"
import { type EndpointTally, isLost, type MessageFacts } from "./rules.ts"
import type { SealedSecrets } from "./secrets.ts"

/** An endpoint with due deliveries, locked for the transaction. */
export interface OpenEndpoint {
  readonly endpoint_id: string
  /** Attempts in progress, on all hubs. */
  readonly in_progress: number
}

export interface ClaimedDelivery extends MessageFacts, SealedSecrets {
  readonly id: string
  readonly endpoint_id: string
  readonly url: string
  /** Ended attempts of the present schedule. */
  readonly tries: number
  readonly claim: number
  /** Its endpoint has failed since its last delivery. */
  readonly is_failing: boolean
}

/** The end of an attempt. */
export interface EndedAttempt {
  readonly id: string
  readonly org_id: string
  readonly endpoint_id: string
  readonly claim: number
  readonly at: Date
  /** Of the answer; null: none arrived. */
  readonly status: number | null
  readonly millis: number
  readonly error: string | null
  readonly response: string | null
  readonly outcome: WebhookDeliveryStatus
  /** For `pending`: the pause before the next attempt. */
  readonly pauseSeconds: number
  /** As of the claim. */
  readonly isFailing: boolean
}

export interface FailingEndpoint {
  readonly endpoint_id: string
  readonly org_id: string
}

export class WebhookQueueRepository extends Context.Service<WebhookQueueRepository, {
  /**
   * For the transaction: rows are found by index. A connection keeps plans that were made while a table was small, which
   * would scan the whole table.
   */
  readonly byIndex: Effect.Effect<void>
  /**
   * Locks enabled endpoints that have due deliveries and fewer than `share` attempts in progress, those first that wait
   * longest; without those that another transaction holds.
   */
  readonly lockOpen: (share: number, limit: number) => Effect.Effect<ReadonlyArray<OpenEndpoint>>
  /** Leases due deliveries of locked endpoints, for each endpoint at most as many as its `room`. */
  readonly claim: (
    rooms: ReadonlyArray<{ readonly endpoint_id: string; readonly room: number }>,
    leaseSeconds: number
  ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>>
  /** Stores the ends of attempts whose lease is still theirs; returns the ids of their deliveries. */
  readonly end: (attempts: ReadonlyArray<EndedAttempt>) => Effect.Effect<ReadonlySet<string>>
  /** Counts failures in a row; returns the endpoints that have failed for too long. */
  readonly count: (tallies: ReadonlyArray<EndpointTally>) => Effect.Effect<ReadonlyArray<FailingEndpoint>>
}>()("@countersign/hub/webhook-endpoints/WebhookQueueRepository") {
  static readonly layer = Layer.effect(
    WebhookQueueRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      // The time is a subquery, so that it is read once and not for each row.
      const isDue = sql.literal(
        `d.status = 'pending' and d.due_at <= (select hub_time_or_last())
          and (d.leased_until is null or d.leased_until <= (select hub_time_or_last()))`
      )
      return WebhookQueueRepository.of({
        byIndex: sql`select set_config('enable_seqscan', 'off', true)`.pipe(Effect.asVoid, Effect.orDie),
        // The recursion reads one row of the index for each endpoint, however many deliveries wait.
        lockOpen: (share, limit) =>
          sql<OpenEndpoint>`with recursive waiting(endpoint_id) as (
            (select d.endpoint_id from webhook_deliveries d where d.status = 'pending' order by d.endpoint_id limit 1)
            union all
            select (select d.endpoint_id from webhook_deliveries d
              where d.status = 'pending' and d.endpoint_id > w.endpoint_id order by d.endpoint_id limit 1)
            from waiting w where w.endpoint_id is not null)
          select e.id as endpoint_id, l.in_progress from waiting w
          join webhook_endpoints e on e.id = w.endpoint_id
          cross join lateral (select count(*)::int as in_progress from webhook_deliveries x
            where x.endpoint_id = w.endpoint_id and x.leased_until > (select hub_time_or_last())) l
          cross join lateral (select d.due_at from webhook_deliveries d
            where d.endpoint_id = w.endpoint_id and ${isDue} order by d.due_at limit 1) first
          where e.status = 'enabled' and e.deleted_at is null and l.in_progress < ${share}
          order by first.due_at limit ${limit} for no key update of e skip locked`.pipe(Effect.orDie),
        claim: (rooms, leaseSeconds) =>
          sql<ClaimedDelivery>`update webhook_deliveries t set claim = t.claim + 1,
            leased_until = (select hub_time_or_last()) + ${leaseSeconds}::int * interval '1 second'
          from unnest(${textArray(rooms.map(({ endpoint_id }) => endpoint_id))}, ${
            int4Array(rooms.map(({ room }) => room))
          }) r(endpoint_id, room)
          join webhook_endpoints e on e.id = r.endpoint_id
          cross join lateral (select d.id from webhook_deliveries d where d.endpoint_id = r.endpoint_id and ${isDue}
            order by d.due_at, d.id limit r.room) c
          where t.id = c.id and t.status = 'pending'
            and (t.leased_until is null or t.leased_until <= (select hub_time_or_last()))
          returning t.id, t.org_id, t.endpoint_id, t.event_id, t.type, t.subject_type, t.subject_id, t.version,
            t.occurred_at, t.tries, t.claim, e.url, e.secret, e.previous_secret, e.previous_until,
            e.failures > 0 as is_failing`.pipe(Effect.orDie),
        end: (attempts) =>
          sql<{ id: string }>`with ended as (select * from unnest(
              ${textArray(attempts.map(({ id }) => id))}, ${int4Array(attempts.map(({ claim }) => claim))},
              ${textArray(attempts.map(({ at }) => at.toISOString()))}::timestamptz[],
              ${int4Array(attempts.map(({ status }) => status))}, ${int4Array(attempts.map(({ millis }) => millis))},
              ${textArray(attempts.map(({ error }) => error))}, ${textArray(attempts.map(({ response }) => response))},
              ${textArray(attempts.map(({ outcome }) => outcome))},
              ${textArray(attempts.map(({ pauseSeconds }) => String(pauseSeconds)))}::double precision[]
            ) a(id, claim, at, status, millis, error, response, outcome, pause)),
          stored as (update webhook_deliveries d set status = a.outcome, tries = d.tries + 1, leased_until = null,
            due_at = case when a.outcome = 'pending' then (select hub_time_or_last()) + a.pause * interval '1 second' end
            from ended a where d.id = a.id and d.claim = a.claim and d.leased_until is not null
            returning d.id, d.org_id)
          insert into webhook_attempts (delivery_id, number, org_id, at, status, millis, error, response)
          select a.id, a.claim, s.org_id, a.at, a.status, a.millis, a.error, a.response
          from ended a join stored s on s.id = a.id
          returning delivery_id as id`.pipe(
            Effect.map((rows) => new Set(rows.map(({ id }) => id))),
            Effect.orDie
          ),
        count: (tallies) =>
          sql<{
            endpoint_id: string
            org_id: string
            failures: number
            failing_since: Date | null
            now: Date
          }>`update webhook_endpoints e set
            failures = case when t.delivered then t.failed else e.failures + t.failed end,
            failing_since = case when t.failed = 0 then null
              when t.delivered or e.failing_since is null then (select hub_time_or_last()) else e.failing_since end
          from unnest(${textArray(tallies.map(({ endpoint_id }) => endpoint_id))}, ${
            int4Array(tallies.map(({ failed }) => failed))
          }, ${
            textArray(tallies.map(({ delivered }) => String(delivered)))
          }::boolean[]) t(endpoint_id, failed, delivered)
          where e.id = t.endpoint_id and (t.failed > 0 or e.failures > 0)
          returning e.id as endpoint_id, e.org_id, e.failures, e.failing_since, (select hub_time_or_last()) as now`
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

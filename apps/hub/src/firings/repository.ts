/**
 * Firings of all workspaces: runs of schedules and deliveries of webhooks. A firing is stored with the id of its
 * request, and with what it submits until the request has begun.
 */
import type {
  AgentId,
  DeliveryId,
  OrgId,
  ScheduleId,
  ScheduleRunId,
  ServiceRequestId,
  TriggerId
} from "@countersign/domain/ids"
import { Array as Arr, Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"

export type FiringStatus = "fired" | "queued" | "skipped" | "missed" | "refused"
export type FiringOutcome = "executed" | "blocked" | "failed"

/** What a firing submits. */
export interface Action {
  readonly service: string
  readonly operation: string
  /** JSON. */
  readonly payload: string
}

export interface NewFiring {
  readonly id: string
  readonly org_id: OrgId
  readonly agent_id: AgentId
  readonly schedule_id: string | null
  readonly trigger_id: string | null
  readonly due_at: Date | null
  readonly manual: boolean
  readonly delivery_id: string | null
  readonly digest: Uint8Array | null
  readonly status: FiringStatus
  readonly missed: number | null
  /** For `fired`. */
  readonly request_id: ServiceRequestId | null
  readonly submits: Action | null
  /** JSON, for `refused`. */
  readonly error?: string | null
  /** The hub that submits it. */
  readonly owner: number | null
  readonly created_at: Date
}

/** A firing whose request may not have begun. */
export interface UnsentFiring extends Action {
  readonly id: string
  readonly org_id: OrgId
  readonly agent_id: AgentId
  readonly schedule_id: ScheduleId | null
  /** Of the webhook, or of the schedule. */
  readonly trigger_id: TriggerId | null
  readonly request_id: ServiceRequestId
}

export interface FiringRow {
  readonly id: string
  readonly due_at: Date | null
  readonly delivery_id: string | null
  readonly digest: Uint8Array | null
  readonly status: FiringStatus
  readonly missed: number | null
  readonly request_id: ServiceRequestId | null
  readonly error: string | null
  readonly outcome: FiringOutcome | null
  readonly created_at: Date
}

export interface FiringFilter {
  readonly schedule: string | undefined
  readonly trigger: string | undefined
  readonly status: FiringStatus | undefined
  readonly before: string | undefined
  readonly limit: number
}

export interface EndedFiring {
  readonly id: string
  readonly org_id: OrgId
  readonly schedule_id: string | null
  readonly outcome: FiringOutcome
  readonly reason_code: string | null
}

/** An earlier firing with the same delivery id. */
export interface EarlierDelivery {
  readonly id: DeliveryId
  readonly digest: Uint8Array
  readonly status: FiringStatus
  readonly request_id: ServiceRequestId | null
  /** JSON, for `refused`. */
  readonly error: string | null
  /** Its request may not have begun. */
  readonly is_unsent: boolean
}

/** The longest pause between two reads of a request that is open. */
const checkSecondsMax = 60

/** Firings that a hub submits, and firings whose request may have ended. */
export const dueFirings = [
  "select from firings where owner is not null",
  "select from firings where check_at <= hub_time_or_last()"
]

export class FiringsRepository extends Context.Service<FiringsRepository, {
  /** Inserts firings, without those whose due time or delivery id has one. Returns the ids of the inserted. */
  readonly insert: (firings: ReadonlyArray<NewFiring>) => Effect.Effect<ReadonlySet<string>>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<FiringRow>>
  /** Newest first; one more than `limit` when there are more. */
  readonly list: (org: OrgId, filter: FiringFilter) => Effect.Effect<ReadonlyArray<FiringRow>>
  /** The newest firing of each of these schedules. */
  readonly latest: (
    org: OrgId,
    schedules: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, FiringRow>>
  /** When each of these triggers, or their schedules, last fired. */
  readonly lastFired: (org: OrgId, triggers: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Date>>
  readonly delivery: (org: OrgId, trigger: string, deliveryId: string) => Effect.Effect<Option.Option<EarlierDelivery>>
  /** Gives a refused delivery a new request; false when another call did. */
  readonly reuse: (
    org: OrgId,
    id: string,
    again: Pick<NewFiring, "request_id" | "submits" | "owner" | "digest" | "agent_id">
  ) => Effect.Effect<boolean>
  /** The request has begun: nothing is left to submit. */
  readonly begun: (id: string) => Effect.Effect<void>
  /** Dispatch did not take it; false when it has ended before. */
  readonly refuse: (id: string, error: string) => Effect.Effect<boolean>
  /** Takes what ended owners left to submit. */
  readonly takeOrphans: (me: number, limit: number) => Effect.Effect<ReadonlyArray<UnsentFiring>>
  /** What this owner has left to submit for a while, without these firings. */
  readonly strandedExcept: (
    me: number,
    active: ReadonlyArray<string>,
    limit: number
  ) => Effect.Effect<ReadonlyArray<UnsentFiring>>
  /** Stores the outcomes of settled requests; returns each firing once over all hubs. */
  readonly end: (limit: number) => Effect.Effect<ReadonlyArray<EndedFiring>>
  /** Deletes ended firings that are older than so many days; returns their number. */
  readonly remove: (source: "schedule" | "webhook", days: number, limit: number) => Effect.Effect<number>
  /** Deletes schedules and triggers that were deleted before, once their firings are gone. */
  readonly removeSources: (days: number, limit: number) => Effect.Effect<void>
}>()("@countersign/hub/firings/FiringsRepository") {
  static readonly layer = Layer.effect(
    FiringsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        "f.id, f.due_at, f.delivery_id, f.digest, f.status, f.missed, f.request_id, f.error, f.outcome, f.created_at"
      )
      const unsent = sql.literal(
        `f.id, f.org_id, f.agent_id, f.schedule_id, f.request_id, f.service, f.operation, f.payload,
        coalesce(f.trigger_id, (select s.trigger_id from schedules s where s.id = f.schedule_id)) as trigger_id`
      )
      return FiringsRepository.of({
        insert: (firings) => {
          const rows: ReadonlyArray<Record<string, unknown>> = firings.map(({ error = null, submits, ...firing }) => ({
            ...firing,
            error,
            service: submits?.service ?? null,
            operation: submits?.operation ?? null,
            payload: submits?.payload ?? null
          }))
          return Arr.isReadonlyArrayNonEmpty(rows)
            ? sql<{ id: string }>`insert into firings ${sql.insert(rows)} on conflict do nothing returning id`.pipe(
              Effect.map((inserted) => new Set(inserted.map(({ id }) => id))),
              Effect.orDie
            )
            : Effect.succeed(new Set<string>())
        },
        find: (org, id) =>
          sql<FiringRow>`select ${columns} from firings f where f.org_id = ${org} and f.id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        list: (org, { before, limit, schedule, status, trigger }) =>
          sql<FiringRow>`select ${columns} from firings f where f.org_id = ${org} and ${
            sql.and([
              schedule === undefined ? sql`f.trigger_id = ${trigger ?? ""}` : sql`f.schedule_id = ${schedule}`,
              ...(status === undefined ? [] : [sql`f.status = ${status}`]),
              ...(before === undefined ? [] : [sql`f.id < ${before}`])
            ])
          } order by f.id desc limit ${limit + 1}`.pipe(Effect.orDie),
        latest: (org, schedules) =>
          sql<FiringRow & { schedule_id: string }>`select s.id as schedule_id, f.* from unnest(${
            textArray([...schedules])
          }) s(id) cross join lateral (
            select ${columns} from firings f where f.org_id = ${org} and f.schedule_id = s.id order by f.id desc limit 1) f`
            .pipe(
              Effect.map((rows) => new Map(rows.map(({ schedule_id, ...row }) => [schedule_id, row]))),
              Effect.orDie
            ),
        lastFired: (org, triggers) =>
          sql<{ trigger_id: string; at: Date }>`select t.id as trigger_id, greatest(
            (select f.created_at from firings f where f.org_id = ${org} and f.trigger_id = t.id and f.status = 'fired'
              order by f.id desc limit 1),
            (select f.created_at from firings f join schedules s on s.id = f.schedule_id
              where s.trigger_id = t.id and f.org_id = ${org} and f.status = 'fired' order by f.id desc limit 1)) as at
          from unnest(${textArray([...triggers])}) t(id)`.pipe(
            Effect.map((rows) =>
              new Map(rows.flatMap(({ at, trigger_id }) => at === null ? [] : [[trigger_id, at] as const]))
            ),
            Effect.orDie
          ),
        delivery: (org, trigger, deliveryId) =>
          sql<EarlierDelivery>`select id, digest, status, request_id, error, owner is not null as is_unsent from firings
          where org_id = ${org} and trigger_id = ${trigger} and delivery_id = ${deliveryId}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        reuse: (org, id, { agent_id, digest, owner, request_id, submits }) =>
          sql`update firings set status = 'fired', error = null, agent_id = ${agent_id}, request_id = ${request_id},
            owner = ${owner}, digest = ${digest}, service = ${submits?.service ?? null}, operation = ${
            submits?.operation ?? null
          }, payload = ${submits?.payload ?? null}
          where org_id = ${org} and id = ${id} and status = 'refused' returning id`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        begun: (id) =>
          sql`update firings set owner = null, service = null, operation = null, payload = null,
            check_at = hub_time_or_last() + interval '1 second' where id = ${id} and owner is not null`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        refuse: (id, error) =>
          sql`update firings set status = 'refused', error = ${error}, request_id = null, owner = null, service = null,
            operation = null, payload = null, check_at = null where id = ${id} and owner is not null returning id`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        takeOrphans: (me, limit) =>
          sql<UnsentFiring>`update firings f set owner = ${me} where f.id in (
            select x.id from firings x join owners o on o.num = x.owner where o.ended and o.num <> ${me}
            order by x.id limit ${limit} for update of x skip locked)
          returning ${unsent}`.pipe(Effect.orDie),
        strandedExcept: (me, active, limit) =>
          sql<UnsentFiring>`select ${unsent} from firings f where f.owner = ${me} and f.id <> all(${
            textArray([...active])
          }) and f.created_at < hub_time_or_last() - interval '5 seconds' order by f.id limit ${limit}`.pipe(
            Effect.orDie
          ),
        end: (limit) =>
          sql<EndedFiring>`with due as (
            select f.id, x.status, x.reason_code from firings f
            left join settlements x on x.org_id = f.org_id and x.request_id = f.request_id
            where f.check_at <= hub_time_or_last() order by f.check_at limit ${limit} for update of f skip locked)
          , moved as (
            update firings f set outcome = due.status,
              check_at = case when due.status is null then hub_time_or_last() + interval '1 second' * least(${checkSecondsMax},
                greatest(1, extract(epoch from hub_time_or_last() - f.created_at))) end
            from due where f.id = due.id
            returning f.id, f.org_id, f.schedule_id, f.outcome, due.reason_code)
          select * from moved where outcome is not null`.pipe(Effect.orDie),
        // A clock in doubt removes nothing: its time is null.
        remove: (source, days, limit) =>
          sql`delete from firings where id in (
            select id from firings where created_at < hub_time_or_null() - make_interval(days => ${days})
              and owner is null and status <> 'queued' and check_at is null
              and ${source === "schedule" ? sql`schedule_id is not null` : sql`trigger_id is not null`}
            order by created_at limit ${limit})
          returning id`.pipe(Effect.map((rows) => rows.length), Effect.orDie),
        removeSources: (days, limit) =>
          Effect.gen(function*() {
            yield* sql`delete from schedules where id in (
              select s.id from schedules s where s.deleted_at < hub_time_or_null() - make_interval(days => ${days})
                and not exists (select 1 from firings f where f.schedule_id = s.id) limit ${limit})`
            yield* sql`delete from triggers where id in (
              select t.id from triggers t where t.deleted_at < hub_time_or_null() - make_interval(days => ${days})
                and not exists (select 1 from firings f where f.trigger_id = t.id)
                and not exists (select 1 from schedules s where s.trigger_id = t.id) limit ${limit})`
          }).pipe(Effect.orDie)
      })
    })
  )
}

/** The ids of firings, by source. */
export type FiringId = ScheduleRunId | DeliveryId

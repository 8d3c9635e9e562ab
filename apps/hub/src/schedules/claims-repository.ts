/** Due work of the schedules of all workspaces, claimed with `skip locked` so that hubs share it. */
import type { AgentId, OrgId, ScheduleId, TriggerId } from "@countersign/domain/ids"
import type { CatchUp, Overlap } from "@countersign/domain/scheduled-tasks"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Action } from "../firings/repository.ts"
import { int4Array, textArray } from "../platform/db.ts"
import type { Tally } from "./rules.ts"

/** The fields that decide when a schedule fires. */
export interface TimedRow {
  readonly id: ScheduleId
  readonly cron: string
  readonly timezone: string
  readonly jitter_seconds: number
}

export interface ClaimedRow extends TimedRow {
  readonly org_id: OrgId
  readonly agent_id: AgentId
  readonly trigger_id: TriggerId | null
  /** JSON. */
  readonly action: string
  /** Firings whose request has not ended, and queued ones. */
  readonly open: number
  readonly queued: number
}

export interface DueSchedule extends ClaimedRow {
  readonly due_at: Date
  readonly catch_up: CatchUp
  readonly overlap: Overlap
}

export interface QueuedFiring extends ClaimedRow {
  readonly firing_id: string
}

export interface TimedSchedule extends TimedRow {
  readonly due_at: Date
}

/** The next due time of a schedule; null: none. */
export interface Advance {
  readonly id: string
  readonly due: Date | null
  readonly fire: Date | null
}

export interface FailingSchedule {
  readonly id: string
  readonly org_id: OrgId
}

export const dueSchedules = [
  "select from schedules where fire_at <= hub_time_or_last()",
  "select from firings where status = 'queued'",
  "select from schedules where status = 'active' and failures >= 20 and deleted_at is null"
]

export class ClaimsRepository extends Context.Service<ClaimsRepository, {
  /** Null while the clock is in doubt. */
  readonly now: Effect.Effect<Date | null>
  /** Locks schedules whose firing is due until the transaction ends, without those that another transaction holds. */
  readonly due: (now: Date, limit: number) => Effect.Effect<ReadonlyArray<DueSchedule>>
  /** Locks one schedule, and waits for it. */
  readonly one: (org: OrgId, id: string) => Effect.Effect<DueSchedule | undefined>
  /** Sets the next due times of schedules that the caller has locked. */
  readonly advance: (next: ReadonlyArray<Advance>) => Effect.Effect<void>
  /** Locks queued firings without an open firing before them. */
  readonly released: (limit: number) => Effect.Effect<ReadonlyArray<QueuedFiring>>
  readonly release: (firing: string, owner: number, request: string, submits: Action) => Effect.Effect<void>
  /** Adds failures in a row. */
  readonly count: (tallies: ReadonlyArray<Tally>) => Effect.Effect<void>
  /** Active schedules with this many failures in a row. */
  readonly failing: (failures: number, limit: number) => Effect.Effect<ReadonlyArray<FailingSchedule>>
  /** Active schedules that are due after `now`, in order of id. */
  readonly upcoming: (now: Date, after: string, limit: number) => Effect.Effect<ReadonlyArray<TimedSchedule>>
  /** Sets the next due time if it is still `from`. */
  readonly correct: (from: Date, next: Advance) => Effect.Effect<void>
}>()("@countersign/hub/schedules/ClaimsRepository") {
  static readonly layer = Layer.effect(
    ClaimsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        `s.id, s.org_id, s.agent_id, s.trigger_id, s.action, s.cron, s.timezone, s.catch_up, s.overlap, s.jitter_seconds,
          s.due_at`
      )
      const counts = sql.literal(`cross join lateral (
        select count(*) filter (where f.status = 'fired')::int as open,
          count(*) filter (where f.status = 'queued')::int as queued
        from firings f
        where f.schedule_id = s.id and f.outcome is null and f.status in ('fired', 'queued') and not exists (
          select 1 from settlements x where x.org_id = f.org_id and x.request_id = f.request_id)) o`)
      return ClaimsRepository.of({
        now: sql<{ now: Date | null }>`select hub_time_or_null() as now`.pipe(
          Effect.map(([row]) => row?.now ?? null),
          Effect.orDie
        ),
        due: (now, limit) =>
          sql<DueSchedule>`select ${columns}, o.open, o.queued from (
            select * from schedules where fire_at <= ${now} order by fire_at limit ${limit} for update skip locked) s
          ${counts}`.pipe(Effect.orDie),
        one: (org, id) =>
          sql<DueSchedule>`select ${columns}, o.open, o.queued from (
            select * from schedules where org_id = ${org} and id = ${id} and deleted_at is null for update) s
          ${counts}`.pipe(Effect.map(([row]) => row), Effect.orDie),
        advance: (next) =>
          sql`update schedules s set due_at = u.due, fire_at = u.fire from unnest(${
            textArray(next.map(({ id }) => id))
          },
            ${textArray(next.map(({ due }) => due?.toISOString() ?? null))}::timestamptz[],
            ${textArray(next.map(({ fire }) => fire?.toISOString() ?? null))}::timestamptz[]) u(id, due, fire)
          where s.id = u.id`.pipe(Effect.asVoid, Effect.orDie),
        released: (limit) =>
          sql<
            QueuedFiring
          >`with q as (select f.id as firing_id, s.* from firings f join schedules s on s.id = f.schedule_id
            where f.status = 'queued' and not exists (select 1 from firings e
              where e.schedule_id = s.id and e.status = 'fired' and e.outcome is null and not exists (
                select 1 from settlements x where x.org_id = e.org_id and x.request_id = e.request_id))
            order by f.id limit ${limit} for update of s, f skip locked)
          select s.firing_id, s.id, s.org_id, s.agent_id, s.trigger_id, s.action, s.cron, s.timezone, s.jitter_seconds,
            0 as open, 1 as queued from q s`.pipe(Effect.orDie),
        release: (firing, owner, request, { operation, payload, service }) =>
          sql`update firings set status = 'fired', request_id = ${request}, owner = ${owner}, service = ${service},
            operation = ${operation}, payload = ${payload} where id = ${firing} and status = 'queued'`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        count: (tallies) =>
          sql`update schedules s set failures = case when u.resets then 0 else s.failures end + u.failed
          from unnest(${textArray(tallies.map(({ id }) => id))}, ${
            textArray(tallies.map(({ resets }) => String(resets)))
          }::boolean[], ${int4Array(tallies.map(({ failed }) => failed))}) u(id, resets, failed)
          where s.id = u.id`.pipe(Effect.asVoid, Effect.orDie),
        failing: (failures, limit) =>
          sql<FailingSchedule>`select id, org_id from schedules
          where status = 'active' and failures >= 20 and failures >= ${failures} and deleted_at is null
          order by id limit ${limit}`.pipe(Effect.orDie),
        upcoming: (now, after, limit) =>
          sql<TimedSchedule>`select id, cron, timezone, jitter_seconds, due_at from schedules
          where id > ${after} and due_at > ${now} order by id limit ${limit}`.pipe(Effect.orDie),
        correct: (from, { due, fire, id }) =>
          sql`update schedules set due_at = ${due}, fire_at = ${fire} where id = ${id} and due_at = ${from}`.pipe(
            Effect.asVoid,
            Effect.orDie
          )
      })
    })
  )
}

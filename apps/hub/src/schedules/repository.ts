/** Schedules of a workspace: scheduled tasks, and the expressions of cron triggers. */
import type { AgentId, OrgId, ScheduleId, TriggerId } from "@countersign/domain/ids"
import type { CatchUp, Overlap, PauseReason, ScheduleStatus } from "@countersign/domain/scheduled-tasks"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Mutable } from "effect/Types"

export interface ScheduleRow {
  readonly id: ScheduleId
  readonly agent_id: AgentId
  /** The owner of the agent. */
  readonly owner_user_id: string | null
  readonly team_id: string | null
  readonly trigger_id: TriggerId | null
  readonly name: string
  /** JSON. */
  readonly action: string
  readonly cron: string
  readonly timezone: string
  readonly catch_up: CatchUp
  readonly overlap: Overlap
  readonly jitter_seconds: number
  readonly status: ScheduleStatus
  readonly paused_by: PauseReason | null
  readonly failures: number
  readonly due_at: Date | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** The columns that a create or an edit sets. */
export interface ScheduleChange {
  readonly agent_id: AgentId
  readonly name: string
  readonly action: string
  readonly cron: string
  readonly timezone: string
  readonly catch_up: CatchUp
  readonly overlap: Overlap
  readonly jitter_seconds: number
  readonly status: ScheduleStatus
  readonly paused_by: PauseReason | null
  readonly failures: number
  readonly due_at: Date | null
  readonly fire_at: Date | null
}

export interface ScheduleFilter {
  readonly agent: AgentId | undefined
  /** The owner of the agents. */
  readonly owner: string | undefined
  readonly status: ScheduleStatus | undefined
  readonly before: string | undefined
  readonly limit: number
}

export interface OwnedSchedule {
  readonly id: ScheduleId
  readonly trigger_id: TriggerId | null
  readonly agent_id: AgentId
}

export class SchedulesRepository extends Context.Service<SchedulesRepository, {
  readonly insert: (
    org: OrgId,
    id: string,
    trigger: string | null,
    schedule: ScheduleChange,
    at: Date
  ) => Effect.Effect<void>
  /** A schedule that is not deleted. */
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<ScheduleRow>>
  readonly ofTrigger: (org: OrgId, trigger: string) => Effect.Effect<Option.Option<ScheduleRow>>
  readonly ofTriggers: (org: OrgId, triggers: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ScheduleRow>>
  /** Scheduled tasks, newest first; one more than `limit` when there are more. */
  readonly list: (org: OrgId, filter: ScheduleFilter) => Effect.Effect<ReadonlyArray<ScheduleRow>>
  readonly count: (org: OrgId) => Effect.Effect<number>
  readonly update: (org: OrgId, id: string, change: Partial<ScheduleChange>, at: Date) => Effect.Effect<void>
  readonly remove: (org: OrgId, id: string, at: Date) => Effect.Effect<void>
  /** Skips queued runs; call it with the row's change in one transaction. */
  readonly skipQueued: (ids: ReadonlyArray<string>) => Effect.Effect<void>
  /** Shows the pause of a schedule at its trigger. */
  readonly pauseTrigger: (org: OrgId, trigger: string, reason: PauseReason, at: Date) => Effect.Effect<void>
  readonly ofAgent: (org: OrgId, agent: AgentId) => Effect.Effect<ReadonlyArray<OwnedSchedule>>
  /** Active schedules of the agents that a person owns. */
  readonly activeOfOwner: (org: OrgId, user: string) => Effect.Effect<ReadonlyArray<OwnedSchedule>>
}>()("@countersign/hub/schedules/SchedulesRepository") {
  static readonly layer = Layer.effect(
    SchedulesRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rows = (org: OrgId) =>
        sql`select s.id, s.agent_id, a.owner_user_id, a.team_id, s.trigger_id, s.name, s.action, s.cron, s.timezone,
          s.catch_up, s.overlap, s.jitter_seconds, s.status, s.paused_by, s.failures, s.due_at, s.version, s.created_at,
          s.updated_at
        from schedules s join agents a on a.id = s.agent_id
        where s.org_id = ${org} and s.deleted_at is null`
      const first = (statement: Effect.Effect<ReadonlyArray<ScheduleRow>, unknown>) =>
        statement.pipe(Effect.map(([row]) => Option.fromNullishOr(row)), Effect.orDie)
      return SchedulesRepository.of({
        insert: (org, id, trigger, schedule, at) => {
          const rest = { ...schedule, trigger_id: trigger, created_at: at, updated_at: at }
          return sql`insert into schedules ${sql.insert({ org_id: org, id, ...rest })}`.pipe(
            Effect.asVoid,
            Effect.orDie
          )
        },
        find: (org, id) => first(sql<ScheduleRow>`${rows(org)} and s.id = ${id}`),
        ofTrigger: (org, trigger) => first(sql<ScheduleRow>`${rows(org)} and s.trigger_id = ${trigger}`),
        ofTriggers: (org, triggers) =>
          triggers.length === 0
            ? Effect.succeed([])
            : sql<ScheduleRow>`${rows(org)} and ${sql.in("s.trigger_id", [...triggers])}`.pipe(Effect.orDie),
        list: (org, { agent, before, limit, owner, status }) =>
          sql<ScheduleRow>`${rows(org)} and ${
            sql.and([
              sql`s.trigger_id is null`,
              ...(agent === undefined ? [] : [sql`s.agent_id = ${agent}`]),
              ...(owner === undefined ? [] : [sql`a.owner_user_id = ${owner}`]),
              ...(status === undefined ? [] : [sql`s.status = ${status}`]),
              ...(before === undefined ? [] : [sql`s.id < ${before}`])
            ])
          } order by s.id desc limit ${limit + 1}`.pipe(Effect.orDie),
        count: (org) =>
          sql<{ n: number }>`select count(*)::int as n from schedules where org_id = ${org} and deleted_at is null`
            .pipe(
              Effect.map(([row]) => row?.n ?? 0),
              Effect.orDie
            ),
        update: (org, id, change, at) => {
          const changed: Mutable<Partial<ScheduleChange>> = { ...change }
          return sql`update schedules set ${sql.update(changed)}, version = version + 1, updated_at = ${at}
          where org_id = ${org} and id = ${id} and deleted_at is null`.pipe(Effect.asVoid, Effect.orDie)
        },
        remove: (org, id, at) =>
          sql`update schedules set deleted_at = ${at}, updated_at = ${at}, due_at = null, fire_at = null
          where org_id = ${org} and id = ${id} and deleted_at is null`.pipe(Effect.asVoid, Effect.orDie),
        skipQueued: (ids) =>
          ids.length === 0
            ? Effect.void
            : sql`update firings set status = 'skipped' where ${sql.in("schedule_id", [...ids])} and status = 'queued'`
              .pipe(Effect.asVoid, Effect.orDie),
        pauseTrigger: (org, trigger, reason, at) =>
          sql`update triggers set status = 'paused', paused_by = ${reason}, version = version + 1, updated_at = ${at}
          where org_id = ${org} and id = ${trigger} and status = 'active'`.pipe(Effect.asVoid, Effect.orDie),
        ofAgent: (org, agent) =>
          sql<OwnedSchedule>`select id, trigger_id, agent_id from schedules
          where org_id = ${org} and agent_id = ${agent} and deleted_at is null order by id`.pipe(Effect.orDie),
        activeOfOwner: (org, user) =>
          sql<OwnedSchedule>`select s.id, s.trigger_id, s.agent_id from schedules s join agents a on a.id = s.agent_id
          where s.org_id = ${org} and a.owner_user_id = ${user} and a.kind <> 'yupi' and s.status = 'active'
            and s.deleted_at is null order by s.id`.pipe(Effect.orDie)
      })
    })
  )
}

/** The rows of runs as the engine reads and saves them. A save with an older epoch writes nothing. */
import type { AgentId, OrgId, ServiceRequestId } from "@countersign/domain/ids"
import type { WorkflowDefinition } from "@countersign/domain/workflow-definition"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"
import { WarmConnections } from "../platform/warm-connections.ts"
import type { OwnedWorkflow } from "../workflows/rules.ts"
import { type OwnedRun, runFlags, type RunRow, type StepRow, toRecord, toState } from "./records.ts"

/** A start as `start_runs` takes it. `limits` are those of its parent; its budget is added to them. */
export interface NewRun extends
  Pick<
    RunRow,
    | "org_id"
    | "workflow_id"
    | "version_id"
    | "agent_id"
    | "mode"
    | "source_type"
    | "source_id"
    | "source_name"
    | "parent_run_id"
    | "request_id"
    | "root_id"
    | "ancestors"
    | "depth"
    | "status"
    | "max_cost_cents"
    | "limits"
  >
{
  readonly run_id: string
  /** Its length; the deadline is that long after the start. */
  readonly days: number
  /** 0: nobody, it is due at once. */
  readonly owner: number
  /** Milliseconds since 1970; null: at once. */
  readonly due_at: number | null
  readonly audit_id: string
  readonly actor: string
  readonly ip: string | null
  /** JSON, of the audit entry. */
  readonly data: string
}

export interface StartedRow {
  readonly run: string
  /** -1: the workspace is locked, and nothing was written. */
  readonly epoch: number
  readonly at: Date
  readonly deadlineAt: Date
  readonly limits: ReadonlyArray<number>
}

/** The JSON and the texts of `start_runs` and `save_runs`. */
export interface SaveBatch {
  readonly saves: unknown
  readonly texts: ReadonlyArray<string>
}

export interface SavedRow {
  readonly run: string
  /** 0: released; -1: the workspace is locked, and nothing was written. */
  readonly owner: number
  readonly flags: number
  /** The database's time in milliseconds. */
  readonly at: number
}

export interface ClaimedRun {
  readonly run_id: string
  readonly org_id: OrgId
  readonly epoch: number
}

/** A run, and what decides who sees its workflow, which may be deleted. */
export type RunOfWorkflow = RunRow & OwnedWorkflow

export interface SettledRun {
  readonly org_id: OrgId
  readonly id: string
  readonly request_id: ServiceRequestId
}

/** Runs that have not ended. */
export const openRuns = "select from run_work"
/** Open requests of `workflow.run_workflow`. */
export const openRunRequests = "select from holds where service = 'workflow' and phase = 2"

export class RunsRepository extends Context.Service<RunsRepository, {
  /** Starts runs in one statement. Those that exist already are absent from the answer. */
  readonly start: (batch: SaveBatch, wait: boolean) => Effect.Effect<ReadonlyArray<StartedRow>>
  readonly save: (batch: SaveBatch, wait: boolean) => Effect.Effect<ReadonlyArray<SavedRow>>
  readonly load: (claimed: ClaimedRun) => Effect.Effect<Option.Option<OwnedRun>>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<RunOfWorkflow>>
  readonly steps: (org: OrgId, id: string) => Effect.Effect<ReadonlyArray<StepRow>>
  readonly definition: (org: OrgId, version: string) => Effect.Effect<Option.Option<WorkflowDefinition>>
  /** Runs without an owner that are due, and those of owners that ended. Claims them for `owner`. */
  readonly claim: (owner: number, limit: number) => Effect.Effect<ReadonlyArray<ClaimedRun>>
  /** Claims a run that has ended, so that it can be repeated; undefined while it is claimed. */
  readonly claimEnded: (org: OrgId, id: string, owner: number) => Effect.Effect<ClaimedRun | undefined>
  /** Own runs that were flagged. */
  readonly flagged: (
    owner: number
  ) => Effect.Effect<ReadonlyArray<{ readonly run_id: string; readonly flags: number }>>
  /** Own runs that no actor of this process drives. */
  readonly stranded: (
    owner: number,
    active: ReadonlyArray<string>,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ClaimedRun>>
  /** Flags the runs that wait for one of these effects. */
  readonly wake: (
    refs: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<{ readonly run_id: string; readonly owner: number }>>
  /** Flags runs of which an awaited effect has ended: all, or these. */
  readonly wakeEnded: (
    runs?: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<{ readonly run_id: string; readonly owner: number }>>
  /** Flags one run. */
  readonly wakeRun: (org: OrgId, id: string) => Effect.Effect<void>
  /** Flags an open run; false when it has none. */
  readonly flag: (org: OrgId, id: string, flag: number) => Effect.Effect<boolean>
  /** Whether this epoch still owns the run; locks its row until the transaction ends. */
  readonly owns: (org: OrgId, id: string, epoch: number) => Effect.Effect<boolean>
  /** Gives all runs of an owner back. */
  readonly release: (owner: number, runs: ReadonlyArray<string>) => Effect.Effect<void>
  /** Ended runs whose request of `workflow.run_workflow` still runs. */
  readonly unsettled: (limit: number) => Effect.Effect<ReadonlyArray<SettledRun>>
  /** Requests of `workflow.run_workflow` whose hub died before it stored the run. */
  readonly unstarted: (limit: number) => Effect.Effect<ReadonlyArray<ServiceRequestId>>
  /** Runs of a workflow that have not ended. */
  readonly openOf: (
    org: OrgId,
    workflow: string
  ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly agent_id: AgentId }>>
  readonly costOf: (org: OrgId, id: string) => Effect.Effect<number>
  readonly waitingCount: Effect.Effect<number>
}>()("@countersign/hub/runs/RunsRepository") {
  static readonly layer = Layer.effect(
    RunsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const warm = yield* WarmConnections
      const runs = sql`select r.*, a.name as agent_name, w.visibility, w.team_id, w.owner_user_id from runs r
        join agents a on a.org_id = r.org_id and a.id = r.agent_id
        join workflows w on w.org_id = r.org_id and w.id = r.workflow_id`
      const wakeBits = runFlags.wake

      const find = (org: OrgId, id: string) =>
        sql<RunOfWorkflow>`${runs} where r.org_id = ${org} and r.id = ${id}`.pipe(
          Effect.map(([row]) => Option.fromUndefinedOr(row)),
          Effect.orDie
        )
      const steps = (org: OrgId, id: string) =>
        sql<StepRow>`select * from run_steps where org_id = ${org} and run_id = ${id}`.pipe(Effect.orDie)

      return RunsRepository.of({
        start: ({ saves, texts }, wait) =>
          warm.query<{
            started_run_id: string
            started_epoch: number
            started_at: Date
            started_deadline_at: Date
            started_limits: ReadonlyArray<number>
          }>("select * from start_runs($1::text::json, $2, $3)", [JSON.stringify(saves), textArray(texts), wait]).pipe(
            Effect.map((rows) =>
              rows.map((row) => ({
                run: row.started_run_id,
                epoch: row.started_epoch,
                at: row.started_at,
                deadlineAt: row.started_deadline_at,
                limits: row.started_limits.map(Number)
              }))
            ),
            Effect.orDie
          ),
        save: ({ saves, texts }, wait) =>
          warm.query<{ saved_run_id: string; saved_owner: number; saved_flags: number; saved_at: number }>(
            "select * from save_runs($1::text::json, $2, $3)",
            [JSON.stringify(saves), textArray(texts), wait]
          ).pipe(
            Effect.map((rows) =>
              rows.map((row) => ({
                run: row.saved_run_id,
                owner: row.saved_owner,
                flags: row.saved_flags,
                at: row.saved_at
              }))
            ),
            Effect.orDie
          ),
        load: Effect.fnUntraced(function*({ epoch, org_id: org, run_id: id }) {
          const row = yield* find(org, id)
          const [work] = yield* sql<{ flags: number; rev: number }>`select flags, rev from run_work
          where org_id = ${org} and run_id = ${id} and epoch = ${BigInt(epoch)}::bigint`
          if (Option.isNone(row) || work === undefined) return Option.none()
          return Option.some({
            run: toRecord(row.value),
            state: toState(row.value, yield* steps(org, id)),
            rev: work.rev,
            epoch,
            flags: work.flags
          })
        }, Effect.orDie),
        find,
        steps,
        definition: (org, version) =>
          sql<{ definition: string }>`select definition::text as definition from workflow_versions
          where org_id = ${org} and id = ${version}`.pipe(
            Effect.map(([row]) =>
              row === undefined ? Option.none() : Option.some(JSON.parse(row.definition) as WorkflowDefinition)
            ),
            Effect.orDie
          ),
        claim: (owner, limit) =>
          sql<ClaimedRun>`update run_work w set owner = ${owner}, epoch = nextval('run_epochs')
          where w.run_id in (select x.run_id from run_work x where x.owner = 0 and x.due_at <= hub_time_or_last()
              order by x.due_at limit ${limit} for update skip locked)
            or w.run_id in (select x.run_id from owners o join run_work x on x.owner = o.num
              where o.ended and o.num <> ${owner} limit ${limit} for update of x skip locked)
          returning w.run_id, w.org_id, w.epoch`.pipe(Effect.orDie),
        claimEnded: (org, id, owner) =>
          sql<ClaimedRun>`insert into run_work as w (run_id, org_id, owner, epoch, rev)
          select r.id, r.org_id, ${owner}, nextval('run_epochs'), r.rev from runs r
            where r.org_id = ${org} and r.id = ${id} and r.ended_at is not null
          on conflict (run_id) do update set owner = excluded.owner, epoch = excluded.epoch where w.owner = 0
          returning w.run_id, w.org_id, w.epoch`.pipe(Effect.map(([row]) => row), Effect.orDie),
        flagged: (owner) =>
          sql<{ run_id: string; flags: number }>`select run_id, flags from run_work
          where owner = ${owner} and flags <> 0`.pipe(Effect.orDie),
        stranded: (owner, active, limit) =>
          sql<ClaimedRun>`select run_id, org_id, epoch from run_work
          where owner = ${owner} and run_id <> all(${textArray([...active])}) limit ${limit}`.pipe(Effect.orDie),
        wake: (refs) =>
          sql<{ run_id: string; owner: number }>`update run_work w set flags = w.flags | ${wakeBits}::int,
            due_at = least(w.due_at, hub_time_or_last())
          where w.waits && ${textArray([...refs])} and w.flags & ${wakeBits}::int = 0
          returning w.run_id, w.owner`.pipe(Effect.orDie),
        wakeEnded: (only) =>
          sql<{ run_id: string; owner: number }>`update run_work w set flags = w.flags | ${wakeBits}::int,
            due_at = least(w.due_at, hub_time_or_last())
          where w.waits <> '{}' and w.flags & ${wakeBits}::int = 0
            and ${only === undefined ? sql`true` : sql`w.run_id = any(${textArray([...only])})`}
            and exists (select 1 from unnest(w.waits) as awaited(ref) where case left(awaited.ref, 4)
              when 'req_' then exists (select 1 from settlements s where s.org_id = w.org_id and s.request_id = awaited.ref)
              when 'apr_' then exists (select 1 from approvals a where a.id = awaited.ref and a.status <> 'pending')
              when 'arq_' then exists (select 1 from agent_requests q where q.id = awaited.ref and q.status <> 'open')
              when 'dlg_' then exists (select 1 from delegated_tasks t where t.id = awaited.ref and t.ended_at is not null)
              when 'stp_' then exists (select 1 from run_callbacks c where c.step_id = awaited.ref and c.body is not null)
              else false end)
          returning w.run_id, w.owner`.pipe(Effect.orDie),
        wakeRun: (org, id) =>
          sql`update run_work set flags = flags | ${wakeBits}::int, due_at = hub_time_or_last()
          where org_id = ${org} and run_id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        flag: (org, id, flag) =>
          sql`update run_work set flags = flags | ${flag}::int, due_at = least(due_at, hub_time_or_last())
          where org_id = ${org} and run_id = ${id} returning run_id`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        owns: (org, id, epoch) =>
          sql`select 1 from run_work
          where org_id = ${org} and run_id = ${id} and epoch = ${BigInt(epoch)}::bigint for update`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        release: (owner, ids) =>
          sql`update run_work set owner = 0, due_at = hub_time_or_last()
          where owner = ${owner} and run_id = any(${textArray([...ids])})`.pipe(Effect.asVoid, Effect.orDie),
        unsettled: (limit) =>
          sql<SettledRun>`select r.org_id, r.id, r.request_id from holds h
          join runs r on r.request_id = h.request_id and r.org_id = h.org_id and r.id = 'run' || substr(h.request_id, 4)
          where h.service = 'workflow' and h.phase = 2 and r.ended_at is not null limit ${limit}`.pipe(Effect.orDie),
        unstarted: (limit) =>
          sql<{ request_id: ServiceRequestId }>`select h.request_id from holds h
          where h.service = 'workflow' and h.phase = 2 and h.provider_ref is null
            and h.running_because = 'unknown_fate'
            and not exists (select 1 from runs r where r.org_id = h.org_id and r.id = 'run' || substr(h.request_id, 4))
          limit ${limit}`.pipe(
            Effect.map((rows) => rows.map(({ request_id }) => request_id)),
            Effect.orDie
          ),
        openOf: (org, workflow) =>
          sql<{ id: string; agent_id: AgentId }>`select r.id, r.agent_id from run_work w join runs r on r.id = w.run_id
          where r.org_id = ${org} and r.workflow_id = ${workflow} and r.ended_at is null`.pipe(Effect.orDie),
        costOf: (org, id) =>
          sql<{ cost_cents: number }>`select cost_cents from runs where org_id = ${org} and id = ${id}`.pipe(
            Effect.map(([row]) => row?.cost_cents ?? 0),
            Effect.orDie
          ),
        waitingCount: sql<{ n: number }>`select count(*)::int as n from run_work where waits <> '{}'`.pipe(
          Effect.map(([row]) => row?.n ?? 0),
          Effect.orDie
        )
      })
    })
  )
}

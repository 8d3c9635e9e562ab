/** Delegated tasks, their limits, and their events in the audit log. */
import type { Mode } from "@countersign/domain/auth"
import type { TaskStatus } from "@countersign/domain/delegated-tasks"
import type { AgentId, AuditId, DelegatedTaskId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { isSharedAgent } from "../agents/shared-agents-repository.ts"
import { textArray } from "../platform/db.ts"

export interface TaskRow {
  readonly org_id: OrgId
  readonly id: DelegatedTaskId
  readonly mode: Mode
  readonly from_agent_id: AgentId
  readonly to_agent_id: AgentId
  readonly goal: string
  /** JSON text, as `result` and `error`. */
  readonly input: string | null
  readonly services: ReadonlyArray<string>
  readonly budget_cents: number
  readonly spent_cents: number
  readonly held_cents: number
  readonly status: TaskStatus
  readonly result: string | null
  readonly error: string | null
  readonly deadline_at: Date | null
  readonly created_at: Date
  readonly started_at: Date | null
  readonly ended_at: Date | null
  /** Owners and teams of the two agents. */
  readonly from_owner: string | null
  readonly from_team: string | null
  readonly to_owner: string | null
  readonly to_team: string | null
  readonly from_name: string
  readonly to_name: string
}

export interface NewTask {
  readonly id: string
  readonly mode: Mode
  readonly from: string
  readonly to: string
  readonly goal: string
  readonly input: string | null
  readonly services: ReadonlyArray<string>
  readonly budgetCents: number
  readonly deadline: Date | null
  readonly at: Date
}

export interface TaskEnd {
  readonly status: Extract<TaskStatus, "completed" | "failed" | "cancelled">
  readonly result?: string
  readonly error?: string
}

export interface TaskFilter {
  /** On either side. */
  readonly agent: AgentId | undefined
  /** Only tasks of an agent that this person owns, or of an agent of `teams`. */
  readonly owner: string | undefined
  readonly teams: ReadonlyArray<string>
  readonly mode: Mode | undefined
  readonly status: TaskStatus | undefined
  readonly before: string | undefined
  readonly limit: number
}

export interface EventRow {
  readonly id: AuditId
  readonly seq: number
  readonly status: TaskStatus
  readonly created_at: Date
}

/** Of a task `t` and its workspace's head `h`. */
const isOverdue = "t.deadline_at <= greatest(hub_time_or_last(), h.last_at) and t.ended_at is null"
export const overdueTasks = `select from delegated_tasks t join org_heads h on h.org_id = t.org_id where ${isOverdue}`

export class DelegationsRepository extends Context.Service<DelegationsRepository, {
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<TaskRow>>
  /** Newest first; returns one more than `limit` when there are more. */
  readonly list: (org: OrgId, filter: TaskFilter) => Effect.Effect<ReadonlyArray<TaskRow>>
  /**
   * Inserts the task with its limits, and commits its budget; false when the agent that delegates it has no room. The
   * caller then rolls its transaction back. Call it under the workspace's lock.
   */
  readonly insert: (org: OrgId, task: NewTask) => Effect.Effect<boolean>
  /** Whether the agent is published to the whole workspace, or to this team. */
  readonly isShared: (org: OrgId, agent: AgentId, team: string | null) => Effect.Effect<boolean>
  /** `accepted` → `in_progress`; false in any other status. */
  readonly start: (org: OrgId, id: string, at: Date) => Effect.Effect<boolean>
  /** Ends an open task and releases its budget, under the workspace's lock; false when it has ended. */
  readonly end: (org: OrgId, id: string, end: TaskEnd, at: Date) => Effect.Effect<boolean>
  /** The open tasks of an agent, on either side. */
  readonly openOf: (org: OrgId, agent: AgentId) => Effect.Effect<ReadonlyArray<TaskRow>>
  /** Open tasks of all workspaces whose deadline has passed. */
  readonly due: (limit: number) => Effect.Effect<ReadonlyArray<Pick<TaskRow, "org_id" | "id">>>
  /** The events of a task after a position, oldest first. */
  readonly events: (task: TaskRow, after: number) => Effect.Effect<ReadonlyArray<EventRow>>
  /** The position of an event of a task. */
  readonly position: (task: TaskRow, event: string) => Effect.Effect<Option.Option<number>>
}>()("@countersign/hub/delegations/DelegationsRepository") {
  static readonly layer = Layer.effect(
    DelegationsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const rows = sql`select t.org_id, t.id, t.mode, t.from_agent_id, t.to_agent_id, t.goal, t.input, t.services,
        t.budget_cents, x.used as spent_cents, x.held as held_cents, t.status, t.result, t.error, t.deadline_at,
        t.created_at, t.started_at, t.ended_at, p.owner_user_id as from_owner, p.team_id as from_team,
        c.owner_user_id as to_owner, c.team_id as to_team, p.name as from_name, c.name as to_name
      from delegated_tasks t
      join limits x on x.org_id = t.org_id and x.id = t.budget_limit
      join agents p on p.org_id = t.org_id and p.id = t.from_agent_id
      join agents c on c.org_id = t.org_id and c.id = t.to_agent_id`
      const entries = ({ from_agent_id: from, id, org_id: org }: TaskRow) =>
        sql`org_id = ${org} and subject_id = ${id} and agent_id = ${from}
          and action in ('delegated_task.created', 'delegated_task.updated')`

      return DelegationsRepository.of({
        find: (org, id) =>
          sql<TaskRow>`${rows} where t.org_id = ${org} and t.id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromUndefinedOr(row)),
            Effect.orDie
          ),
        list: (org, { agent, before, limit, mode, owner, status, teams }) =>
          sql<TaskRow>`${rows} where ${
            sql.and([
              sql`t.org_id = ${org}`,
              ...agent === undefined ? [] : [sql`(t.from_agent_id = ${agent} or t.to_agent_id = ${agent})`],
              ...owner === undefined ? [] : [
                sql`(p.owner_user_id = ${owner} or c.owner_user_id = ${owner}
                  or p.team_id = any(${textArray(teams)}) or c.team_id = any(${textArray(teams)}))`
              ],
              ...mode === undefined ? [] : [sql`t.mode = ${mode}`],
              ...status === undefined ? [] : [sql`t.status = ${status}`],
              ...before === undefined ? [] : [sql`t.id < ${before}`]
            ])
          } order by t.id desc limit ${limit + 1}`.pipe(Effect.orDie),
        insert: Effect.fnUntraced(function*(org, task) {
          const budget = BigInt(task.budgetCents)
          const made = yield* sql<{ id: number; kind: number }>`insert into limits
            (org_id, kind, mode, agent_id, service, operation, cap)
          select ${org}, l.kind, ${task.mode}, ${task.to}, 'delegated_task', ${task.id}, l.cap
            from (values (5::smallint, ${budget}::bigint), (10::smallint, null::bigint)) l(kind, cap)
          returning id, kind::int as kind`
          const limit = (kind: number) => BigInt(made.find((row) => row.kind === kind)?.id ?? 0)
          yield* sql`insert into delegated_tasks (org_id, id, mode, from_agent_id, to_agent_id, goal, input, services,
            budget_cents, budget_limit, month_limit, deadline_at, created_at)
          values (${org}, ${task.id}, ${task.mode}, ${task.from}, ${task.to}, ${task.goal}, ${task.input},
            ${[...task.services]}::text[], ${budget}::bigint, ${limit(5)}::bigint, ${
            limit(10)
          }::bigint, ${task.deadline},
            ${task.at})`
          const [row] = yield* sql<{ fits: boolean }>`select commit_limit(${org}, ${
            limit(5)
          }::bigint, p.id, ${task.at}) as fits
            from limits p where p.org_id = ${org} and p.kind = 2 and p.mode = ${task.mode} and p.agent_id = ${task.from}`
          // Begins of the agent that were decided before know nothing of the task.
          yield* sql`update agents set version = version + 1 where org_id = ${org} and id = ${task.to}`
          return row?.fits === true
        }, Effect.orDie),
        isShared: (org, agent, team) =>
          sql`select 1 from agents a where a.org_id = ${org} and a.id = ${agent} and ${
            isSharedAgent(sql, team === null ? [] : [team])
          }`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        start: (org, id, at) =>
          sql`update delegated_tasks set status = 'in_progress', started_at = ${at}
          where org_id = ${org} and id = ${id} and status = 'accepted' returning id`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        end: (org, id, { error, result, status }, at) =>
          sql<{ ended: boolean }>`select end_task(${org}, ${id}, ${status}, ${result ?? null}, ${error ?? null}, ${at})
            as ended`.pipe(
            Effect.map(([row]) => row?.ended === true),
            Effect.orDie
          ),
        openOf: (org, agent) =>
          sql<TaskRow>`${rows} where t.org_id = ${org} and t.ended_at is null
            and (t.from_agent_id = ${agent} or t.to_agent_id = ${agent}) order by t.id`.pipe(Effect.orDie),
        due: (limit) =>
          sql<Pick<TaskRow, "org_id" | "id">>`select t.org_id, t.id from delegated_tasks t
          join org_heads h on h.org_id = t.org_id
          where ${sql.literal(isOverdue)}
          order by t.deadline_at limit ${limit}`.pipe(Effect.orDie),
        events: (task, after) =>
          sql<EventRow>`select id, seq, data::json ->> 'status' as status, created_at from audit
          where ${entries(task)} and seq > ${BigInt(after)}::bigint order by seq`.pipe(Effect.orDie),
        position: (task, event) =>
          sql<{ seq: number }>`select seq from audit where ${entries(task)} and id = ${event}`.pipe(
            Effect.map(([row]) => Option.fromUndefinedOr(row?.seq)),
            Effect.orDie
          )
      })
    })
  )
}

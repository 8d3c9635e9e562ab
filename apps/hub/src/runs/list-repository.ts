/** Runs as their readers see them. */
import type { Mode } from "@countersign/domain/auth"
import type { ApprovalId, OrgId } from "@countersign/domain/ids"
import type { RunStatus } from "@countersign/domain/workflow-definition"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { int4Array, textArray } from "../platform/db.ts"
import { WarmConnections } from "../platform/warm-connections.ts"
import type { RunRow, StepRow } from "./records.ts"
import type { RunOfWorkflow } from "./repository.ts"
import type { RunScope } from "./rules.ts"
import { keysOf, type Placed, type Wanted } from "./wanted.ts"

export interface RunFilter extends RunScope {
  readonly workflow: string | undefined
  readonly ofAgent: string | undefined
  readonly parent: string | undefined
  readonly status: RunStatus | undefined
  readonly ofMode: Mode | undefined
  readonly before: string | undefined
  readonly limit: number
}

export interface AttemptRow {
  readonly label: string
  readonly attempt: number
  readonly status: "succeeded" | "failed" | "cancelled"
  readonly ref: string | null
  readonly error: string | null
  readonly started_at: Date | null
  readonly ended_at: Date | null
}

/** A step, and the approval that its request waits for or was decided by. */
export interface ShownStepRow extends StepRow {
  readonly approval_id: ApprovalId | null
}

export interface WantedSteps extends Wanted {
  readonly after: number
}

// Each row is found by its key: `offset 0` keeps the planner from joining whole tables.
const runsStatement = `select wanted.place::int, r.*, a.name as agent_name, w.visibility, w.team_id, w.owner_user_id
  from unnest($1, $2) with ordinality as wanted(org_id, id, place)
    cross join lateral (select * from runs where id = wanted.id and org_id = wanted.org_id offset 0) r
    cross join lateral (select name from agents where id = r.agent_id and org_id = r.org_id offset 0) a
    cross join lateral (
      select visibility, team_id, owner_user_id from workflows where id = r.workflow_id and org_id = r.org_id offset 0
    ) w`

const stepsStatement = `select wanted.place::int, s.*,
    (select q.approval_id from requests q where q.org_id = s.org_id and q.id = s.ref) as approval_id
  from unnest($1, $2, $3) with ordinality as wanted(org_id, run_id, after, place)
    cross join lateral (
      select * from run_steps where run_id = wanted.run_id and org_id = wanted.org_id and rev > wanted.after offset 0
    ) s`

export class RunListRepository extends Context.Service<RunListRepository, {
  /** Newest first; returns one more than `limit` when there are more. */
  readonly list: (org: OrgId, filter: RunFilter) => Effect.Effect<ReadonlyArray<RunRow>>
  readonly attempts: (org: OrgId, run: string) => Effect.Effect<ReadonlyArray<AttemptRow>>
  /** The steps of each run that changed after a revision, each with the approval of its request. */
  readonly steps: (wanted: ReadonlyArray<WantedSteps>) => Effect.Effect<ReadonlyArray<ShownStepRow & Placed>>
  readonly runs: (wanted: ReadonlyArray<Wanted>) => Effect.Effect<ReadonlyArray<RunOfWorkflow & Placed>>
}>()("@countersign/hub/runs/RunListRepository") {
  static readonly layer = Layer.effect(
    RunListRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const warm = yield* WarmConnections
      return RunListRepository.of({
        list: (org, { agent, before, limit, mode, ofAgent, ofMode, parent, person, status, workflow }) =>
          sql<RunRow>`select r.*, a.name as agent_name from runs r join agents a on a.id = r.agent_id
          where ${
            sql.and([
              sql`r.org_id = ${org}`,
              ...agent === undefined ? [] : [sql`r.agent_id = ${agent}`],
              ...mode === undefined ? [] : [sql`r.mode = ${mode}`],
              ...ofAgent === undefined ? [] : [sql`r.agent_id = ${ofAgent}`],
              ...ofMode === undefined ? [] : [sql`r.mode = ${ofMode}`],
              ...parent === undefined ? [] : [sql`r.parent_run_id = ${parent}`],
              ...workflow === undefined ? [] : [sql`r.workflow_id = ${workflow}`],
              ...status === undefined ? [] : [sql`r.status = ${status}`],
              ...before === undefined ? [] : [sql`r.id < ${before}`],
              ...person === undefined ? [] : [
                sql`exists (select 1 from workflows w where w.id = r.workflow_id and (w.owner_user_id = ${person.user}
                  or w.visibility = 'org' or (w.visibility = 'team' and ${
                  person.teams === undefined ? sql`true` : sql`w.team_id = any(${textArray([...person.teams])})`
                })))`
              ]
            ])
          } order by r.id desc limit ${limit + 1}`.pipe(Effect.orDie),
        attempts: (org, run) =>
          sql<AttemptRow>`select label, attempt, status, ref, error, started_at, ended_at from run_attempts
          where org_id = ${org} and run_id = ${run} order by label, attempt`.pipe(Effect.orDie),
        steps: (wanted) =>
          warm.query<ShownStepRow & Placed>(stepsStatement, [
            ...keysOf(wanted),
            int4Array(wanted.map(({ after }) => after))
          ])
            .pipe(Effect.orDie),
        runs: (wanted) => warm.query<RunOfWorkflow & Placed>(runsStatement, keysOf(wanted)).pipe(Effect.orDie)
      })
    })
  )
}

/** Runs as their readers see them. */
import type { Mode } from "@countersign/domain/auth"
import type { RunStatus } from "@countersign/domain/workflow-definition"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"
import type { RunRow, StepRow } from "./records.ts"
import type { RunScope } from "./rules.ts"

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
  readonly approval_id: string | null
}

export class RunListRepository extends Context.Service<RunListRepository, {
  /** Newest first; returns one more than `limit` when there are more. */
  readonly list: (org: string, filter: RunFilter) => Effect.Effect<ReadonlyArray<RunRow>>
  readonly attempts: (org: string, run: string) => Effect.Effect<ReadonlyArray<AttemptRow>>
  /** The steps that changed after this revision, each with the approval of its request. */
  readonly steps: (org: string, run: string, after: number) => Effect.Effect<ReadonlyArray<ShownStepRow>>
}>()("@countersign/hub/runs/RunListRepository") {
  static readonly layer = Layer.effect(
    RunListRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
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
        steps: (org, run, after) =>
          sql<ShownStepRow>`select s.*,
            (select q.approval_id from requests q where q.org_id = s.org_id and q.id = s.ref) as approval_id
          from run_steps s where s.org_id = ${org} and s.run_id = ${run} and s.rev > ${after}`.pipe(Effect.orDie)
      })
    })
  )
}

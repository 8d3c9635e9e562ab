/** Starts runs: checks the input, sets the budget, and hands the run to the engine. Spec: reference/workflows.md "Runs". */
import type { Mode } from "@countersign/domain/auth"
import { type ApiError, conflict, invalidRequest } from "@countersign/domain/errors"
import type { Json } from "@countersign/domain/json"
import { compileSchema } from "@countersign/domain/json-schema"
import { newRunState } from "@countersign/domain/run-state"
import { problemsSentence } from "@countersign/domain/schema-problems"
import { runDaysDefault, runDepthMax, runValueBytesMax } from "@countersign/domain/workflow-definition"
import { Context, Effect, Layer, Option, Result } from "effect"
import { type Actor, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { byteLength, type CompiledVersion } from "./environment.ts"
import { RunHandover } from "./handover.ts"
import type { RunRecord } from "./records.ts"
import { RunsRepository } from "./repository.ts"
import { Versions } from "./versions.ts"

/** A checked start of a run. */
export interface RunStart {
  readonly org: string
  readonly id: string
  readonly workflow: { readonly id: string; readonly max_cost_cents: number | null }
  readonly version: string
  readonly agent: { readonly id: string; readonly name: string }
  readonly mode: Mode
  readonly input: Json
  readonly actor: Actor
  readonly maxCostCents: number | undefined
  /** The run whose step starts it. */
  readonly parent: Pick<RunRecord, "id" | "root" | "ancestors" | "depth" | "limits"> | undefined
  /** The runs above that are not of this hub: a call names them in `svc-run-depth`. */
  readonly depth: number
  readonly request: string | null
}

/** All problems of an input; empty when it fits the version's schema. */
export const inputProblems = ({ definition }: CompiledVersion, input: Json) => {
  if (byteLength(input) > runValueBytesMax) {
    return [{ path: "input", message: `It has more than ${runValueBytesMax} bytes of JSON.` }]
  }
  if (definition.input_schema === undefined) return []
  const compiled = compileSchema(definition.input_schema, "input_schema")
  return Result.isFailure(compiled) ? compiled.failure : compiled.success.validate(input, "input")
}

export class RunStarting extends Context.Service<RunStarting, {
  /**
   * Call it in a transaction. Starts once for an id: a repeat returns the existing run. 400 when the input does not fit;
   * 409 `workflow_cycle` and `run_depth_exceeded`.
   */
  readonly start: (start: RunStart) => Effect.Effect<string, ApiError>
}>()("@countersign/hub/runs/RunStarting") {
  static readonly layer = Layer.effect(
    RunStarting,
    Effect.gen(function*() {
      const repository = yield* RunsRepository
      const versions = yield* Versions
      const handover = yield* RunHandover
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db
      return RunStarting.of({
        start: Effect.fn("RunStarting.start")(function*(start: RunStart): Effect.fn.Return<string, ApiError> {
          const { actor, agent, id, input, org, parent, workflow } = start
          if (Option.isSome(yield* repository.find(org, id))) return id
          const version = yield* versions.find(org, start.version)
          if (version === undefined) return yield* Effect.die(`no version ${start.version}`)
          const problems = inputProblems(version, input)
          if (problems.length > 0) {
            return yield* Effect.fail(invalidRequest(problemsSentence("The input", problems), problems))
          }
          if (parent?.ancestors.includes(workflow.id) === true) {
            return yield* Effect.fail(
              conflict(
                "workflow_cycle",
                "The workflow is already running above this run: it would start itself without end."
              )
            )
          }
          const depth = Math.max(start.depth, parent === undefined ? 0 : parent.depth + 1)
          if (depth >= runDepthMax) {
            return yield* Effect.fail(
              conflict("run_depth_exceeded", `Runs can start runs at most ${runDepthMax} levels deep.`, {
                max: runDepthMax
              })
            )
          }
          const caps = [workflow.max_cost_cents, start.maxCostCents].filter((cap) => cap !== null && cap !== undefined)
          const maxCostCents = caps.length === 0 ? null : Math.min(...caps as ReadonlyArray<number>)
          // Only a budget needs the workspace's lock now; without one it is held from the audit entry to the commit.
          if (maxCostCents !== null) yield* heads.lock(org)
          const own = maxCostCents === null
            ? []
            : [yield* repository.insertBudget(org, id, agent.id, start.mode, maxCostCents)]
          const limits = [...own, ...parent?.limits ?? []]
          const ancestors = [...parent?.ancestors ?? [], workflow.id]
          const owner = handover.owner()
          const inserted = yield* repository.insert(org, {
            id,
            workflow: workflow.id,
            version: start.version,
            agent: agent.id,
            mode: start.mode,
            source: { type: actor.type, id: actor.id, name: actor.name },
            parent: parent?.id ?? null,
            request: start.request,
            root: parent?.root ?? id,
            ancestors,
            depth,
            maxCostCents,
            limits,
            input: JSON.stringify(input),
            days: runDaysDefault
          }, owner)
          // Another call inserted it since it was looked up.
          if (inserted === undefined) return id
          const { at, deadlineAt, epoch } = inserted
          yield* audit.record(org, actor, {
            action: "run.started",
            subject: { type: "workflow_run", id },
            agent_id: agent.id,
            data: {
              workflow_id: workflow.id,
              version_id: start.version,
              mode: start.mode,
              ...(maxCostCents === null ? {} : { max_cost_cents: maxCostCents }),
              ...(parent === undefined ? {} : { parent_run_id: parent.id })
            }
          })
          const run: RunRecord = {
            id,
            org,
            workflow: workflow.id,
            version: start.version,
            agent: agent.id,
            agentName: agent.name,
            mode: start.mode,
            root: parent?.root ?? id,
            ancestors,
            depth,
            request: start.request,
            maxCostCents,
            limits,
            createdAt: at.getTime()
          }
          const state = newRunState(input, deadlineAt.getTime())
          yield* db.afterCommit(Effect.sync(() => handover.publish({ run, state, rev: 0, epoch, flags: 0 }, owner)))
          return id
        })
      })
    })
  )
}

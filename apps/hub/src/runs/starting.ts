/** Starts runs: checks the input, sets the budget, and hands the run to the engine. Spec: reference/workflows.md "Runs". */
import type { Mode } from "@countersign/domain/auth"
import { type ApiError, conflict, invalidRequest } from "@countersign/domain/errors"
import { newId } from "@countersign/domain/ids"
import type { Json } from "@countersign/domain/json"
import { compileSchema } from "@countersign/domain/json-schema"
import { newRunState } from "@countersign/domain/run-state"
import { problemsSentence } from "@countersign/domain/schema-problems"
import { runDaysDefault, runDepthMax, runValueBytesMax } from "@countersign/domain/workflow-definition"
import { Context, Effect, Layer, Option, Result } from "effect"
import { entryDataText } from "../platform/audit-entry-data.ts"
import { type Actor, actorLine } from "../platform/audit-log.ts"
import { Db, isConflict } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { byteLength, type CompiledVersion } from "./environment.ts"
import { type Entry, lockedGroupCommit } from "./group-commit.ts"
import { RunHandover } from "./handover.ts"
import type { RunRecord } from "./records.ts"
import { type NewRun, RunsRepository, type StartedRow } from "./repository.ts"
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

/** A start on its way to the database. */
interface Starting extends Entry {
  readonly run: NewRun
  readonly input: string
  /** Undefined: the run exists already. */
  readonly resolve: (started: StartedRow | undefined) => void
}

export class RunStarting extends Context.Service<RunStarting, {
  /**
   * Starts once for an id: a repeat returns the existing run. In a transaction it is a part of that, otherwise it is
   * committed together with other starts. 400 when the input does not fit; 409 `workflow_cycle` and
   * `run_depth_exceeded`.
   */
  readonly start: (start: RunStart) => Effect.Effect<string, ApiError>
}>()("@countersign/hub/runs/RunStarting") {
  static readonly layer = Layer.effect(
    RunStarting,
    Effect.gen(function*() {
      const repository = yield* RunsRepository
      const versions = yield* Versions
      const handover = yield* RunHandover
      const signals = yield* Signals
      const db = yield* Db
      const run = Effect.runPromiseWith(yield* Effect.context<never>())

      const commit = lockedGroupCommit<Starting>({
        write: async (entries, wait) => {
          const rows = await run(
            repository.start(entries.map((entry) => entry.run), entries.map(({ input }) => input), wait)
          )
          const byRun = new Map(rows.map((row) => [row.run, row]))
          const isLocked = ({ run }: Starting) => byRun.get(run.run_id)?.epoch === -1
          for (const entry of entries) if (!isLocked(entry)) entry.resolve(byRun.get(entry.run.run_id))
          return entries.filter(isLocked)
        },
        // The waiting caller gets the error of an unavailable database.
        mayRepeat: isConflict
      })

      const check = Effect.fnUntraced(function*(start: RunStart) {
        const { input, parent, workflow } = start
        const version = yield* versions.find(start.org, start.version)
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
        return depth
      })

      const newRun = (
        { actor, agent, id, maxCostCents, mode, org, parent, request, version, workflow }: RunStart,
        depth: number
      ): NewRun => {
        const caps = [workflow.max_cost_cents, maxCostCents].filter((cap) => cap !== null && cap !== undefined)
        const budget = caps.length === 0 ? null : Math.min(...caps as ReadonlyArray<number>)
        return {
          run_id: id,
          org_id: org,
          workflow_id: workflow.id,
          version_id: version,
          agent_id: agent.id,
          mode,
          source_type: actor.type,
          source_id: actor.id,
          source_name: actor.name,
          parent_run_id: parent?.id ?? null,
          request_id: request,
          root_id: parent?.root ?? id,
          ancestors: [...parent?.ancestors ?? [], workflow.id],
          depth,
          max_cost_cents: budget,
          limits: parent?.limits ?? [],
          days: runDaysDefault,
          owner: handover.owner(),
          audit_id: newId("aud"),
          actor: actorLine(actor),
          ip: actor.ip ?? null,
          data: entryDataText({
            workflow_id: workflow.id,
            version_id: version,
            mode,
            ...(budget === null ? {} : { max_cost_cents: budget }),
            ...(parent === undefined ? {} : { parent_run_id: parent.id }),
            ...(actor.via === undefined ? {} : { via: actor.via })
          })
        }
      }

      const handOver = ({ agent, input }: RunStart, made: NewRun, { at, deadlineAt, epoch, limits }: StartedRow) => {
        const record: RunRecord = {
          id: made.run_id,
          org: made.org_id,
          workflow: made.workflow_id,
          version: made.version_id,
          agent: made.agent_id,
          agentName: agent.name,
          mode: made.mode,
          root: made.root_id,
          ancestors: made.ancestors,
          depth: made.depth,
          request: made.request_id,
          maxCostCents: made.max_cost_cents,
          limits,
          createdAt: at.getTime()
        }
        const state = newRunState(input, deadlineAt.getTime())
        handover.publish({ run: record, state, rev: 0, epoch, flags: 0 }, made.owner)
        signals.log(made.org_id)
      }

      return RunStarting.of({
        start: Effect.fn("RunStarting.start")(function*(start: RunStart): Effect.fn.Return<string, ApiError> {
          const { id, org } = start
          // A new id has no run; that of a request may have one.
          if (start.request !== null && Option.isSome(yield* repository.find(org, id))) return id
          const made = newRun(start, yield* check(start))
          const input = JSON.stringify(start.input)
          if (yield* db.isWithin) {
            const [started] = yield* repository.start([made], [input], true)
            // Another call inserted it since it was looked up.
            if (started === undefined) return id
            if (started.epoch === -1) return yield* Effect.die(`workspace ${org} does not exist`)
            yield* db.afterCommit(Effect.sync(() => handOver(start, made, started)))
            return id
          }
          yield* Effect.promise(() =>
            new Promise<void>((resolve, reject) =>
              commit({
                org,
                run: made,
                input,
                reject,
                // The run begins even if its caller has gone.
                resolve: (started) => {
                  if (started !== undefined) handOver(start, made, started)
                  resolve()
                }
              })
            )
          )
          return id
        })
      })
    })
  )
}

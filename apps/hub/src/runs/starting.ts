/** Starts runs: checks the input, sets the budget, and hands the run to the engine. Spec: reference/workflows.md "Runs". */
import type { Mode } from "@countersign/domain/auth"
import { type ApiError, conflict, invalidRequest } from "@countersign/domain/errors"
import { type AgentId, newId, type OrgId, type ServiceRequestId } from "@countersign/domain/ids"
import type { Json } from "@countersign/domain/json"
import { compileSchema } from "@countersign/domain/json-schema"
import { newRunState, nextDue, type RunState } from "@countersign/domain/run-state"
import { problemsSentence } from "@countersign/domain/schema-problems"
import { runDaysDefault, runDepthMax, runValueBytesMax } from "@countersign/domain/workflow-definition"
import { Context, Effect, Layer, Option, Result } from "effect"
import { entryDataText } from "../platform/audit-entry-data.ts"
import { type Actor, actorLine } from "../platform/audit-log.ts"
import { Db, isConflict } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { byteLength, type CompiledVersion } from "./environment.ts"
import { type Entry, lockedGroupCommit } from "./group-commit.ts"
import { type FirstState, RunHandover } from "./handover.ts"
import type { RunRecord } from "./records.ts"
import { type NewRun, RunsRepository, type SaveBatch, type StartedRow } from "./repository.ts"
import { stepRows, textsOf } from "./saves.ts"
import { Versions } from "./versions.ts"

/** A checked start of a run. */
export interface RunStart {
  readonly org: OrgId
  readonly id: string
  readonly workflow: { readonly id: string; readonly max_cost_cents: number | null }
  readonly version: string
  readonly agent: { readonly id: AgentId; readonly name: string }
  readonly mode: Mode
  readonly input: Json
  readonly actor: Actor
  readonly maxCostCents: number | undefined
  /** The run whose step starts it. */
  readonly parent: Pick<RunRecord, "id" | "root" | "ancestors" | "depth" | "limits"> | undefined
  /** The runs above that are not of this hub: a call names them in `svc-run-depth`. */
  readonly depth: number
  readonly request: ServiceRequestId | null
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

/** A new run with its input and its first state. */
interface Made {
  readonly run: NewRun
  readonly input: Json
  readonly first: FirstState | undefined
}

/** A start on its way to the database. */
interface Starting extends Entry {
  readonly made: Made
  /** Undefined: the run already exists. */
  readonly resolve: (started: StartedRow | undefined) => void
}

const batchOf = (all: ReadonlyArray<Made>): SaveBatch => {
  const { text, texts } = textsOf()
  return {
    saves: {
      runs: all.map(({ input, run }) => ({ ...run, input: text(input) })),
      steps: all.flatMap(({ first, input, run }) =>
        first === undefined ? [] : stepRows({
          before: newRunState(input, first.state.deadline_at),
          rev: 0,
          run: { id: run.run_id, org: run.org_id },
          state: first.state
        }, text)
      ),
      past: []
    },
    texts
  }
}

/** The first steps, none of them before the run. */
const begun = ({ status, steps }: RunState, createdAt: number): Pick<RunState, "status" | "steps"> => {
  const later = (at: number) => Math.max(at, createdAt)
  return {
    status,
    steps: Object.fromEntries(
      Object.entries(steps).map(([label, step]) => [label, {
        ...step,
        ...(step.started_at === undefined ? {} : { started_at: later(step.started_at) }),
        ...(step.ended_at === undefined ? {} : { ended_at: later(step.ended_at) })
      }])
    )
  }
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
          const rows = await run(repository.start(batchOf(entries.map(({ made }) => made)), wait))
          const byRun = new Map(rows.map((row) => [row.run, row]))
          const rowOf = ({ made }: Starting) => byRun.get(made.run.run_id)
          const isLocked = (entry: Starting) => rowOf(entry)?.epoch === -1
          for (const entry of entries) if (!isLocked(entry)) entry.resolve(rowOf(entry))
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
        return { depth, version }
      })

      const make = (
        { actor, agent, id, input, maxCostCents, mode, org, parent, request, workflow }: RunStart,
        { depth, version }: { readonly depth: number; readonly version: CompiledVersion }
      ): Made => {
        const caps = [workflow.max_cost_cents, maxCostCents].filter((cap) => cap !== null && cap !== undefined)
        const budget = caps.length === 0 ? null : Math.min(...caps as ReadonlyArray<number>)
        const owner = handover.owner()
        // A run that nobody drives yet is decided by the hub that claims it.
        const first = owner === 0 ? undefined : handover.first(id, version, input)
        return {
          input,
          first,
          run: {
            run_id: id,
            org_id: org,
            workflow_id: workflow.id,
            version_id: version.id,
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
            status: first?.state.status ?? "queued",
            owner,
            due_at: first === undefined ? null : nextDue(first.state) ?? null,
            audit_id: newId("aud"),
            actor: actorLine(actor),
            ip: actor.ip ?? null,
            data: entryDataText({
              workflow_id: workflow.id,
              version_id: version.id,
              mode,
              ...(budget === null ? {} : { max_cost_cents: budget }),
              ...(parent === undefined ? {} : { parent_run_id: parent.id }),
              ...(actor.via === undefined ? {} : { via: actor.via })
            })
          }
        }
      }

      const handOver = (
        { agent }: RunStart,
        { first, input, run }: Made,
        { at, deadlineAt, epoch, limits }: StartedRow
      ) => {
        const record: RunRecord = {
          id: run.run_id,
          org: run.org_id,
          workflow: run.workflow_id,
          version: run.version_id,
          agent: run.agent_id,
          agentName: agent.name,
          mode: run.mode,
          root: run.root_id,
          ancestors: run.ancestors,
          depth: run.depth,
          request: run.request_id,
          maxCostCents: run.max_cost_cents,
          limits,
          createdAt: at.getTime()
        }
        const state = newRunState(input, deadlineAt.getTime())
        handover.publish({
          run: record,
          state: first === undefined ? state : { ...state, ...begun(first.state, record.createdAt) },
          rev: 0,
          epoch,
          flags: 0,
          commands: first?.commands
        }, run.owner)
        signals.log(record.org)
      }

      return RunStarting.of({
        start: Effect.fn("RunStarting.start")(function*(start: RunStart): Effect.fn.Return<string, ApiError> {
          const { id, org } = start
          // A new id has no run; that of a request may have one.
          if (start.request !== null && Option.isSome(yield* repository.find(org, id))) return id
          const made = make(start, yield* check(start))
          if (yield* db.isWithin) {
            const [started] = yield* repository.start(batchOf([made]), true)
            // Undefined: another call inserted it since it was looked up.
            if (started !== undefined) yield* db.afterCommit(Effect.sync(() => handOver(start, made, started)))
            return id
          }
          yield* Effect.promise(() =>
            new Promise<void>((resolve, reject) =>
              commit({
                org,
                made,
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

/** Runs on the wire: every step of the version, with the masks of its operation's schema. */
import type { Principal } from "@countersign/domain/auth"
import type { Json } from "@countersign/domain/json"
import { maskedValue } from "@countersign/domain/mask"
import { mask } from "@countersign/domain/masking"
import { removedText, removedValue } from "@countersign/domain/retention"
import type { Run, RunError, RunStep, RunSummary, StepAttempt, StepError } from "@countersign/domain/workflow-runs"
import { Context, Effect, Layer } from "effect"
import { Configuration } from "../dispatch/decision/configuration.ts"
import { payloadSchemaOf } from "../dispatch/decision/decision.ts"
import { CallbacksRepository } from "./callbacks-repository.ts"
import { childOf } from "./calls.ts"
import type { CompiledVersion } from "./environment.ts"
import { type AttemptRow, RunListRepository, type ShownStepRow } from "./list-repository.ts"
import { RunReads } from "./reads.ts"
import { type RunRow, stepIdOf } from "./records.ts"
import { Versions } from "./versions.ts"

const parsed = <A>(text: string): A => JSON.parse(text) as A
const time = (at: Date | null) => at === null ? undefined : at.toISOString()
const present = <K extends string, A>(key: K, value: A | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: A }

export const toSummary = (row: RunRow): RunSummary =>
  ({
    id: row.id,
    workflow_id: row.workflow_id,
    version_id: row.version_id,
    agent_id: row.agent_id,
    mode: row.mode,
    status: row.status,
    cost_cents: row.cost_cents,
    ...present("max_cost_cents", row.max_cost_cents ?? undefined),
    source: { type: row.source_type, id: row.source_id, name: row.source_name },
    ...present("parent_run_id", row.parent_run_id ?? undefined),
    ...present("error", row.error === null ? undefined : parsed<RunError>(row.error)),
    created_at: row.created_at.toISOString(),
    ...present("ended_at", time(row.ended_at))
  }) as RunSummary

/** The object behind a reference, by its prefix. */
const referenceOf = (ref: string | null, callback: string | undefined) => {
  switch (ref?.slice(0, 4)) {
    case "req_":
      return { request_id: ref }
    case "apr_":
      return { approval_id: ref }
    case "arq_":
      return { agent_request_id: ref }
    case "dlg_":
      return { delegated_task_id: ref }
    case "stp_":
      return present("request_id", callback)
    default:
      return {}
  }
}

export class RunViews extends Context.Service<RunViews, {
  /** `after`: only the steps that changed after this revision. */
  readonly run: (row: RunRow, reader: Principal, after?: number) => Effect.Effect<Run>
}>()("@countersign/hub/runs/RunViews") {
  static readonly layer = Layer.effect(
    RunViews,
    Effect.gen(function*() {
      const lists = yield* RunListRepository
      const reads = yield* RunReads
      const callbacks = yield* CallbacksRepository
      const configuration = yield* Configuration
      const versions = yield* Versions

      const attemptOf = ({ attempt, ended_at, error, ref, started_at, status }: AttemptRow): StepAttempt =>
        ({
          attempt,
          status,
          ...(ref?.startsWith("req_") === true ? { request_id: ref } : {}),
          ...present("error", error === null ? undefined : parsed<StepError>(error)),
          ...present("started_at", time(started_at)),
          ...present("ended_at", time(ended_at))
        }) as StepAttempt

      return RunViews.of({
        run: Effect.fn("RunViews.run")(function*(row, reader, after = -1) {
          const org = row.org_id
          const version: CompiledVersion | undefined = yield* versions.find(org, row.version_id)
          const steps = new Map((yield* reads.steps(org, row.id, after)).map((step) => [step.label, step] as const))
          const rows = [...steps.values()]
          const isRepeated = rows.some(({ attempt, status }) => attempt > 1 || (attempt === 1 && status === "pending"))
          const past = Map.groupBy(isRepeated ? yield* lists.attempts(org, row.id) : [], ({ label }) => label)
          const awaits = rows.some(({ ref }) => ref?.startsWith("stp_") === true)
          const sent = awaits ? yield* callbacks.requests(org, row.id) : []
          const answered = new Map(sent.map((one) => [one.label, one.request_id]))
          const { services } = yield* Effect.promise(() => configuration.org(org))
          const shown = (text: string, step: CompiledVersion["definition"]["steps"][number]): Json => {
            if (text === removedText) return removedValue as Json
            const value = parsed<Json>(text)
            if (step.type !== "service_call" || reader.kind === "agent") return value
            const schema = payloadSchemaOf({ services }, step.config)
            return (schema === undefined ? maskedValue : mask(schema, value)) as Json
          }
          const stepOf = (step: CompiledVersion["definition"]["steps"][number], place: number): RunStep => {
            const { label } = step
            const own: ShownStepRow | undefined = steps.get(label)
            const before = past.get(label) ?? []
            return {
              id: stepIdOf(row.id, place),
              label,
              type: step.type,
              status: own?.status ?? "pending",
              attempt: own?.attempt ?? 0,
              ...referenceOf(own?.ref ?? null, answered.get(label)),
              ...present("approval_id", own?.approval_id ?? undefined),
              ...(step.type === "run_workflow" && own?.ref != null ? { child_run_id: childOf(own.ref) } : {}),
              ...present("due_at", time(own?.due_at ?? null)),
              ...present("started_at", time(own?.started_at ?? null)),
              ...present("ended_at", time(own?.ended_at ?? null)),
              cost_cents: own?.cost_cents ?? 0,
              ...(own?.input == null ? {} : { input: shown(own.input, step) }),
              ...(own?.output == null
                ? {}
                : { output: own.output === removedText ? removedValue as Json : parsed<Json>(own.output) }),
              ...present("error", own?.error == null ? undefined : parsed<StepError>(own.error)),
              ...(before.length === 0 ? {} : { attempts: before.map(attemptOf) })
            } as RunStep
          }
          const all = (version?.definition.steps ?? []).map((step, place) => [step, place] as const)
          return {
            ...toSummary(row),
            input: row.input === removedText ? removedValue as Json : parsed<Json>(row.input),
            ...(row.output === null
              ? {}
              : { output: row.output === removedText ? removedValue as Json : parsed<Json>(row.output) }),
            steps: all.filter(([{ label }]) => after < 0 || steps.has(label)).map(([step, place]) =>
              stepOf(step, place)
            ),
            deadline_at: row.deadline_at.toISOString(),
            revision: row.rev
          }
        })
      })
    })
  )
}

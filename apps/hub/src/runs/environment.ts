/** A version of a workflow, compiled, and what its templates and conditions give for a run. Pure. */
import { newId } from "@countersign/domain/ids"
import type { Json } from "@countersign/domain/json"
import { type RunEnvironment, type RunState, stepOf, truncated } from "@countersign/domain/run-state"
import { momentMillis, timeExample } from "@countersign/domain/time"
import { compileEdgeCondition, compileStepCondition } from "@countersign/domain/workflow-conditions"
import {
  delaySecondsMax,
  runValueBytesMax,
  type WorkflowDefinition,
  type WorkflowEdge,
  type WorkflowStep
} from "@countersign/domain/workflow-definition"
import { graphOf, type WorkflowGraph } from "@countersign/domain/workflow-graph"
import type { StepError } from "@countersign/domain/workflow-runs"
import { renderTemplate } from "@countersign/domain/workflow-template"
import { Result } from "effect"
import { type RunRecord, stepIdOf } from "./records.ts"

type Condition = ReturnType<typeof compileStepCondition>

export interface CompiledVersion {
  readonly id: string
  readonly definition: WorkflowDefinition
  readonly plan: WorkflowGraph
  /** The steps' positions, for their ids. */
  readonly places: ReadonlyMap<string, number>
  readonly conditions: ReadonlyMap<WorkflowStep | WorkflowEdge, Condition>
  /** A template may name the time at which the run started. */
  readonly readsStart: boolean
}

export const compileVersion = (id: string, definition: WorkflowDefinition): CompiledVersion => ({
  id,
  definition,
  plan: graphOf(definition),
  places: new Map(definition.steps.map(({ label }, place) => [label, place])),
  conditions: new Map<WorkflowStep | WorkflowEdge, Condition>([
    ...definition.steps.flatMap((step) =>
      step.type === "condition" ? [[step, compileStepCondition(step.config.expression)] as const] : []
    ),
    ...definition.edges.flatMap((edge) =>
      edge.when === undefined ? [] : [[edge, compileEdgeCondition(edge.when)] as const]
    )
  ]),
  readsStart: JSON.stringify(definition).includes("created_at")
})

export const byteLength = (value: Json): number => Buffer.byteLength(JSON.stringify(value))

/** An output as a run keeps it. */
export const kept = (value: Json): Json => byteLength(value) > runValueBytesMax ? truncated : value

const invalid = (path: string, message: string): StepError => ({
  code: "invalid_input",
  message: path === "" ? message : `${path}: ${message}`
})

/** The roots of templates and conditions: the input, and the steps that have ended. */
const scopeOf = (state: RunState): { readonly input: Json; readonly steps: Readonly<Record<string, Json>> } => ({
  input: state.input,
  steps: Object.fromEntries(
    Object.entries(state.steps).filter(([, { status }]) =>
      status === "succeeded" || status === "failed" || status === "skipped" || status === "cancelled"
    ).map(([label, { error, output, status }]) => [label, {
      status,
      ...(output === undefined ? {} : { output }),
      ...(error === undefined ? {} : { error: { code: error.code, message: error.message } })
    }])
  )
})

/** The part of a step's configuration that has templates: for a call, the payload. */
const templateOf = (step: WorkflowStep): unknown =>
  step.type === "service_call" ? step.config.payload ?? {} : step.config

const prefixOf = {
  service_call: "req",
  run_workflow: "req",
  webhook: "req",
  approval: "apr",
  agent_request: "arq",
  delegation: "dlg",
  memory_write: "mem"
} as const

export interface EnvironmentOptions {
  readonly now: number
  readonly callbackUrlOf: (stepId: string, attempt: number) => string
}

export const environmentOf = (
  run: Pick<RunRecord, "id" | "createdAt">,
  version: CompiledVersion,
  { callbackUrlOf, now }: EnvironmentOptions
): RunEnvironment => {
  const roots = (state: RunState) => ({
    ...scopeOf(state),
    run: { id: run.id, created_at: new Date(run.createdAt).toISOString() }
  })
  const filled = (
    template: unknown,
    at: string,
    scope: Readonly<Record<string, unknown>>
  ): Result.Result<Json, StepError> => {
    const rendered = renderTemplate(template, scope, at)
    if (Result.isFailure(rendered)) {
      const [first] = rendered.failure
      return Result.fail(invalid(first?.path ?? at, first?.message ?? "It cannot be filled in."))
    }
    const value = rendered.success.value ?? null
    return byteLength(value) > runValueBytesMax
      ? Result.fail(invalid(at, `The value is larger than ${runValueBytesMax} bytes.`))
      : Result.succeed(value)
  }
  const holds = (
    of: WorkflowStep | WorkflowEdge,
    values: Readonly<Record<string, unknown>>
  ): Result.Result<boolean, StepError> => {
    const condition = version.conditions.get(of)
    if (condition === undefined) return Result.succeed(true)
    const value = Result.flatMap(condition, (expression) => expression.evaluate(values))
    return Result.mapError(value, ({ message }): StepError => ({ code: "condition_error", message }))
  }
  return {
    now,
    random: Math.random,
    mint: ({ type }) => type in prefixOf ? newId(prefixOf[type as keyof typeof prefixOf]) : undefined,
    render: (step, state) => {
      const callback = step.type !== "webhook" ? {} : {
        callback_url: callbackUrlOf(
          stepIdOf(run.id, version.places.get(step.label) ?? 0),
          stepOf(state, step.label).attempt + 1
        )
      }
      return filled(templateOf(step), "config", { ...roots(state), ...callback })
    },
    condition: (step, state) => holds(step, scopeOf(state)),
    when: (edge, state) => holds(edge, { ...scopeOf(state), output: stepOf(state, edge.from).output ?? null }),
    delayUntil: (input) => {
      const { seconds, until } = input as { readonly seconds?: Json; readonly until?: Json }
      if (until !== undefined) {
        const at = typeof until === "string" ? momentMillis(until) : Number.NaN
        if (!Number.isFinite(at)) return Result.fail(invalid("config.until", `expected ${timeExample}`))
        return at - now > delaySecondsMax * 1_000
          ? Result.fail(invalid("config.until", "expected a time in the next 30 days"))
          : Result.succeed(at)
      }
      return typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 1 && seconds <= delaySecondsMax
        ? Result.succeed(now + seconds * 1_000)
        : Result.fail(invalid("config.seconds", `expected an integer from 1 to ${delaySecondsMax}`))
    },
    output: (state) => {
      const template = version.definition.output
      if (template !== undefined) return filled(template, "output", roots(state))
      return Result.succeed(kept(Object.fromEntries(
        version.plan.ends.flatMap((label) => {
          const { output } = stepOf(state, label)
          return output === undefined ? [] : [[label, output]]
        })
      )))
    }
  }
}

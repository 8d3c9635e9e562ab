/**
 * The states of a run and its transitions. Pure: the state of a run and an event give the next state, and commands that
 * the engine carries out once the state is saved. Spec: reference/workflows.md "Runs", "Retries", "Cancellation and
 * recovery".
 *
 *     pending ──→ running ⇄ waiting ──→ succeeded | failed | cancelled        pending ──→ skipped
 *
 * Every step has at most one effect under way. `phase` says what an open step waits for.
 */
import { Result } from "effect"
import type { Json } from "./json.ts"
import {
  backoffJitter,
  backoffMillisDefault,
  backoffMillisMax,
  runStateBytesMax,
  type RunStatus,
  stepsAtOnceMax,
  type StepStatus,
  type WorkflowEdge,
  type WorkflowStep
} from "./workflow-definition.ts"
import type { WorkflowGraph } from "./workflow-graph.ts"
import { isRunEnded, type RunError, type StepError } from "./workflow-runs.ts"

/**
 * `effect`: the engine starts it, or a call is in flight. `open`: its outcome comes from a person, a provider, an agent
 * or a child. `timer`: a delay. `backoff`: the pause before the next attempt. `stopping`: its effect is being canceled.
 */
export type StepPhase = "effect" | "open" | "timer" | "backoff" | "stopping"

export interface StepState {
  readonly status: StepStatus
  /** Over the life of the run; 0 before the first. */
  readonly attempt: number
  /** Attempts since the run was started or repeated: what `max_attempts` counts. */
  readonly tries: number
  readonly phase?: StepPhase
  /** The id of the effect of this attempt: of a request, an approval, an agent request, a task, a memory. */
  readonly ref?: string
  /** When a timer or a pause ends. In milliseconds, as every time here. */
  readonly due_at?: number
  readonly timeout_at?: number
  /** Why it is being stopped. */
  readonly stopping?: "timeout" | "end"
  readonly cost_cents: number
  readonly input?: Json
  readonly output?: Json
  readonly error?: StepError
  /** Its effect has not ended, and the step has: the cost follows, and the provider may act. */
  readonly left_open?: boolean
  readonly started_at?: number
  readonly ended_at?: number
}

/** An attempt that another one replaced. */
export interface PastAttempt {
  readonly label: string
  readonly attempt: number
  readonly status: "succeeded" | "failed" | "cancelled"
  readonly ref?: string
  readonly error?: StepError
  readonly started_at?: number
  readonly ended_at?: number
}

/** An effect that outlived its step or its attempt. */
export interface LateEffect {
  readonly label: string
  readonly ref: string
}

export interface RunState {
  readonly status: RunStatus
  /** Ends as soon as nothing is in flight: `cancelled`, or `failed` with the error. */
  readonly ending?: "cancelled" | "failed"
  readonly error?: RunError
  readonly input: Json
  readonly output?: Json
  readonly steps: Readonly<Record<string, StepState>>
  readonly late: ReadonlyArray<LateEffect>
  readonly deadline_at: number
  readonly ended_at?: number
}

export type StepOutcome =
  | { readonly kind: "succeeded"; readonly output: Json; readonly cost_cents?: number }
  | {
    readonly kind: "failed"
    readonly error: StepError
    /** Another attempt repeats nothing: the provider refused, or nothing was sent. */
    readonly retryable: boolean
    /** Without counting as a try, after a pause: the spending is frozen. */
    readonly held?: boolean
    readonly cost_cents?: number
  }

export type RunEvent =
  /** The first event; and the first one of another owner: it starts again what was under way. */
  | { readonly kind: "resume" }
  /** The effect of this attempt has begun, and its outcome comes later. `ref`: it is awaited by another id from now on. */
  | {
    readonly kind: "opened"
    readonly label: string
    readonly attempt: number
    readonly ref?: string
    readonly due_at?: number
  }
  | { readonly kind: "ended"; readonly label: string; readonly attempt: number; readonly outcome: StepOutcome }
  /** The answer to `stop`: nothing is left, or the effect cannot be stopped. */
  | { readonly kind: "stopped"; readonly label: string; readonly attempt: number; readonly left: "nothing" | "effect" }
  /** A late effect has ended. */
  | { readonly kind: "late"; readonly ref: string; readonly cost_cents: number }
  /** Timers may be due. */
  | { readonly kind: "time" }
  | { readonly kind: "cancel" }
  /** Failed and canceled steps, or one of them, and all steps behind them. */
  | { readonly kind: "repeat"; readonly label?: string; readonly deadline_at: number }

export type RunCommand =
  /** `again`: it may have been started before, by this id. */
  | { readonly kind: "start"; readonly label: string; readonly attempt: number; readonly again: boolean }
  | { readonly kind: "stop"; readonly label: string; readonly attempt: number }

export interface RunEnvironment {
  readonly now: number
  /** From 0 to below 1. */
  readonly random: () => number
  /** The id of the effect of an attempt; undefined when the type has none. */
  readonly mint: (step: WorkflowStep) => string | undefined
  /** The rendered configuration of a step. */
  readonly render: (step: WorkflowStep, state: RunState) => Result.Result<Json, StepError>
  /** A condition's value. */
  readonly condition: (step: WorkflowStep, state: RunState) => Result.Result<boolean, StepError>
  readonly when: (edge: WorkflowEdge, state: RunState) => Result.Result<boolean, StepError>
  /** The due time of a delay, from its rendered configuration. */
  readonly delayUntil: (input: Json) => Result.Result<number, StepError>
  readonly output: (state: RunState) => Result.Result<Json, StepError>
}

export interface Transition {
  readonly state: RunState
  readonly commands: ReadonlyArray<RunCommand>
  readonly past: ReadonlyArray<PastAttempt>
}

/** The first pause of a step whose spending is frozen, and the longest. */
const heldMillis = 1_000
const heldMillisMax = 300_000

const pending: StepState = { status: "pending", attempt: 0, tries: 0, cost_cents: 0 }

export const newRunState = (input: Json, deadlineAt: number): RunState => ({
  status: "queued",
  input,
  steps: {},
  late: [],
  deadline_at: deadlineAt
})

export const stepOf = (state: Pick<RunState, "steps">, label: string): StepState => state.steps[label] ?? pending

export const isStepEnded = (status: StepStatus): boolean =>
  status === "succeeded" || status === "failed" || status === "skipped" || status === "cancelled"

const isOpen = ({ status }: StepState): boolean => status === "running" || status === "waiting"

/** The labels behind some steps, with them. */
export const behind = (plan: WorkflowGraph, labels: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(labels.flatMap((label) => [label, ...plan.behind.get(label) ?? []]))

/** The steps that a repetition starts again; empty when there is nothing to repeat. */
export const repeated = (plan: WorkflowGraph, state: RunState, label?: string): ReadonlySet<string> => {
  const failed = plan.labels.filter((name) => {
    const { status } = stepOf(state, name)
    return (status === "failed" || status === "cancelled") && (label === undefined || label === name)
  })
  return behind(plan, failed)
}

/** Whether a repetition may pay a provider twice. */
export const hasUnknownFate = (state: RunState, labels: ReadonlySet<string>): boolean =>
  [...labels].some((label) => {
    const { error, left_open } = stepOf(state, label)
    return error?.fate === "unknown" || left_open === true
  }) || state.late.some(({ label }) => labels.has(label))

/** When the engine must look at a run again; undefined when only an event can change it. */
export const nextDue = (state: RunState): number | undefined => {
  if (isRunEnded(state.status)) return undefined
  let due = state.deadline_at
  for (const step of Object.values(state.steps)) {
    if (step.phase === "timer" || step.phase === "backoff") due = Math.min(due, step.due_at ?? due)
    if (step.phase === "open" && step.due_at !== undefined) due = Math.min(due, step.due_at)
    if ((step.phase === "open" || step.phase === "effect" || step.phase === "timer") && step.timeout_at !== undefined) {
      due = Math.min(due, step.timeout_at)
    }
  }
  return due
}

/** The effects whose end the run waits for. */
export const awaited = (state: RunState): ReadonlyArray<string> => [
  ...Object.values(state.steps).flatMap(({ phase, ref }) => phase === "open" && ref !== undefined ? [ref] : []),
  ...state.late.map(({ ref }) => ref)
]

/** No effect is in flight: only a timer or an event from elsewhere changes the run. */
export const onlyWaits = (state: RunState): boolean =>
  !Object.values(state.steps).some(({ phase }) => phase === "effect" || phase === "stopping")

/** In characters of JSON. */
const size = (value: Json | undefined): number => value === undefined ? 0 : JSON.stringify(value).length

export const truncated: Json = { $truncated: true }

class Draft {
  state: { -readonly [K in keyof RunState]: RunState[K] }
  readonly steps: Record<string, StepState>
  readonly commands: Array<RunCommand> = []
  readonly past: Array<PastAttempt> = []
  /** Why conditions of edges to these steps could not be evaluated. */
  readonly faults = new Map<string, StepError>()
  readonly plan: WorkflowGraph
  readonly env: RunEnvironment

  constructor(plan: WorkflowGraph, state: RunState, env: RunEnvironment) {
    this.plan = plan
    this.env = env
    this.steps = { ...state.steps }
    this.state = { ...state, steps: this.steps }
  }

  get(label: string): StepState {
    return this.steps[label] ?? pending
  }

  set(label: string, change: Partial<StepState>, without: ReadonlyArray<keyof StepState> = []): void {
    const next: Record<string, unknown> = { ...this.get(label), ...change }
    for (const name of without) delete next[name]
    this.steps[label] = next as unknown as StepState
  }

  end(label: string, status: "succeeded" | "failed" | "skipped" | "cancelled", more: Partial<StepState> = {}): void {
    this.set(label, { status, ended_at: this.env.now, ...more }, ["phase", "due_at", "timeout_at", "stopping"])
  }

  /** The current attempt is replaced: it becomes a past one, and its effect, if still open, a late one. */
  supersede(label: string): void {
    const step = this.get(label)
    if (step.attempt === 0 || step.status === "pending" || step.status === "skipped") return
    this.past.push({
      label,
      attempt: step.attempt,
      status: step.status === "succeeded" ? "succeeded" : step.status === "cancelled" ? "cancelled" : "failed",
      ...(step.ref === undefined ? {} : { ref: step.ref }),
      ...(step.error === undefined ? {} : { error: step.error }),
      ...(step.started_at === undefined ? {} : { started_at: step.started_at }),
      ended_at: step.ended_at ?? this.env.now
    })
  }

  leave(label: string): void {
    const { ref } = this.get(label)
    if (ref !== undefined && !this.state.late.some((late) => late.ref === ref)) {
      this.state.late = [...this.state.late, { label, ref }]
    }
  }

  failed(label: string, error: StepError, more: Partial<StepState> = {}): void {
    this.end(label, "failed", { error, ...more })
    if (this.plan.steps.get(label)?.on_error === "continue" || this.state.ending !== undefined) return
    const { block, code, message } = error
    this.endRun("failed", { code, message, label, ...(block === undefined ? {} : { block }) })
  }

  /** Nothing new starts; waiting steps are canceled, and calls in flight end. */
  endRun(ending: "cancelled" | "failed", error?: RunError): void {
    if (this.state.ending !== undefined || isRunEnded(this.state.status)) return
    this.state.ending = ending
    if (error !== undefined) this.state.error = error
    for (const label of this.plan.labels) {
      const step = this.get(label)
      if (step.phase === "open") {
        this.set(label, { phase: "stopping", stopping: "end" }, ["due_at", "timeout_at"])
        this.commands.push({ kind: "stop", label, attempt: step.attempt })
      } else if (step.phase === "timer" || step.phase === "backoff") this.end(label, "cancelled")
    }
  }

  /** Starts an attempt, of which the step's configuration was rendered. */
  attempt(step: WorkflowStep, input: Json): void {
    const { attempt, tries } = this.get(step.label)
    const { now } = this.env
    const ref = this.env.mint(step)
    this.set(step.label, {
      status: "running",
      phase: "effect",
      attempt: attempt + 1,
      tries: tries + 1,
      input,
      started_at: now,
      ...(ref === undefined ? {} : { ref }),
      ...(step.timeout_ms === undefined ? {} : { timeout_at: now + step.timeout_ms })
    }, [
      "ended_at",
      "error",
      "output",
      "due_at",
      "stopping",
      "left_open",
      ...(ref === undefined ? ["ref" as const] : [])
    ])
    this.commands.push({ kind: "start", label: step.label, attempt: attempt + 1, again: false })
  }

  /** A step whose edges are resolved: starts it, ends it at once, or fails it. */
  start(step: WorkflowStep): void {
    const { label } = step
    const { attempt, tries } = this.get(label)
    const begun = { attempt: attempt + 1, tries: tries + 1, started_at: this.env.now }
    if (step.type === "condition") {
      const value = this.env.condition(step, this.state)
      if (Result.isFailure(value)) this.failed(label, value.failure, begun)
      else this.succeed(label, { result: value.success }, begun)
      return
    }
    const input = this.env.render(step, this.state)
    if (Result.isFailure(input)) return this.failed(label, input.failure, begun)
    if (step.type === "delay") {
      const due = this.env.delayUntil(input.success)
      if (Result.isFailure(due)) return this.failed(label, due.failure, { ...begun, input: input.success })
      if (due.success <= this.env.now) return this.succeed(label, {}, { ...begun, input: input.success })
      this.set(label, {
        ...begun,
        status: "waiting",
        phase: "timer",
        input: input.success,
        due_at: due.success,
        ...(step.timeout_ms === undefined ? {} : { timeout_at: this.env.now + step.timeout_ms })
      }, ["ended_at", "error", "output"])
      return
    }
    this.attempt(step, input.success)
  }

  /** An output that would exceed what a run may hold is cut: the step has succeeded, and was paid for. */
  succeed(label: string, output: Json, more: Partial<StepState> = {}): void {
    const held = Object.values(this.steps).reduce((sum, step) => sum + size(step.input) + size(step.output), 0)
    const fits = held + size(output) + size(this.state.input) <= runStateBytesMax
    this.end(label, "succeeded", { ...more, output: fits ? output : truncated })
  }

  /** Starts every step that can start, skips dead ones, and ends the run when nothing is left. */
  advance(): void {
    const { plan, state } = this
    if (isRunEnded(state.status)) return
    for (let changed = true; changed && state.ending === undefined;) {
      changed = false
      let running = Object.values(this.steps).filter(({ status }) => status === "running").length
      for (const [label, step] of plan.steps) {
        if (this.get(label).status !== "pending" || state.ending !== undefined) continue
        const ready = this.readiness(label)
        if (ready === "wait" || (ready === "start" && running >= stepsAtOnceMax)) continue
        if (ready === "skip") this.end(label, "skipped")
        else if (ready === "start") this.start(step)
        else this.failed(label, this.faults.get(label) ?? { code: "condition_error", message: "A condition failed." })
        if (this.get(label).status === "running") running++
        changed = true
      }
    }
    this.derive()
  }

  /**
   * Conditions are evaluated once all sources have ended. An edge is dead when its source was skipped or its condition is
   * false; a step without edges starts with the run.
   */
  readiness(label: string): "wait" | "start" | "skip" | "fail" {
    const edges = this.plan.incoming.get(label) ?? []
    let lives = edges.length === 0
    for (const { from } of edges) {
      const { status } = this.get(from)
      // A failed source is repeated later, or ends the run.
      const isFailed = status === "failed" && this.plan.steps.get(from)?.on_error !== "continue"
      if (!isStepEnded(status) || isFailed) return "wait"
    }
    for (const edge of edges) {
      const { status } = this.get(edge.from)
      if (status === "skipped" || status === "cancelled") continue
      const value = edge.when === undefined ? Result.succeed(true) : this.env.when(edge, this.state)
      if (Result.isFailure(value)) {
        this.faults.set(label, value.failure)
        return "fail"
      }
      lives ||= value.success
    }
    return lives ? "start" : "skip"
  }

  derive(): void {
    const { plan, state } = this
    const steps = plan.labels.map((label) => this.get(label))
    if (steps.some(isOpen)) {
      // The status of an ending run is that of its open steps, so that readers see it is not over.
      state.status = steps.some(({ status }) => status === "running") ? "running" : "waiting"
      return
    }
    const failure = plan.labels.find((label) =>
      this.get(label).status === "failed" && plan.steps.get(label)?.on_error !== "continue"
    )
    const ending = state.ending ?? (failure === undefined ? undefined : "failed" as const)
    if (ending === undefined && steps.some(({ status }) => status === "pending")) {
      // A step is pending only behind one that is not resolved.
      throw new Error("a run has pending steps and nothing that could start them")
    }
    for (const label of plan.labels) if (this.get(label).status === "pending") this.end(label, "cancelled")
    if (ending === undefined) {
      const output = this.env.output(state)
      if (Result.isFailure(output)) {
        state.status = "failed"
        state.error = output.failure
      } else {
        state.status = "succeeded"
        state.output = output.success
      }
    } else {
      state.status = ending
      if (ending === "failed" && state.error === undefined && failure !== undefined) {
        const { block, code, message } = this.get(failure).error ?? { code: "failed", message: "A step failed." }
        state.error = { code, message, label: failure, ...(block === undefined ? {} : { block }) }
      }
    }
    state.ended_at = this.env.now
    delete state.ending
  }

  /** The outcome of the current attempt. */
  outcome(label: string, outcome: StepOutcome): void {
    const step = this.get(label)
    const definition = this.plan.steps.get(label)!
    const cost = step.cost_cents + (outcome.cost_cents ?? 0)
    if (outcome.kind === "succeeded") return this.succeed(label, outcome.output, { cost_cents: cost })
    this.set(label, { cost_cents: cost })
    if (this.state.ending !== undefined) return this.failed(label, outcome.error)
    if (outcome.held === true) {
      this.pause(label, outcome.error, heldPause(step), true)
    } else if (outcome.retryable && step.tries < (definition.retry?.max_attempts ?? 1)) {
      this.pause(label, outcome.error, backoff(definition, step.tries, this.env.random()), false)
    } else this.failed(label, outcome.error)
  }

  pause(label: string, error: StepError, millis: number, held: boolean): void {
    const { tries } = this.get(label)
    this.set(label, {
      status: "waiting",
      phase: "backoff",
      due_at: this.env.now + millis,
      error,
      ended_at: this.env.now,
      tries: held ? tries - 1 : tries
    }, ["timeout_at", "stopping"])
  }

  stopped(label: string, left: "nothing" | "effect"): void {
    const step = this.get(label)
    const open = left === "effect" ? { left_open: true } : {}
    if (left === "effect") this.leave(label)
    if (step.stopping === "end" || this.state.ending !== undefined) return this.end(label, "cancelled", open)
    const error: StepError = {
      code: "step_timeout",
      message: left === "effect"
        ? "The step took too long. Its request could not be stopped and may still be executed."
        : "The step took too long and was stopped.",
      ...(left === "effect" ? { fate: "unknown" as const } : {})
    }
    this.set(label, open)
    this.outcome(label, { kind: "failed", error, retryable: left === "nothing" })
  }

  time(): void {
    const { now } = this.env
    if (this.state.deadline_at <= now) {
      this.endRun("failed", { code: "deadline_passed", message: "The run took longer than a run may take." })
    }
    for (const label of this.plan.labels) {
      const step = this.get(label)
      const isLate = step.timeout_at !== undefined && step.timeout_at <= now
      const isDue = step.due_at !== undefined && step.due_at <= now
      switch (step.phase) {
        case "timer":
          if (isDue) this.succeed(label, {})
          else if (isLate) {
            this.failed(label, { code: "step_timeout", message: "The step took too long and was stopped." })
          }
          break
        case "backoff":
          if (isDue && this.state.ending === undefined) {
            this.supersede(label)
            this.attempt(this.plan.steps.get(label)!, step.input ?? null)
          }
          break
        case "open":
        case "effect":
          // An open step's own end, such as that of a callback, is a stop as well.
          if (isLate || (step.phase === "open" && isDue)) {
            this.set(label, { phase: "stopping", stopping: "timeout" }, ["due_at", "timeout_at"])
            this.commands.push({ kind: "stop", label, attempt: step.attempt })
          }
      }
    }
  }

  resume(): void {
    for (const label of this.plan.labels) {
      const { attempt, phase } = this.get(label)
      if (phase === "effect" && this.state.ending === undefined) {
        this.commands.push({ kind: "start", label, attempt, again: true })
      } else if (phase === "effect") {
        // Nothing starts in a run that ends: what did not begin never will.
        this.set(label, { phase: "stopping", stopping: "end" }, ["timeout_at"])
        this.commands.push({ kind: "stop", label, attempt })
      } else if (phase === "stopping") this.commands.push({ kind: "stop", label, attempt })
    }
  }

  repeat(label: string | undefined, deadlineAt: number): void {
    const { state } = this
    if (!isRunEnded(state.status)) return
    const labels = repeated(this.plan, state, label)
    if (labels.size === 0) return
    for (const name of labels) {
      const step = this.get(name)
      this.supersede(name)
      if (step.left_open === true) this.leave(name)
      this.steps[name] = { status: "pending", attempt: step.attempt, tries: 0, cost_cents: step.cost_cents }
    }
    state.status = "queued"
    state.deadline_at = deadlineAt
    delete state.error
    delete state.output
    delete state.ended_at
  }

  late(ref: string, cents: number): void {
    const late = this.state.late.find((one) => one.ref === ref)
    if (late === undefined) return
    this.state.late = this.state.late.filter((one) => one !== late)
    const step = this.get(late.label)
    this.set(late.label, { cost_cents: step.cost_cents + cents }, step.ref === ref ? ["left_open"] : [])
  }
}

const backoff = ({ retry }: WorkflowStep, tries: number, random: number): number =>
  Math.min((retry?.backoff_ms ?? backoffMillisDefault) * 2 ** (tries - 1), backoffMillisMax) *
  (1 + backoffJitter * random)

/** Doubles with each attempt that did not count. */
const heldPause = ({ attempt, tries }: StepState): number =>
  Math.min(heldMillis * 2 ** Math.min(attempt - tries, 16), heldMillisMax)

/** The next state of a run. An event about an attempt that is not the current one changes nothing. */
export const transition = (plan: WorkflowGraph, state: RunState, event: RunEvent, env: RunEnvironment): Transition => {
  const draft = new Draft(plan, state, env)
  const isCurrent = "attempt" in event && draft.get(event.label).attempt === event.attempt
  const phase = "attempt" in event ? draft.get(event.label).phase : undefined
  switch (event.kind) {
    case "resume":
      draft.resume()
      break
    case "opened":
      if (!isCurrent || (phase !== "effect" && !(phase === "open" && event.ref !== undefined))) break
      draft.set(event.label, {
        status: "waiting",
        phase: "open",
        ...(event.ref === undefined ? {} : { ref: event.ref }),
        ...(event.due_at === undefined ? {} : { due_at: event.due_at })
      })
      if (draft.state.ending !== undefined) {
        draft.set(event.label, { phase: "stopping", stopping: "end" }, ["due_at", "timeout_at"])
        draft.commands.push({ kind: "stop", label: event.label, attempt: event.attempt })
      }
      break
    case "ended":
      if (isCurrent && (phase === "effect" || phase === "open" || phase === "stopping")) {
        draft.outcome(event.label, event.outcome)
      }
      break
    case "stopped":
      if (isCurrent && phase === "stopping") draft.stopped(event.label, event.left)
      break
    case "late":
      draft.late(event.ref, event.cost_cents)
      break
    case "time":
      if (!isRunEnded(state.status)) draft.time()
      break
    case "cancel":
      draft.endRun("cancelled")
      break
    case "repeat":
      draft.repeat(event.label, event.deadline_at)
  }
  draft.advance()
  return { state: draft.state, commands: draft.commands, past: draft.past }
}

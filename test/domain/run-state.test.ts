/**
 * The states of a run, against a world that loses commands in crashes: a random graph, random outcomes, crashes, cancels,
 * and repetitions. A failure prints its seed.
 */
import {
  awaited,
  hasUnknownFate,
  isStepEnded,
  newRunState,
  nextDue,
  repeated,
  type RunEnvironment,
  type RunEvent,
  type RunState,
  stepOf,
  type StepOutcome,
  type Transition,
  transition
} from "@countersign/domain/run-state"
import { stepsAtOnceMax, type WorkflowEdge, type WorkflowStep } from "@countersign/domain/workflow-definition"
import { graphOf, type WorkflowGraph } from "@countersign/domain/workflow-graph"
import { isRunEnded } from "@countersign/domain/workflow-runs"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type Chance, chanceOf } from "../support/random.ts"

const call = (label: string, more: Partial<WorkflowStep> = {}): WorkflowStep =>
  ({ label, type: "service_call", config: { service: "echo", operation: "say" }, ...more }) as WorkflowStep
const delay = (label: string, seconds: number): WorkflowStep => ({ label, type: "delay", config: { seconds } })
const edge = (from: string, to: string, when?: string): WorkflowEdge => ({
  from,
  to,
  ...(when === undefined ? {} : { when })
})

const day = 86_400_000

/** Conditions here are `true`, `false`, or `error`. */
const environmentOf = (now: () => number, random: () => number): RunEnvironment => {
  let minted = 0
  const truth = (text: string) =>
    text === "error"
      ? Result.fail({ code: "condition_error", message: "It failed." })
      : Result.succeed(text === "true")
  return {
    get now() {
      return now()
    },
    random,
    mint: (step) => `${step.label}-${++minted}`,
    render: (step) => Result.succeed(step.type === "delay" ? (step.config.seconds ?? 0) : null),
    condition: (step) => truth(step.type === "condition" ? step.config.expression : "true"),
    when: (edge) => truth(edge.when ?? "true"),
    delayUntil: (input) => Result.succeed(now() + Number(input) * 1_000),
    output: () => Result.succeed("done")
  }
}

const succeeded = (output = 1): StepOutcome => ({ kind: "succeeded", output, cost_cents: 1 })
const failed = (retryable = false): StepOutcome => ({
  kind: "failed",
  error: { code: "adapter_error", message: "It failed." },
  retryable
})

/** Applies events one after the other. */
const drive = (plan: WorkflowGraph, events: ReadonlyArray<RunEvent>, at = 0) => {
  let now = at
  const environment = environmentOf(() => now, () => 0.5)
  let last: Transition = { state: newRunState(null, 7 * day), commands: [], past: [] }
  const apply = (event: RunEvent) => (last = transition(plan, last.state, event, environment))
  for (const event of events) apply(event)
  return { apply, state: () => last.state, wait: (millis: number) => void (now += millis) }
}
const ended = (label: string, outcome: StepOutcome, attempt = 1): RunEvent => ({
  kind: "ended",
  label,
  attempt,
  outcome
})
const statuses = (state: RunState, ...labels: ReadonlyArray<string>) =>
  labels.map((label) => stepOf(state, label).status)
const begin: RunEvent = { kind: "resume" }

describe("edges and joins", () => {
  const branch = graphOf({
    steps: [call("A"), call("B"), call("C"), call("Join")],
    edges: [edge("A", "B", "true"), edge("A", "C", "false"), edge("B", "Join"), edge("C", "Join")]
  })

  it("skips a step whose edges are all dead, and starts a join behind the living branch", () => {
    const run = drive(branch, [begin, ended("A", succeeded())])
    assert.deepStrictEqual(statuses(run.state(), "A", "B", "C", "Join"), ["succeeded", "running", "skipped", "pending"])
    const { commands, state } = run.apply(ended("B", succeeded()))
    assert.deepStrictEqual(commands, [{ kind: "start", label: "Join", attempt: 1, again: false }])
    assert.strictEqual(state.status, "running")
    assert.strictEqual(run.apply(ended("Join", succeeded())).state.status, "succeeded")
  })

  it("starts a join only when all steps before it are resolved", () => {
    const plan = graphOf({ steps: [call("A"), call("B"), call("J")], edges: [edge("A", "J"), edge("B", "J")] })
    const run = drive(plan, [begin, ended("A", succeeded())])
    assert.deepStrictEqual(statuses(run.state(), "B", "J"), ["running", "pending"])
    assert.deepStrictEqual(statuses(run.apply(ended("B", succeeded())).state, "J"), ["running"])
  })

  it("fails the target of an edge whose condition errs", () => {
    const plan = graphOf({ steps: [call("A"), call("B")], edges: [edge("A", "B", "error")] })
    const { error, status } = drive(plan, [begin, ended("A", succeeded())]).state()
    assert.strictEqual(status, "failed")
    assert.deepInclude(error, { code: "condition_error", label: "B" })
  })

  it("continues behind a failed step with on_error: continue, and the run succeeds", () => {
    const plan = graphOf({ steps: [call("A", { on_error: "continue" }), call("B")], edges: [edge("A", "B")] })
    const run = drive(plan, [begin, ended("A", failed()), ended("B", succeeded())])
    assert.deepStrictEqual(statuses(run.state(), "A", "B"), ["failed", "succeeded"])
    assert.strictEqual(run.state().status, "succeeded")
  })

  it("runs at most 16 steps at once", () => {
    const plan = graphOf({ steps: Array.from({ length: 20 }, (_, index) => call(`S${index}`)), edges: [] })
    const run = drive(plan, [begin])
    const running = () => Object.values(run.state().steps).filter(({ status }) => status === "running").length
    assert.strictEqual(running(), stepsAtOnceMax)
    run.apply(ended("S0", succeeded()))
    assert.strictEqual(running(), stepsAtOnceMax)
  })
})

describe("failures", () => {
  it("fails fast: nothing starts, calls in flight end, and waiting steps are stopped", () => {
    const plan = graphOf({
      steps: [call("Bad"), call("Flying"), call("Open"), delay("Timer", 60), call("Next")],
      edges: [edge("Flying", "Next")]
    })
    const run = drive(plan, [begin, { kind: "opened", label: "Open", attempt: 1 }])
    const { commands } = run.apply(ended("Bad", failed()))
    assert.deepStrictEqual(commands, [{ kind: "stop", label: "Open", attempt: 1 }])
    run.apply(ended("Flying", succeeded()))
    run.apply({ kind: "stopped", label: "Open", attempt: 1, left: "nothing" })
    const state = run.state()
    assert.strictEqual(state.status, "failed")
    assert.deepStrictEqual(
      statuses(state, "Bad", "Flying", "Open", "Timer", "Next"),
      ["failed", "succeeded", "cancelled", "cancelled", "cancelled"]
    )
    assert.strictEqual(state.error?.label, "Bad")
  })

  it("stops an effect that begins to wait after the run was canceled", () => {
    const run = drive(graphOf({ steps: [call("A")], edges: [] }), [begin, { kind: "cancel" }])
    const { commands } = run.apply({ kind: "opened", label: "A", attempt: 1 })
    assert.deepStrictEqual(commands, [{ kind: "stop", label: "A", attempt: 1 }])
    assert.strictEqual(
      run.apply({ kind: "stopped", label: "A", attempt: 1, left: "nothing" }).state.status,
      "cancelled"
    )
  })

  it("retries after a pause that doubles, with a new id, and keeps the attempts", () => {
    const plan = graphOf({ steps: [call("A", { retry: { max_attempts: 3, backoff_ms: 1_000 } })], edges: [] })
    const run = drive(plan, [begin])
    const first = stepOf(run.state(), "A").ref!
    run.apply(ended("A", failed(true)))
    assert.strictEqual(nextDue(run.state()), 1_100)
    run.wait(1_099)
    assert.lengthOf(run.apply({ kind: "time" }).commands, 0)
    run.wait(1)
    const { past, state } = run.apply({ kind: "time" })
    assert.deepInclude(past[0], { label: "A", attempt: 1, status: "failed", ref: first })
    assert.notStrictEqual(stepOf(state, "A").ref, first)
    run.apply(ended("A", failed(true), 2))
    assert.strictEqual(nextDue(run.state()), 1_100 + 2_200)
    run.wait(2_200)
    run.apply({ kind: "time" })
    assert.strictEqual(run.apply(ended("A", failed(true), 3)).state.status, "failed")
  })

  it("does not retry a failure that may have been executed", () => {
    const plan = graphOf({ steps: [call("A", { retry: { max_attempts: 3 } })], edges: [] })
    assert.strictEqual(drive(plan, [begin, ended("A", failed(false))]).state().status, "failed")
  })

  it("waits for the end of a freeze without counting attempts", () => {
    const run = drive(graphOf({ steps: [call("A")], edges: [] }), [begin])
    for (let attempt = 1; attempt <= 5; attempt++) {
      run.apply(
        ended(
          "A",
          { kind: "failed", error: { code: "spending_frozen", message: "" }, retryable: false, held: true },
          attempt
        )
      )
      assert.strictEqual(stepOf(run.state(), "A").status, "waiting")
      run.wait(nextDue(run.state())!)
      run.apply({ kind: "time" })
    }
    assert.strictEqual(run.apply(ended("A", succeeded(), 6)).state.status, "succeeded")
  })

  it("stops a step at its timeout; what cannot be stopped fails it, and its cost follows", () => {
    const plan = graphOf({ steps: [call("A", { timeout_ms: 50, retry: { max_attempts: 2 } })], edges: [] })
    const run = drive(plan, [begin])
    const ref = stepOf(run.state(), "A").ref!
    run.wait(50)
    assert.deepStrictEqual(run.apply({ kind: "time" }).commands, [{ kind: "stop", label: "A", attempt: 1 }])
    const { state } = run.apply({ kind: "stopped", label: "A", attempt: 1, left: "effect" })
    assert.strictEqual(state.status, "failed")
    assert.deepInclude(state.error, { code: "step_timeout", label: "A" })
    assert.deepStrictEqual(awaited(state), [ref])
    assert.isTrue(hasUnknownFate(state, repeated(plan, state)))
    const last = run.apply({ kind: "late", ref, cost_cents: 7 }).state
    assert.strictEqual(stepOf(last, "A").cost_cents, 7)
    assert.lengthOf(awaited(last), 0)
    assert.isUndefined(stepOf(last, "A").left_open)
  })

  it("retries a step that was stopped at its timeout", () => {
    const plan = graphOf({ steps: [call("A", { timeout_ms: 50, retry: { max_attempts: 2 } })], edges: [] })
    const run = drive(plan, [begin])
    run.wait(50)
    run.apply({ kind: "time" })
    assert.deepStrictEqual(
      statuses(run.apply({ kind: "stopped", label: "A", attempt: 1, left: "nothing" }).state, "A"),
      ["waiting"]
    )
  })

  it("fails a run at its deadline", () => {
    const run = drive(graphOf({ steps: [delay("A", 8 * 86_400)], edges: [] }), [begin])
    run.wait(7 * day)
    const { state } = run.apply({ kind: "time" })
    assert.strictEqual(state.status, "failed")
    assert.strictEqual(state.error?.code, "deadline_passed")
  })
})

describe("repetition", () => {
  const plan = graphOf({
    steps: [call("Paid"), call("Bad"), call("Other"), call("Behind")],
    edges: [edge("Paid", "Bad"), edge("Bad", "Behind"), edge("Paid", "Other")]
  })
  const failedRun = () =>
    drive(plan, [begin, ended("Paid", succeeded()), ended("Other", failed()), ended("Bad", failed())])

  it("keeps successful steps, and starts failed and canceled steps and all behind them again", () => {
    const run = failedRun()
    const { commands, state } = run.apply({ kind: "repeat", deadline_at: 9 * day })
    assert.deepStrictEqual(commands.map(({ label }) => label), ["Bad", "Other"])
    assert.deepStrictEqual(statuses(state, "Paid", "Bad", "Behind"), ["succeeded", "running", "pending"])
    assert.strictEqual(stepOf(state, "Bad").attempt, 2)
    run.apply(ended("Bad", succeeded(), 2))
    run.apply(ended("Other", succeeded(), 2))
    assert.strictEqual(run.apply(ended("Behind", succeeded())).state.status, "succeeded")
  })

  it("repeats one step; the run fails again while another one has failed", () => {
    const run = failedRun()
    const { commands } = run.apply({ kind: "repeat", label: "Bad", deadline_at: 9 * day })
    assert.deepStrictEqual(commands.map(({ label }) => label), ["Bad"])
    run.apply(ended("Bad", succeeded(), 2))
    const { state } = run.apply(ended("Behind", succeeded()))
    assert.strictEqual(state.status, "failed")
    assert.strictEqual(state.error?.label, "Other")
  })

  it("has nothing to repeat in a run that succeeded", () => {
    const one = graphOf({ steps: [call("A")], edges: [] })
    assert.lengthOf([...repeated(one, drive(one, [begin, ended("A", succeeded())]).state())], 0)
  })
})

/** A random definition; an edge leads from an earlier to a later step. */
const definitionOf = (chance: Chance): WorkflowGraph => {
  const labels = Array.from({ length: 1 + chance.int(12) }, (_, index) => `S${index}`)
  const steps = labels.map((label): WorkflowStep => {
    if (chance.int(10) === 0) return delay(label, chance.int(51))
    if (chance.int(10) === 0) {
      return { label, type: "condition", config: { expression: chance.one(["true", "false", "error"]) } }
    }
    return call(label, {
      ...(chance.int(4) === 0 ? { on_error: "continue" } : {}),
      ...(chance.int(3) === 0 ? { retry: { max_attempts: 1 + chance.int(4), backoff_ms: chance.int(5_001) } } : {}),
      ...(chance.int(4) === 0 ? { timeout_ms: 1 + chance.int(20_000) } : {})
    })
  })
  const edges = labels.flatMap((to, at) =>
    labels.slice(0, at).filter(() => chance.int(at + 1) < 2).map((from) =>
      edge(from, to, chance.one([undefined, undefined, "true", "true", "false", "error"]))
    )
  )
  return graphOf({ steps, edges })
}

interface Effect {
  readonly label: string
  readonly attempt: number
  readonly ref: string
  executions: number
  open: boolean
  outcome: StepOutcome | undefined
}

/**
 * One run with its world. A command that was not carried out before a crash is lost; an effect with its id exists once
 * however often it is started.
 */
const world = (seed: number) => {
  const chance = chanceOf(seed)
  const plan = definitionOf(chance)
  let now = 0
  const environment = environmentOf(() => now, () => chance.int(100) / 100)
  let state = newRunState(null, 40 * day)
  const effects = new Map<string, Effect>()
  let commands: Array<Transition["commands"][number]> = []
  let repeats = chance.int(4)

  const apply = (event: RunEvent) => {
    const before = state
    const next = transition(plan, state, event, environment)
    state = next.state
    commands.push(...next.commands)
    for (const label of plan.labels) {
      const [was, is] = [stepOf(before, label), stepOf(state, label)]
      if (was !== is && was.status === "succeeded" && event.kind !== "repeat") {
        assert.deepStrictEqual(
          is,
          { ...was, cost_cents: is.cost_cents },
          `seed ${seed}: ${label} changed after its success`
        )
      }
      if (is.status === "running" && was.status === "pending") {
        for (const { from } of plan.incoming.get(label) ?? []) {
          const source = stepOf(state, from)
          const resolved = source.status === "succeeded" || source.status === "skipped" ||
            (source.status === "failed" && plan.steps.get(from)?.on_error === "continue")
          assert.isTrue(resolved, `seed ${seed}: ${label} started before ${from} was resolved`)
        }
      }
    }
    const running = Object.values(state.steps).filter(({ status }) => status === "running").length
    assert.isAtMost(running, stepsAtOnceMax, `seed ${seed}`)
  }

  const outcome = (): StepOutcome => {
    const kind = chance.int(10)
    if (kind < 6) return succeeded()
    if (kind < 8) return failed(true)
    if (kind === 8) return failed(false)
    return { kind: "failed", error: { code: "spending_frozen", message: "" }, retryable: false, held: true }
  }
  const report = ({ attempt, label, outcome }: Effect) => {
    if (outcome !== undefined) apply({ kind: "ended", label, attempt, outcome })
  }

  const carryOut = () => {
    const [command] = commands.splice(chance.int(commands.length), 1)
    if (command === undefined) return
    const { attempt, label } = command
    const step = stepOf(state, label)
    if (step.attempt !== attempt || step.ref === undefined) return
    const known = effects.get(step.ref)
    if (command.kind === "start") {
      const effect = known ?? { label, attempt, ref: step.ref, executions: 0, open: true, outcome: undefined }
      if (known === undefined) {
        effect.executions++
        effects.set(step.ref, effect)
        if (chance.int(3) > 0) Object.assign(effect, { open: false, outcome: outcome() })
      }
      if (effect.open) apply({ kind: "opened", label, attempt })
      else report(effect)
      return
    }
    if (known === undefined) return apply({ kind: "stopped", label, attempt, left: "nothing" })
    if (!known.open) return report(known)
    if (chance.int(2) === 0) {
      known.open = false
      apply({ kind: "stopped", label, attempt, left: "nothing" })
    } else apply({ kind: "stopped", label, attempt, left: "effect" })
  }

  const sweep = () => {
    for (const ref of awaited(state)) {
      const effect = effects.get(ref)
      if (effect === undefined || effect.open) continue
      if (state.late.some((late) => late.ref === ref)) apply({ kind: "late", ref, cost_cents: 1 })
      else report(effect)
    }
  }

  const act = () => {
    const kind = chance.int(20)
    if (kind < 10 && commands.length > 0) return carryOut()
    if (kind < 14) {
      // An open effect ends somewhere; the sweep finds it.
      const open = [...effects.values()].filter(({ open }) => open)
      if (open.length > 0) Object.assign(chance.one(open), { open: false, outcome: outcome() })
      return
    }
    if (kind < 16) return sweep()
    if (kind === 16) {
      // A crash: commands under way are lost, and another owner resumes.
      commands = []
      return apply({ kind: "resume" })
    }
    if (kind === 17 && chance.int(10) === 0) return apply({ kind: "cancel" })
    if (kind === 18 && isRunEnded(state.status) && repeats > 0 && repeated(plan, state).size > 0) {
      repeats--
      return apply({ kind: "repeat", deadline_at: now + 40 * day })
    }
    now += chance.int(10_001)
    apply({ kind: "time" })
  }

  return {
    run: () => {
      apply({ kind: "resume" })
      for (let step = 0; step < 200; step++) act()
      // Everything calms down: the run must reach its end by what it waits for alone.
      for (let round = 0; !(isRunEnded(state.status) && state.late.length === 0); round++) {
        assert.isBelow(round, 3_000, `seed ${seed}: the run does not end: ${JSON.stringify(state)}`)
        while (commands.length > 0) carryOut()
        for (const effect of effects.values()) {
          if (effect.open) Object.assign(effect, { open: false, outcome: succeeded() })
        }
        sweep()
        if (commands.length > 0 || isRunEnded(state.status)) continue
        const due = nextDue(state)
        assert.isDefined(due, `seed ${seed}: nothing would wake the run`)
        now = Math.max(now, due!)
        apply({ kind: "time" })
      }
      for (const label of plan.labels) {
        assert.isTrue(isStepEnded(stepOf(state, label).status), `seed ${seed}: ${label} has not ended`)
      }
      for (const { executions, ref } of effects.values()) assert.strictEqual(executions, 1, `seed ${seed}: ${ref}`)
      const bad = plan.labels.some((label) =>
        stepOf(state, label).status === "failed" && plan.steps.get(label)?.on_error !== "continue"
      )
      if (state.status === "succeeded") assert.isFalse(bad, `seed ${seed}`)
      if (bad) assert.notStrictEqual(state.status, "succeeded", `seed ${seed}`)
    }
  }
}

describe("random runs", () => {
  it("end with correct joins, lose no wake-up, and execute each effect once, whatever crashes", () => {
    for (let seed = 1; seed <= 500; seed++) world(seed).run()
  })
})

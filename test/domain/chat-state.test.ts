import { modelCallsMax } from "@countersign/domain/chat"
import {
  type ChatStep,
  type LocalStep,
  type ModelStep,
  nextAction,
  type ToolStep,
  type TurnView
} from "@countersign/domain/chat-state"
import { assert, describe, it } from "@effect/vitest"

const calm: TurnView = {
  cancelRequested: false,
  watched: true,
  draining: false,
  overtime: false,
  localOverdue: false
}
const model = (step: number, more: Partial<ModelStep> = {}): ModelStep => ({
  kind: "model",
  step,
  state: "done",
  model: "offline/echo",
  part: 0,
  max_tokens: 10,
  cost_cents: 0,
  outcome: { kind: "answered", answer: { text: "", thinking: "", reasoning: [], calls: [] } },
  ...more
})
const tool = (step: number, more: Partial<ToolStep> = {}): ToolStep => ({
  kind: "tool",
  step,
  state: "done",
  call_id: `call_${step}`,
  model_call_id: `call_${step}`,
  name: "echo__say",
  service: "echo",
  operation: "say",
  payload: {},
  cost_cents: 1,
  ...more
})
const local = (step: number, more: Partial<LocalStep> = {}): LocalStep => ({
  kind: "local",
  step,
  state: "open",
  call_id: `call_${step}`,
  model_call_id: `call_${step}`,
  name: "shell",
  input: {},
  cost_cents: 0,
  ...more
})
const kindOf = (steps: ReadonlyArray<ChatStep>, view: Partial<TurnView> = {}) =>
  nextAction(steps, { ...calm, ...view }).kind

describe("the next action of a turn", () => {
  it("calls the model first, and again once every call of its answer has an outcome", () => {
    assert.strictEqual(kindOf([]), "call_model")
    assert.strictEqual(kindOf([model(0), tool(1), tool(2)]), "call_model")
    assert.strictEqual(kindOf([model(0)]), "finish")
    assert.strictEqual(kindOf([model(0), tool(1), model(2)]), "finish")
  })

  it("finds a call that may have been sent before anything else, also when nobody reads", () => {
    const { outcome: _, ...open } = model(0, { state: "open", request_id: "req_1" })
    assert.strictEqual(kindOf([open], { cancelRequested: true, watched: false }), "resume_model")
    const begun = tool(1, { state: "open", request_id: "req_2" })
    assert.strictEqual(kindOf([model(0), begun], { watched: false, draining: true }), "run_calls")
  })

  it("runs the hub's calls before it asks for those of the caller", () => {
    const steps = [model(0), tool(1, { state: "open" }), local(2)]
    assert.deepStrictEqual(nextAction(steps, calm), { kind: "run_calls", steps: [steps[1] as ToolStep] })
    assert.strictEqual(kindOf([model(0), tool(1), local(2)]), "ask_local")
    assert.strictEqual(kindOf([model(0), tool(1), local(2)], { localOverdue: true }), "time_out_local")
  })

  it("waits for a person when all other calls of the answer have ended", () => {
    assert.strictEqual(kindOf([model(0), tool(1, { state: "pending" }), tool(2, { state: "open" })]), "run_calls")
    assert.strictEqual(kindOf([model(0), tool(1, { state: "pending" }), tool(2)]), "wait_approval")
    const { outcome: _, ...pending } = model(0, { state: "pending", approval_id: "apr_1" })
    assert.strictEqual(kindOf([pending]), "wait_approval")
    assert.strictEqual(kindOf([pending], { cancelRequested: true }), "cancel")
  })

  it("pauses between steps, and never before the first or instead of the end", () => {
    const steps = [model(0), tool(1)]
    assert.deepStrictEqual(nextAction(steps, { ...calm, watched: false }), { kind: "pause", reason: "no_reader" })
    assert.deepStrictEqual(nextAction(steps, { ...calm, draining: true }), { kind: "pause", reason: "drain" })
    assert.strictEqual(kindOf([model(0), tool(1, { state: "open" })], { watched: false }), "pause")
    assert.strictEqual(kindOf([], { watched: false }), "call_model")
    assert.strictEqual(kindOf([model(0)], { watched: false }), "finish")
  })

  it("calls the model again after a refused or interrupted call, and after a summary", () => {
    const replaced = model(1, { outcome: { kind: "replaced", code: "interrupted" } })
    assert.strictEqual(kindOf([replaced]), "call_model")
    assert.strictEqual(kindOf([model(0), tool(1), { ...replaced, step: 2 }]), "call_model")
    assert.strictEqual(kindOf([model(0, { kind: "compact", covers: 2 })]), "call_model")
  })

  it("fails at its limits of calls and of time", () => {
    const rounds = Array.from({ length: modelCallsMax }, (_, at) => [model(2 * at), tool(2 * at + 1)]).flat()
    const end = nextAction(rounds, calm)
    assert.strictEqual(end.kind === "fail" ? end.error.code : "", "turn_limit")
    const late = nextAction([model(0), tool(1)], { ...calm, overtime: true })
    assert.strictEqual(late.kind === "fail" ? late.error.code : "", "turn_timeout")
  })
})

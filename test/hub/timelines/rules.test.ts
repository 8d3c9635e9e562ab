/** Which step decided, for every possible outcome of a request. */
import { timelineSteps } from "@countersign/domain/timelines"
import { stepsOf, type TimelineApproval, type TimelineRequest } from "@countersign/hub/timelines/rules"
import { assert, describe, it } from "@effect/vitest"

const request = (more: Partial<TimelineRequest>): TimelineRequest => ({
  status: "executed",
  reason_code: null,
  failure: undefined,
  blockedByRule: false,
  blockedByProvider: false,
  created_at: 1,
  completed_at: 9,
  ...more
})
const blocked = (reason_code: string, more: Partial<TimelineRequest> = {}) =>
  request({ status: "blocked", reason_code, ...more })
const failed = (failure: string) => request({ status: "failed", failure })
const yes: TimelineApproval = { approved: true, decided_at: 5 }

describe("the steps of a request", () => {
  it.each(
    [
      ["settlement", request({}), undefined],
      ["settlement", request({}), yes],
      ["agent", failed("agent_disabled"), undefined],
      ["payload", failed("invalid_request"), yes],
      ["execution", failed("adapter_error"), undefined],
      ["execution", failed("interrupted"), undefined],
      ["execution", failed("cancelled"), undefined],
      ["binding", blocked("policy_violation"), undefined],
      ["policy", blocked("policy_violation", { blockedByRule: true }), undefined],
      ["execution", blocked("policy_violation", { blockedByProvider: true }), undefined],
      ["freeze", blocked("spending_frozen"), undefined],
      ["daily_count", blocked("daily_limit_exceeded"), undefined],
      ["operation_month", blocked("monthly_budget_exceeded"), undefined],
      ["agent_month", blocked("agent_budget_exceeded"), undefined],
      ["wallet", blocked("insufficient_balance"), undefined],
      ["wallet", blocked("insufficient_balance"), yes],
      ["approval", blocked("approval_rejected"), { approved: false, decided_at: 5 }],
      ["approval", blocked("approval_expired"), { approved: false, decided_at: 5 }],
      ["approval", blocked("approval_stale"), yes]
    ] as const
  )("%s decides %o", (step, of, approval) => {
    const steps = stepsOf(of, approval)
    assert.deepStrictEqual(steps.map(({ step }) => step), [...timelineSteps])
    assert.deepStrictEqual(
      steps.filter(({ state }) => state === "decided" || state === "open").map((
        { at, state, step }
      ) => [step, state, at]),
      [[step, "decided", 9]]
    )
    const end = timelineSteps.indexOf(step)
    for (const [index, { state, step }] of steps.entries()) {
      if (index < end && step !== "approval") assert.strictEqual(state, "passed", step)
      if (index > end && step !== "approval") assert.strictEqual(state, "unreached", step)
    }
  })

  it("are open while it is pending or running, and the approval is shown as passed, skipped, or not reached", () => {
    const stateOf = (step: string, of: TimelineRequest, approval?: TimelineApproval) =>
      stepsOf(of, approval).find((taken) => taken.step === step)
    assert.deepStrictEqual(
      stateOf("approval", request({ status: "approval_required", completed_at: null }), {
        approved: false,
        decided_at: undefined
      }),
      { step: "approval", state: "open", at: 1 }
    )
    const running = request({ status: "running", completed_at: null })
    assert.deepStrictEqual(stateOf("execution", running), { step: "execution", state: "open", at: 1 })
    assert.deepStrictEqual(stateOf("execution", running, yes), { step: "execution", state: "open", at: 5 })
    assert.deepStrictEqual(stateOf("approval", running, yes), { step: "approval", state: "passed", at: 5 })
    assert.deepStrictEqual(stateOf("approval", request({})), { step: "approval", state: "skipped" })
    assert.deepStrictEqual(stateOf("approval", blocked("insufficient_balance")), {
      step: "approval",
      state: "unreached"
    })
    // The checks run again after a person's approval.
    assert.deepStrictEqual(stateOf("approval", blocked("insufficient_balance"), yes), {
      step: "approval",
      state: "passed",
      at: 5
    })
  })
})

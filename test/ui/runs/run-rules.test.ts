import type { RunStep, WorkflowRun } from "@countersign/ui/hub/queries"
import { costOf, inOrder, repeatedSteps, unknownOutcomes, withChange } from "@countersign/ui/runs/run-rules"
import { expect, test } from "vitest"

const step = (label: string, status: RunStep["status"], more: Partial<RunStep> = {}): RunStep => ({
  id: "stp_1" as RunStep["id"],
  label,
  type: "service_call",
  status,
  attempt: 1,
  cost_cents: 0,
  ...more
})
const run = (revision: number, steps: ReadonlyArray<RunStep>): WorkflowRun =>
  ({ revision, steps, status: "running" }) as unknown as WorkflowRun
const edges = [{ from: "A", to: "B" }, { from: "B", to: "C" }, { from: "A", to: "D" }]

test("a change replaces the steps that it has and keeps the others", () => {
  const known = run(3, [step("A", "succeeded"), step("B", "running")])
  const changed = withChange(known, run(4, [step("B", "succeeded"), step("C", "running")]))
  expect(changed.steps.map(({ label, status }) => `${label} ${status}`)).toEqual([
    "A succeeded",
    "B succeeded",
    "C running"
  ])
})

test("a change that is older than the known run changes nothing", () => {
  const known = run(5, [step("A", "succeeded")])
  expect(withChange(known, run(4, [step("A", "running")]))).toBe(known)
})

test("a repetition starts the failed steps again and every step behind them, with what they have cost", () => {
  const steps = [
    step("A", "succeeded", { cost_cents: 5 }),
    step("B", "failed", { cost_cents: 7, error: { code: "adapter_error", message: "x", fate: "unknown" } }),
    step("C", "succeeded", { cost_cents: 9 }),
    step("D", "cancelled")
  ]
  expect(repeatedSteps(steps, edges).map(({ label }) => label)).toEqual(["B", "C", "D"])
  expect(repeatedSteps(steps, edges, "D").map(({ label }) => label)).toEqual(["D"])
  expect(costOf(repeatedSteps(steps, edges, "B"))).toBe(16)
  expect(unknownOutcomes(steps)).toEqual(["B"])
})

test("orders steps after those that lead to them", () => {
  expect(inOrder([step("C", "pending"), step("A", "pending"), step("B", "pending")], edges).map(({ label }) => label))
    .toEqual(["A", "B", "C"])
})

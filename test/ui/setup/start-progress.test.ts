import { currentStep, doneSteps, type StartFacts } from "@countersign/ui/setup/start-progress.ts"
import { expect, it } from "vitest"

const nothing: StartFacts = { hasAgent: false, availableCents: 0, requests: [] }
const ready: StartFacts = { hasAgent: true, availableCents: 1_000, binding: {}, requests: [] }
const at = (facts: StartFacts) => currentStep(doneSteps(facts))

it("goes from an agent over funds and a service to a request", () => {
  expect(at(nothing)).toBe("agent")
  expect(at({ ...nothing, availableCents: 500 })).toBe("agent")
  expect(at({ ...nothing, hasAgent: true })).toBe("funds")
  expect(at({ ...nothing, hasAgent: true, availableCents: 1 })).toBe("service")
  expect(at(ready)).toBe("request")
})

it("a blocked or failed request does not complete the step; an executed one does", () => {
  expect(at({ ...ready, requests: [{ status: "blocked" }, { status: "failed" }] })).toBe("request")
  expect(at({ ...ready, requests: [{ status: "blocked" }, { status: "executed" }] })).toBe("threshold")
})

it("the funds step stays complete after the last cent was spent", () => {
  expect(at({ ...ready, availableCents: 0, requests: [{ status: "executed" }] })).toBe("threshold")
})

it("a threshold, or a request pending for another reason, leads to the decision", () => {
  expect(at({ ...ready, binding: { approval_threshold_cents: 0 }, requests: [{ status: "executed" }] })).toBe("approve")
  expect(at({ ...ready, requests: [{ status: "approval_required", approval_id: "apr_1" }] })).toBe("approve")
})

it("ends with a person's decision, but not with an expiry", () => {
  const waited = { ...ready, binding: { approval_threshold_cents: 0 } }
  const ended = (status: string, reason_code?: string) =>
    at({
      ...waited,
      requests: [{ status, reason_code, approval_id: "apr_1" }]
    })
  expect(ended("executed")).toBeUndefined()
  expect(ended("failed")).toBeUndefined()
  expect(ended("blocked", "approval_rejected")).toBeUndefined()
  expect(ended("blocked", "approval_expired")).toBe("approve")
  expect(ended("blocked", "approval_cancelled")).toBe("approve")
})

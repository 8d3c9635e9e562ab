import { answerProblem, expiryProblem } from "@countersign/hub/agent-requests/rules"
import { assert, describe, it } from "@effect/vitest"

const question = { kind: "question", options: null } as const
const choice = { kind: "approval", options: ["yes", "no"] } as const
const handoff = { kind: "handoff", options: null } as const

describe("an answer", () => {
  it("has text, unless it accepts a handoff", () => {
    assert.isUndefined(answerProblem(question, { status: "answered", answer: "blue" }))
    assert.strictEqual(answerProblem(question, { status: "answered" })?.path, "answer")
    assert.isUndefined(answerProblem(handoff, { status: "answered" }))
    assert.isUndefined(answerProblem(handoff, { status: "answered", answer: "mine now" }))
  })

  it("is one of the options", () => {
    assert.isUndefined(answerProblem(choice, { status: "answered", answer: "yes" }))
    assert.include(answerProblem(choice, { status: "answered", answer: "maybe" })?.message, "yes, no")
  })

  it("is not part of a dismissal", () => {
    assert.isUndefined(answerProblem(choice, { status: "dismissed", comment: "not now" }))
    assert.strictEqual(answerProblem(choice, { status: "dismissed", answer: "yes" })?.path, "answer")
  })
})

describe("an expiry", () => {
  const now = new Date("2026-11-23T12:00:00Z")
  it("is after the present and at most a year ahead", () => {
    assert.isUndefined(expiryProblem("2026-11-23T12:00:00.001Z", now))
    assert.isUndefined(expiryProblem("2027-11-23T12:00:00Z", now))
    for (const expiry of ["2026-11-23T12:00:00Z", "2027-11-23T12:00:00.001Z", "tomorrow", "2026-11-31T12:00:00Z"]) {
      assert.isString(expiryProblem(expiry, now), expiry)
    }
  })
})

import { BindingInput, capsOf, coversOperation, hasCaps } from "@countersign/domain/bindings"
import { Result, Schema } from "effect"
import { assert, describe, it } from "vitest"

const decode = Schema.decodeUnknownResult(BindingInput, { onExcessProperty: "error", errors: "all" })
const refused = (value: unknown) => Result.isFailure(decode(value))

describe("a binding's caps", () => {
  const binding = {
    monthly_cap_cents: 100,
    approval_threshold_cents: 5,
    per_operation: { a: { monthly_cap_cents: 0 }, b: { daily_request_limit: 3, approval_threshold_cents: 9 } }
  }

  it("apply to each operation: its own before the binding's, field by field", () => {
    assert.deepStrictEqual(capsOf(binding, "a"), { monthly_cap_cents: 0, approval_threshold_cents: 5 })
    assert.deepStrictEqual(capsOf(binding, "b"), {
      monthly_cap_cents: 100,
      daily_request_limit: 3,
      approval_threshold_cents: 9
    })
    assert.deepStrictEqual(capsOf(binding, "c"), { monthly_cap_cents: 100, approval_threshold_cents: 5 })
    assert.deepStrictEqual(capsOf({}, "toString"), {})
    assert.deepStrictEqual(capsOf(binding, "constructor"), { monthly_cap_cents: 100, approval_threshold_cents: 5 })
  })

  it("exist wherever one is set, including 0", () => {
    assert.isFalse(hasCaps({}))
    assert.isFalse(hasCaps({ per_operation: { a: {} } }))
    assert.isTrue(hasCaps({ monthly_cap_cents: 0 }))
    assert.isTrue(hasCaps({ daily_request_limit: 0 }))
    assert.isTrue(hasCaps({ per_operation: { a: {}, b: { approval_threshold_cents: 0 } } }))
  })
})

describe("the operations of a binding", () => {
  it("are all with a star, otherwise the named ones, and none while it is disabled", () => {
    const star = { service: "echo", operations: ["*"], enabled: true }
    assert.isTrue(coversOperation(star, "say"))
    assert.isFalse(coversOperation({ ...star, enabled: false }, "say"))
    assert.isTrue(coversOperation({ ...star, operations: ["say", "ask"] }, "ask"))
    assert.isFalse(coversOperation({ ...star, operations: ["say"] }, "ask"))
  })
})

describe("a submitted binding", () => {
  it("names each operation once, or all with a star alone", () => {
    assert.isFalse(refused({ service: "echo", operations: ["*"] }))
    assert.isFalse(
      refused({
        service: "echo",
        operations: ["a", "b"],
        enabled: false,
        per_operation: { a: { monthly_cap_cents: 100_000_000_000 } }
      })
    )
    for (
      const operations of [
        [],
        ["a", "a"],
        ["*", "a"],
        ["A"],
        [""],
        "*",
        Array.from({ length: 201 }, (_, at) => `op${at}`)
      ]
    ) {
      assert.isTrue(refused({ service: "echo", operations }), JSON.stringify(operations))
    }
  })

  it("bounds caps and counts", () => {
    for (
      const wrong of [
        { monthly_cap_cents: -1 },
        { monthly_cap_cents: 100_000_000_001 },
        { monthly_cap_cents: 1.5 },
        { monthly_cap_cents: null },
        { daily_request_limit: -1 },
        { daily_request_limit: 1_000_000_001 },
        { approval_threshold_cents: "5" },
        { per_operation: { A: {} } },
        { per_operation: { a: { other: 1 } } },
        { operations_usage: {} }
      ]
    ) assert.isTrue(refused({ service: "echo", operations: ["*"], ...wrong }), JSON.stringify(wrong))
  })
})

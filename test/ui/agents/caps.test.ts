import { type Binding, capOf, covers, operationsOf, withCap, withOperations } from "@countersign/ui/agents/caps"
import { describe, expect, test } from "vitest"

const binding: Binding = {
  service: "shop",
  operations: ["*"],
  enabled: true,
  monthly_cap_cents: 500,
  per_operation: { buy: { monthly_cap_cents: 0, daily_request_limit: 3 } },
  version: 1,
  operations_usage: { gone: { spent_this_month_cents: 2, held_cents: 0, used_today: 1 } }
}

describe("caps", () => {
  test.each(
    [
      ["buy", "monthly_cap_cents", { value: 0, inherited: false }],
      ["look", "monthly_cap_cents", { value: 500, inherited: true }],
      ["look", "daily_request_limit", { value: undefined, inherited: false }],
      [undefined, "monthly_cap_cents", { value: 500, inherited: false }],
      ["toString", "monthly_cap_cents", { value: 500, inherited: true }]
    ] as const
  )("%s for %s: uses the operation's override, otherwise the binding's value", (operation, name, cap) => {
    expect(capOf(binding, operation, name)).toEqual(cap)
  })

  test("setting one operation's cap keeps all others and never sends the counters", () => {
    expect(withCap(binding, "look", "approval_threshold_cents", 0)).toEqual({
      service: "shop",
      operations: ["*"],
      enabled: true,
      monthly_cap_cents: 500,
      per_operation: { buy: { monthly_cap_cents: 0, daily_request_limit: 3 }, look: { approval_threshold_cents: 0 } }
    })
  })

  test("removing a cap leaves no empty override", () => {
    const less = { ...binding, per_operation: { buy: { monthly_cap_cents: 0 } } }
    expect(withCap(less, "buy", "monthly_cap_cents", undefined)).toEqual({
      service: "shop",
      operations: ["*"],
      enabled: true,
      monthly_cap_cents: 500
    })
    expect(withCap(binding, undefined, "monthly_cap_cents", undefined)).not.toHaveProperty("monthly_cap_cents")
  })
})

describe("operations", () => {
  test("unbinding an operation removes its caps, since the hub would reject the binding with them", () => {
    expect(withOperations(binding, ["look"])).toEqual({
      service: "shop",
      operations: ["look"],
      enabled: true,
      monthly_cap_cents: 500
    })
    expect(withOperations(binding, ["*"]).per_operation).toEqual(binding.per_operation)
  })

  test("lists the catalog's operations, then others with caps or use, each once", () => {
    expect(operationsOf(binding, ["look", "buy"])).toEqual(["look", "buy", "gone"])
    expect(operationsOf({ ...binding, operations: ["look"] }, ["look", "buy"])).toEqual(["look", "buy", "gone"])
    expect(operationsOf(binding, undefined)).toEqual(["buy", "gone"])
    expect(covers({ operations: ["look"] }, "buy")).toBe(false)
  })
})

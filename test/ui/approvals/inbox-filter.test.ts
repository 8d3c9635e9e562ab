import { describe, expect, it } from "vitest"
import {
  decodeFilter,
  filterOf,
  isNarrowed,
  isWithin,
  operationText,
  operationValue,
  queryOf
} from "../../../packages/ui/src/approvals/inbox-filter.ts"
import type { ApprovalRow } from "../../../packages/ui/src/approvals/inbox-rows.ts"

const agent = `agt_${"0".repeat(26)}`
const now = Date.parse("2026-11-21T12:00:00Z")
const row = (fields: Partial<Record<keyof ApprovalRow, unknown>> = {}) =>
  ({
    id: "apr_1",
    kind: "service_request",
    org_id: "org_1",
    agent: { id: agent, name: "Scout" },
    service: "shop",
    operation: "orders.buy",
    cost_cents: 4_200,
    requested_at: "2026-11-21T11:00:00Z",
    ...fields
  }) as unknown as ApprovalRow

describe("inbox filters", () => {
  it("sends the filters to the hub, over all workspaces unless one is chosen", () => {
    expect(queryOf({})).toEqual({ workspace: "all" })
    expect(
      queryOf({
        workspace: "org_1",
        agent_id: agent,
        min_cents: 1,
        max_cents: 2,
        min_age_seconds: 3,
        max_age_seconds: 4
      })
    )
      .toEqual({
        workspace: "org_1",
        agent_id: agent,
        min_cents: 1,
        max_cents: 2,
        min_age_seconds: 3,
        max_age_seconds: 4
      })
  })

  it("names an operation by its service, or as a device's", () => {
    expect(queryOf({ operation: "shop.orders.buy" })).toEqual({
      workspace: "all",
      service: "shop",
      operation: "orders.buy"
    })
    expect(queryOf({ operation: "device:shell.run" })).toEqual({
      workspace: "all",
      kind: "device_command",
      operation: "shell.run"
    })
    expect(operationValue(row())).toBe("shop.orders.buy")
    expect(operationValue(row({ kind: "device_command", operation: "shell.run" }))).toBe("device:shell.run")
  })

  it.each(["shop", "Shop.buy", "shop.", ".buy", "device:", "shop.buy now", `shop.${"x".repeat(65)}`])(
    "drops an operation that the hub would reject: %j",
    (operation) => {
      expect(operationText.test(operation)).toBe(false)
    }
  )

  it("reports a workspace that is not the person's as ignored", () => {
    const search = { workspace: "org_2", q: "tea", ignored: ["agent_id=scout"] }
    expect(decodeFilter(search, [{ id: "org_1" }])).toEqual({
      filter: { q: "tea" },
      ignored: ["agent_id=scout", "workspace=org_2"]
    })
    expect(decodeFilter(search, [{ id: "org_2" }])).toEqual({
      filter: { workspace: "org_2", q: "tea" },
      ignored: ["agent_id=scout"]
    })
  })

  it("sends search words to the hub and leaves the matching of rows to it", () => {
    expect(queryOf({ q: "tea" })).toEqual({ workspace: "all", q: "tea" })
    expect(isWithin(row(), { q: "tea" }, now)).toBe(true)
  })

  it("filters rows by amount and by age, bounds included", () => {
    expect(isWithin(row(), { min_cents: 4_200, max_cents: 4_200 }, now)).toBe(true)
    expect(isWithin(row(), { min_cents: 4_201 }, now)).toBe(false)
    expect(isWithin(row(), { min_age_seconds: 3_600, max_age_seconds: 3_600 }, now)).toBe(true)
    expect(isWithin(row(), { min_age_seconds: 3_601 }, now)).toBe(false)
    expect(isWithin(row(), { max_age_seconds: 3_599 }, now)).toBe(false)
  })

  it("reads only its own members of an address", () => {
    const search = { open: "apr_1", q: "x", min_cents: 0, operation: "shop.buy" }
    expect(filterOf(search)).toEqual({ operation: "shop.buy", min_cents: 0, q: "x" })
    expect(isNarrowed(search)).toBe(true)
    expect(isNarrowed({})).toBe(false)
  })
})

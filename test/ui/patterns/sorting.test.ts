import { ariaSort, directionOf, nextSort, type Sorting } from "@countersign/ui/patterns/sorting.ts"
import { describe, expect, it } from "vitest"

const at = (value: string): Sorting => ({ usual: "-created_at", value, onSort: () => undefined })
const cost = { field: "cost_cents", first: "descending" } as const
const time = { field: "created_at", first: "descending" } as const

describe("the sort of a list", () => {
  it("changes from a head's first direction to the other one and back to the default sort", () => {
    expect(nextSort(at("-created_at"), cost)).toBe("-cost_cents")
    expect(nextSort(at("-cost_cents"), cost)).toBe("cost_cents")
    expect(nextSort(at("cost_cents"), cost)).toBe("-created_at")
  })
  it("toggles the direction only for the column of the default sort", () => {
    expect(nextSort(at("-created_at"), time)).toBe("created_at")
    expect(nextSort(at("created_at"), time)).toBe("-created_at")
  })
  it("has one column and one direction", () => {
    expect(directionOf("-cost_cents", "cost_cents")).toBe("descending")
    expect(directionOf("-cost_cents", "cents")).toBeUndefined()
    expect(ariaSort(cost, at("created_at"))).toBe("none")
    expect(ariaSort(time, at("created_at"))).toBe("ascending")
    expect(ariaSort(undefined, at("created_at"))).toBeUndefined()
  })
})

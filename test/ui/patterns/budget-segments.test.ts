import { budgetSegments } from "@countersign/ui/patterns/budget-segments.ts"
import { describe, expect, it } from "vitest"

const figures = (spent_cents: number, held_cents: number, this_cents: number, cap_cents: number) =>
  budgetSegments({ spent_cents, held_cents, this_cents, cap_cents })

describe("budget bar", () => {
  it("divides its width by spent, held, and requested amounts, up to the cap at its end", () =>
    expect(figures(1000, 500, 500, 4000)).toEqual({
      spent: 25,
      held: 12.5,
      current: 12.5,
      cap: 100,
      over: 0,
      left_cents: 2000
    }))

  it("moves the tick inwards above the cap, with the excess at its right, inside the bar", () => {
    const { cap, over, left_cents, spent, held, current } = figures(7200, 1500, 4200, 10_000)
    expect(left_cents).toBe(-2900)
    expect(cap).toBeLessThan(100)
    expect(over).toBeGreaterThan(0)
    expect(cap + over).toBeCloseTo(spent + held + current, 9)
    expect(cap + over).toBeLessThan(100)
  })

  it("has no excess exactly at the cap", () =>
    expect(figures(500, 0, 500, 1000)).toMatchObject({ cap: 100, over: 0, left_cents: 0 }))

  it("is empty without a cap or amounts; the first cent exceeds a cap of 0", () => {
    expect(figures(0, 0, 0, 0)).toEqual({ spent: 0, held: 0, current: 0, cap: 100, over: 0, left_cents: 0 })
    expect(figures(0, 0, 1, 0)).toMatchObject({ cap: 0, left_cents: -1 })
  })

  it("draws nothing to the left for a negative correction", () =>
    expect(figures(-300, 0, 100, 1000)).toMatchObject({ spent: 0, current: 10 }))
})

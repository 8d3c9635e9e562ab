import { niceMoneyScale, niceScale } from "@countersign/ui/patterns/nice-scale.ts"
import { describe, expect, it } from "vitest"

describe("chart scale", () => {
  it.each([0, 1, 3, 7, 99, 100, 101, 6100, 123_456, 1e11])(
    "to %d starts at 0, includes it, and has few round ticks",
    (largest) => {
      for (const { max, ticks } of [niceScale(largest), niceMoneyScale(largest)]) {
        expect(ticks[0]).toBe(0)
        expect(ticks.at(-1)).toBe(max)
        expect(max).toBeGreaterThanOrEqual(Math.max(1, largest))
        expect(ticks.length).toBeLessThanOrEqual(6)
        expect(ticks.every(Number.isInteger)).toBe(true)
      }
    }
  )
  it("of large amounts has whole dollars", () =>
    expect(niceMoneyScale(6123).ticks).toEqual([0, 2000, 4000, 6000, 8000]))
  it("leaves less than half of its height unused", () => {
    for (let largest = 1; largest < 5000; largest += 13) {
      expect(niceScale(largest).max).toBeLessThanOrEqual(Math.max(4, largest * 2))
    }
  })
})

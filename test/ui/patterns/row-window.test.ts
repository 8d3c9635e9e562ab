import { drawnRowsMax, rowWindow, scrolledTo } from "@countersign/ui/patterns/row-window.ts"
import { describe, expect, it } from "vitest"

describe("rendered rows", () => {
  it("are the visible ones and eight beyond each end", () =>
    expect(rowWindow(3600, 720, 36, 1000)).toEqual({ first: 92, end: 129 }))
  it("are none for an empty list", () => expect(rowWindow(0, 720, 36, 0)).toEqual({ first: 0, end: 0 }))
  it("end at the end of the list", () => expect(rowWindow(1e9, 720, 36, 50).end).toBe(50))

  it("are never more than eighty, at any position and height", () => {
    for (const height of [0, 300, 900, 2160, 4000, 20_000]) {
      for (const rowHeight of [28, 36, 48, 60]) {
        for (const top of [0, 1, 35_999, 3_600_000]) {
          const { first, end } = rowWindow(top, height, rowHeight, 100_000)
          expect(end - first).toBeLessThanOrEqual(drawnRowsMax)
          expect(first).toBeLessThan(end)
          expect(first).toBeLessThanOrEqual(Math.floor(top / rowHeight))
        }
      }
    }
  })

  it("cover the visible area up to that limit", () => {
    for (let top = 0; top < 5000; top += 7) {
      const { first, end } = rowWindow(top, 720, 36, 1000)
      expect(first * 36).toBeLessThanOrEqual(top)
      expect(end * 36).toBeGreaterThanOrEqual(top + 720)
    }
  })
})

describe("scrolling to a row", () => {
  it("happens only if the row is not fully visible", () => {
    expect(scrolledTo(5, 0, 720, 36)).toBe(0)
    expect(scrolledTo(20, 0, 720, 36)).toBe(36)
    expect(scrolledTo(2, 360, 720, 36)).toBe(72)
  })
})

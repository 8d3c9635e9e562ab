import { fitColumns, leastWidth } from "@countersign/ui/patterns/column-fit.ts"
import { expect, it } from "vitest"

const columns = [
  { id: "what", width: "minmax(180px, 2fr)" },
  { id: "last", width: "120px", from: 900 },
  { id: "made", width: "minmax(120px, 1fr)", from: 760 },
  { id: "cost", width: "110px" }
]
const shown = (width: number, hasMenu = false) => fitColumns(columns, width, hasMenu).map(({ id }) => id).join(" ")

it("reads the minimum width of a track", () => {
  expect([leastWidth("120px"), leastWidth("minmax(160px, 2fr)"), leastWidth("1fr")]).toEqual([120, 160, 0])
})

it("shows a column from its minimum width on, as long as all fit", () => {
  expect(shown(1_200)).toBe("what last made cost")
  expect(shown(899)).toBe("what made cost")
  expect(shown(700)).toBe("what cost")
})

it("drops the column with the highest minimum first, and never one without a minimum", () => {
  const wide = columns.map((column) => ({ ...column, width: "300px" }))
  const ids = (width: number, hasMenu = false) => fitColumns(wide, width, hasMenu).map(({ id }) => id).join(" ")
  // 4 × 300, three gaps of 16, 24 at each end.
  expect(ids(1_296)).toBe("what last made cost")
  expect(ids(1_295)).toBe("what made cost")
  expect(ids(1_296, true)).toBe("what made cost")
  expect(ids(979)).toBe("what cost")
  expect(ids(200)).toBe("what cost")
})

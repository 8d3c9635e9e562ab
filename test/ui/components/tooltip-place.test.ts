import { tooltipPlace } from "@countersign/ui/components/tooltip-place"
import { expect, test } from "vitest"

const view = { width: 400, height: 300 }
const word = { width: 100, height: 24 }

test("places a tooltip on the requested side, centered on its control", () => {
  const control = { left: 150, top: 140, width: 60, height: 20 }
  expect(tooltipPlace(control, word, view, "bottom")).toEqual({ left: 130, top: 166 })
  expect(tooltipPlace(control, word, view, "top")).toEqual({ left: 130, top: 110 })
  expect(tooltipPlace(control, word, view, "right")).toEqual({ left: 216, top: 138 })
  expect(tooltipPlace(control, word, view, "left")).toEqual({ left: 44, top: 138 })
})

test("places a tooltip on the opposite side if there is no room", () => {
  expect(tooltipPlace({ left: 150, top: 270, width: 60, height: 20 }, word, view, "bottom").top).toBe(240)
  expect(tooltipPlace({ left: 150, top: 5, width: 60, height: 20 }, word, view, "top").top).toBe(31)
  expect(tooltipPlace({ left: 330, top: 140, width: 60, height: 20 }, word, view, "right").left).toBe(224)
})

test("keeps a tooltip inside the window", () => {
  expect(tooltipPlace({ left: 0, top: 140, width: 20, height: 20 }, word, view, "bottom").left).toBe(8)
  expect(tooltipPlace({ left: 385, top: 140, width: 15, height: 20 }, word, view, "bottom").left).toBe(292)
  expect(tooltipPlace({ left: 10, top: 10, width: 380, height: 280 }, word, view, "bottom").top).toBe(268)
})

import { durationText } from "@countersign/ui/listing/duration"
import { cursorAt, makePlaces, placed } from "@countersign/ui/listing/held-rows"
import { dayText, presetPeriod, untilMoment } from "@countersign/ui/listing/period"
import { assert, describe, it } from "@effect/vitest"

const now = Date.parse("2026-03-01T00:30:00Z")

describe("a period of days", () => {
  it("includes its last day, over the ends of months and years", () => {
    assert.deepStrictEqual(untilMoment({ from: "2026-02-28", to: "2026-02-28" }), {
      from: "2026-02-28",
      to: "2026-03-01"
    })
    assert.deepStrictEqual(untilMoment({ to: "2025-12-31" }), { to: "2026-01-01" })
  })
  it("leaves timestamps and open ends unchanged", () => {
    assert.deepStrictEqual(untilMoment({ to: "2026-02-28T12:00:00Z" }), { to: "2026-02-28T12:00:00Z" })
    assert.deepStrictEqual(untilMoment({ from: "2026-02-28" }), { from: "2026-02-28" })
  })
  it("offers common periods, counted from the hub's day in UTC", () => {
    assert.deepStrictEqual(presetPeriod("today", now), { from: "2026-03-01", to: "2026-03-01" })
    assert.deepStrictEqual(presetPeriod("week", now), { from: "2026-02-23", to: "2026-03-01" })
    assert.deepStrictEqual(presetPeriod("month", now), { from: "2026-03-01", to: "2026-03-01" })
    assert.deepStrictEqual(presetPeriod("thirty", now), { from: "2026-01-31", to: "2026-03-01" })
  })
  it("is shown with its year only if it differs", () => {
    assert.strictEqual(dayText("2026-02-03", now), "3 Feb")
    assert.strictEqual(dayText("2025-02-03", now), "3 Feb 2025")
  })
})

describe("a duration", () => {
  it("is shown in its two largest units", () => {
    const texts = [0, 12, 999, 4_240, 59_900, 190_000, 3_600_000, 7_500_000, 97_200_000].map(durationText)
    assert.deepStrictEqual(texts, [
      "0 ms",
      "12 ms",
      "999 ms",
      "4.2 s",
      "59 s",
      "3 min 10 s",
      "1 h",
      "2 h 5 min",
      "1 d 3 h"
    ])
  })
})

describe("positions of loaded pages", () => {
  const page = (rows: number, next_cursor: string | null) => ({
    data: Array.from({ length: rows }, (_, at) => at),
    next_cursor
  })

  it("are kept from the first load, although pages at the other end are dropped", () => {
    const places = makePlaces()
    assert.strictEqual(placed(places, { pageParams: [null, "b"], pages: [page(50, "b"), page(30, "c")] }), 0)
    assert.strictEqual(placed(places, { pageParams: ["b", "c"], pages: [page(30, "c"), page(50, "d")] }), 50)
    assert.strictEqual(placed(places, { pageParams: ["c"], pages: [page(50, "d")] }), 80)
    assert.strictEqual(places.reached, 130)
  })
  it("lead to the page of a row, or to the last loaded page for a row beyond it", () => {
    const places = makePlaces()
    placed(places, { pageParams: [null, "b"], pages: [page(50, "b"), page(30, "c")] })
    assert.deepStrictEqual([0, 49, 50, 79, 80, 9_999].map((at) => cursorAt(places, at)), ["", "", "b", "b", "c", "c"])
  })
  it("end at the end of the list", () => {
    const places = makePlaces()
    placed(places, { pageParams: [null], pages: [page(50, "b")] })
    placed(places, { pageParams: [null, "b"], pages: [page(50, "b"), page(0, null)] })
    assert.strictEqual(places.reached, 50)
  })
})

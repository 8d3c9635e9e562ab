import { changeFrom, daysIn, markedSpan, spanBefore, windowOf } from "@countersign/ui/usage/spans"
import { assert, describe, it } from "@effect/vitest"

const today = "2026-11-21"

describe("the days of the usage screen", () => {
  it("are selected from either end, and swapped if reversed", () => {
    assert.isUndefined(markedSpan(undefined, undefined, today))
    assert.deepStrictEqual(markedSpan("2026-11-01", undefined, today), { from: "2026-11-01", to: today })
    assert.deepStrictEqual(markedSpan(undefined, "2026-11-10", today), { from: "2026-10-12", to: "2026-11-10" })
    assert.deepStrictEqual(markedSpan("2026-11-10", "2026-11-01", today), { from: "2026-11-01", to: "2026-11-10" })
    assert.deepStrictEqual(markedSpan("2026-11-10T12:00:00Z", "2026-11-11", today), {
      from: "2026-11-10",
      to: "2026-11-11"
    })
  })
  it("are in the shortest standard window that contains them", () => {
    assert.deepStrictEqual(windowOf(undefined, today), { from: "2026-10-23", to: today })
    assert.deepStrictEqual(windowOf({ from: "2026-11-01", to: "2026-11-02" }, today), { from: "2026-10-23", to: today })
    assert.strictEqual(daysIn(windowOf({ from: "2026-09-01", to: "2026-09-02" }, today)), 90)
    assert.strictEqual(daysIn(windowOf({ from: "2026-01-01", to: "2026-01-02" }, today)), 366)
    assert.deepStrictEqual(windowOf({ from: "2020-01-01", to: "2020-01-31" }, today), {
      from: "2020-01-01",
      to: "2020-01-31"
    })
    assert.strictEqual(daysIn(windowOf({ from: "2010-01-01", to: "2020-01-31" }, today)), 366)
  })
  it("are compared with the same number of days before", () => {
    assert.deepStrictEqual(spanBefore({ from: "2026-03-01", to: "2026-03-02" }), {
      from: "2026-02-27",
      to: "2026-02-28"
    })
    assert.deepStrictEqual(spanBefore({ from: today, to: today }), { from: "2026-11-20", to: "2026-11-20" })
  })
  it("change by a percentage, or start from zero", () => {
    assert.deepStrictEqual(changeFrom(200, 250), { kind: "more", by: 50, percent: 25 })
    assert.deepStrictEqual(changeFrom(200, 0), { kind: "less", by: 200, percent: 100 })
    assert.deepStrictEqual(changeFrom(5, 5), { kind: "same" })
    assert.deepStrictEqual([changeFrom(0, 0), changeFrom(0, 7)], [{ kind: "first" }, { kind: "first" }])
  })
})

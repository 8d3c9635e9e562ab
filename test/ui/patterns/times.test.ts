import { momentText, wholeMomentText } from "@countersign/ui/patterns/moment-text.ts"
import { timeLeft } from "@countersign/ui/patterns/time-left.ts"
import { describe, expect, it } from "vitest"

const second = 1000
const minute = 60 * second
const hour = 60 * minute

describe("time left", () => {
  it.each([
    [0, "over", 0],
    [-5, "over", 0],
    [400, "seconds", 1],
    [59.9 * second, "seconds", 59],
    [minute, "minutes", 1],
    [119 * second, "minutes", 1],
    [59.9 * minute, "minutes", 59],
    [hour, "hours", 1],
    [47.9 * hour, "hours", 47],
    [48 * hour, "days", 2],
    [100 * hour, "days", 4]
  ])("%d ms: %s %d", (left, unit, count) => expect(timeLeft(left)).toMatchObject({ unit, count }))

  it("is urgent in its last five minutes", () => {
    expect(timeLeft(5 * minute).urgent).toBe(true)
    expect(timeLeft(5 * minute + 1).urgent).toBe(false)
  })
})

describe("a time", () => {
  const now = Date.parse("2026-11-21T13:02:11Z")
  const zone = { timeZone: "Europe/Zurich" }
  it.each([
    [now - 900, "now"],
    [now - 12 * second, "12 sec ago"],
    [now - 4.5 * minute, "4 min ago"],
    [now + 12 * minute, "in 12 min"],
    [now - hour, "13:02 CET"],
    [now - 24 * hour, "20 Nov, 14:02 CET"],
    [Date.parse("2025-07-01T10:00:00Z"), "1 Jul 2025, 12:00 CEST"]
  ])("writes %d as %s", (at, text) => expect(momentText(at, now, zone).replaceAll(".", "")).toBe(text))

  it("after midnight in its zone is shown with its day", () =>
    expect(momentText(Date.parse("2026-11-20T22:59:00Z"), now, zone)).toContain("20 Nov"))

  it("is written in full to the second with its zone", () =>
    expect(wholeMomentText(now, zone)).toBe("Sat, 21 Nov 2026, 14:02:11 CET"))
})

/** Quiet hours by the wall clock of a zone, over clock changes. */
import { isQuiet, quietUntil } from "@countersign/domain/quiet-hours"
import { describe, expect, it } from "vitest"

const night = { from: "22:00", to: "07:00" }
const ends = (hours: { readonly from: string; readonly to: string }, zone: string, at: string) => {
  const end = quietUntil(hours, zone, Date.parse(at))
  return end === undefined ? undefined : new Date(end).toISOString()
}

describe("quiet hours", () => {
  it("last from their start to their end, over midnight, in the person's zone", () => {
    expect(ends(night, "UTC", "2026-11-27T21:59:59Z")).toBeUndefined()
    expect(ends(night, "UTC", "2026-11-27T22:00:00Z")).toBe("2026-11-28T07:00:00.000Z")
    expect(ends(night, "UTC", "2026-11-28T06:59:59.999Z")).toBe("2026-11-28T07:00:00.000Z")
    expect(ends(night, "UTC", "2026-11-28T07:00:00Z")).toBeUndefined()
    expect(ends(night, "Asia/Kolkata", "2026-11-27T16:30:00Z")).toBe("2026-11-28T01:30:00.000Z")
    expect(ends({ from: "12:00", to: "13:30" }, "Europe/Warsaw", "2026-11-27T11:15:00Z")).toBe(
      "2026-11-27T12:30:00.000Z"
    )
  })

  it("end at their displayed time after clocks go forward and back in the night", () => {
    // Berlin: 2026-03-29 02:00 becomes 03:00, 2026-10-25 03:00 becomes 02:00.
    expect(ends(night, "Europe/Berlin", "2026-03-28T22:00:00Z")).toBe("2026-03-29T05:00:00.000Z")
    expect(ends(night, "Europe/Berlin", "2026-10-24T21:00:00Z")).toBe("2026-10-25T06:00:00.000Z")
  })

  it("end with the gap when their end falls into it, and repeat when clocks go back into them", () => {
    const early = { from: "01:00", to: "02:30" }
    expect(ends(early, "Europe/Berlin", "2026-03-29T00:15:00Z")).toBe("2026-03-29T01:00:00.000Z")
    // 02:30 occurs twice: the first ends them, and 02:00 to 02:30 is quiet again.
    expect(ends(early, "Europe/Berlin", "2026-10-24T23:30:00Z")).toBe("2026-10-25T00:30:00.000Z")
    expect(isQuiet(early, "Europe/Berlin", Date.parse("2026-10-25T00:45:00Z"))).toBe(false)
    expect(ends(early, "Europe/Berlin", "2026-10-25T01:05:00Z")).toBe("2026-10-25T01:30:00.000Z")
    // A change inside of the hours that leads back before their start ends them for the repeated part.
    const late = { from: "02:30", to: "04:00" }
    expect(ends(late, "Europe/Berlin", "2026-10-25T00:45:00Z")).toBe("2026-10-25T01:00:00.000Z")
    expect(ends(late, "Europe/Berlin", "2026-10-25T01:35:00Z")).toBe("2026-10-25T03:00:00.000Z")
  })
})

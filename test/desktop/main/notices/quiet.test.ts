import { isQuiet } from "@countersign/desktop/main/notices/quiet"
import { assert, describe, it } from "vitest"

/** Sunday 15 November 2026 is day 0. */
const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, 15 + day, hour, minute)

describe("quiet hours", () => {
  it.each(
    [
      ["within a day", { days: [1], from: "12:00", to: "13:00" }, at(1, 12), true],
      ["excludes the end", { days: [1], from: "12:00", to: "13:00" }, at(1, 13), false],
      ["on another day", { days: [1], from: "12:00", to: "13:00" }, at(2, 12), false],
      ["over midnight, before it", { days: [5], from: "22:00", to: "07:00" }, at(5, 23), true],
      [
        "over midnight, after it, by the day of their start",
        { days: [5], from: "22:00", to: "07:00" },
        at(6, 6, 59),
        true
      ],
      ["the morning of a day whose evening is quiet", { days: [5], from: "22:00", to: "07:00" }, at(5, 6), false],
      ["from Saturday into Sunday", { days: [6], from: "22:00", to: "07:00" }, at(0, 1), true],
      ["a whole day for equal times", { days: [0], from: "09:00", to: "09:00" }, at(1, 8, 59), true],
      ["no day at all", { days: [], from: "00:00", to: "23:59" }, at(1, 12), false]
    ] as const
  )("%s", (_, hours, moment, quiet) => {
    assert.strictEqual(isQuiet([hours], moment), quiet)
  })
})

import { parseCron } from "@countersign/domain/cron"
import { cronWords } from "@countersign/ui/schedules/cron-words"
import { dueRows } from "@countersign/ui/schedules/due-times"
import { Result } from "effect"
import { expect, test } from "vitest"

test.each([
  ["* * * * *", "Every minute."],
  ["*/15 * * * *", "Every 15 minutes."],
  ["5 * * * *", "At minute 5 of every hour."],
  ["@hourly", "At minute 0 of every hour."],
  ["0 */2 * * *", "Every 2 hours, on the hour."],
  ["0 9 * * *", "At 09:00 every day."],
  ["30 9,17 * * MON-FRI", "At 09:30 and 17:30, on Monday to Friday."],
  ["0 9 * * 1,3,5", "At 09:00, on Monday, Wednesday, and Friday."],
  ["0 0 1 * *", "At 00:00, on the 1st."],
  ["0 0 L * *", "At 00:00, on the last day of the month."],
  ["0 0 15W * *", "At 00:00, on the weekday nearest to the 15th."],
  ["0 9 * * FRI#2", "At 09:00, on the second Friday of the month."],
  ["0 9 * * 5L", "At 09:00, on the last Friday of the month."],
  ["0 9 1 * MON", "At 09:00, on the 1st or on Monday."],
  ["0 9 1 1,7 *", "At 09:00, on the 1st, in January and July."],
  ["*/10 9-17 * * *", "Every 10 minutes of hour 09 to 17."],
  ["@yearly", "At 00:00, on the 1st, in January."]
])("says %s as: %s", (cron, words) => {
  expect(Result.isSuccess(parseCron(cron))).toBe(true)
  expect(cronWords(cron)).toBe(words)
})

test("shows due times in the zone and in UTC, and marks the clock change before one", () => {
  const rows = dueRows(
    ["2026-10-24T07:00:00Z", "2026-10-25T08:00:00Z"],
    "Europe/Berlin",
    Date.parse("2026-10-23T12:00:00Z")
  )
  expect(rows.map(({ local, utc }) => [local, utc])).toEqual([
    ["Sat, 24 Oct 2026, 09:00", "07:00"],
    ["Sun, 25 Oct 2026, 09:00", "08:00"]
  ])
  expect(rows.map(({ change }) => change?.minutes)).toEqual([undefined, -60])
})

test("names the day in UTC where it is another one", () => {
  const [row] = dueRows(["2026-06-01T15:30:00Z"], "Asia/Tokyo", Date.parse("2026-06-01T00:00:00Z"))
  expect([row?.local, row?.utc]).toEqual(["Tue, 2 Jun 2026, 00:30", "Mon, 1 Jun 2026, 15:30"])
})

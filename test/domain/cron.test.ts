import { countDues, type CronExpression, lastDue, nextDue, nextDues, parseCron } from "@countersign/domain/cron"
import { claimOf, dueAfter, failureOf, fireAt, overlapOf } from "@countersign/domain/schedule-rules"
import { isZone, offsetAt } from "@countersign/domain/time-zone"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"

const cronOf = (text: string): CronExpression => Result.getOrThrow(parseCron(text))
const at = (text: string) => Date.parse(text)
const shown = (millis: number | undefined) =>
  millis === undefined ? undefined : new Date(millis).toISOString().slice(0, 16)
const dues = (cron: string, zone: string, after: string, count: number) =>
  nextDues(cronOf(cron), zone, at(after), count).map(shown)

describe("cron expressions", () => {
  it.each([
    ["* * * *", /five fields/],
    ["* * * * * *", /five fields/],
    ["", /five fields/],
    ["60 * * * *", /Invalid value for minute: 60/],
    ["0 24 * * *", /Invalid value for hour: 24/],
    ["? * * * *", /only numbers/],
    ["0 0 * * MON;DROP", /only numbers/],
    ["5/15 * * * *", /stepping with numeric prefix/],
    ["0 22-3 * * *", /larger/],
    ["0 0 30 2 *", /never due/],
    ["0 0 31 4,6,9,11 *", /never due/],
    ["@reboot", /five fields/],
    ["0 0 1 1 *".padEnd(300), /at most/]
  ])("refuses %j", (text, problem) => {
    assert.match(Result.getOrThrow(Result.flip(parseCron(text))), problem)
  })

  it.each([
    ["30 2 * * *", true],
    ["0,30 8-17 * * MON-FRI", true],
    ["@daily", true],
    ["*/5 9 * * *", false],
    ["0 */2 * * *", false],
    ["@hourly", false]
  ])("%j names times of the day: %j", (text, isFixed) => assert.strictEqual(cronOf(text).isFixed, isFixed))

  it("is due on the last day, the nearest weekday, and the nth weekday of a month", () => {
    assert.deepStrictEqual(dues("0 9 L * *", "UTC", "2028-02-01T00:00Z", 2), ["2028-02-29T09:00", "2028-03-31T09:00"])
    assert.deepStrictEqual(dues("0 9 15W * *", "UTC", "2026-03-01T00:00Z", 1), ["2026-03-16T09:00"])
    assert.deepStrictEqual(dues("0 9 * * FRI#2", "UTC", "2026-03-01T00:00Z", 1), ["2026-03-13T09:00"])
    assert.deepStrictEqual(dues("0 0 29 2 *", "UTC", "2026-03-01T00:00Z", 2), ["2028-02-29T00:00", "2032-02-29T00:00"])
  })

  it.each([
    ["Europe/Berlin", true],
    ["UTC", true],
    ["America/Argentina/Buenos_Aires", true],
    ["Etc/GMT-14", true],
    ["+02:00", false],
    ["Mars/Olympus", false],
    ["Europe/Berlin ", false],
    ["", false],
    ["../etc/passwd", false],
    ["A".repeat(65), false]
  ])("%j is a zone: %j", (text, expected) => assert.strictEqual(isZone(text), expected))
})

/** Zone, expression, start, and the next due times in UTC. */
const changes: ReadonlyArray<readonly [string, string, string, string, ReadonlyArray<string>]> = [
  // Berlin: 02:00 to 03:00 on 2026-03-29 at 01:00Z; 03:00 to 02:00 on 2026-10-25 at 01:00Z.
  ["a time in the gap, at its end", "Europe/Berlin", "30 2 * * *", "2026-03-28T12:00Z", [
    "2026-03-29T01:00",
    "2026-03-30T00:30"
  ]],
  ["several times in the gap, as one", "Europe/Berlin", "0,15,30 2 * * *", "2026-03-29T00:30Z", [
    "2026-03-29T01:00",
    "2026-03-30T00:00"
  ]],
  ["a time in the gap and one at its end, as one", "Europe/Berlin", "0 2,3 * * *", "2026-03-29T00:30Z", [
    "2026-03-29T01:00",
    "2026-03-30T00:00"
  ]],
  ["with *, no time in the gap", "Europe/Berlin", "*/30 * * * *", "2026-03-29T00:15Z", [
    "2026-03-29T00:30",
    "2026-03-29T01:00",
    "2026-03-29T01:30"
  ]],
  ["with * in the minute, nothing in the skipped hour", "Europe/Berlin", "*/30 2 * * *", "2026-03-28T12:00Z", [
    "2026-03-30T00:00",
    "2026-03-30T00:30"
  ]],
  ["a repeated time, the first time", "Europe/Berlin", "30 2 * * *", "2026-10-24T12:00Z", [
    "2026-10-25T00:30",
    "2026-10-26T01:30"
  ]],
  ["a repeated time, not again after the first", "Europe/Berlin", "30 2 * * *", "2026-10-25T00:30Z", [
    "2026-10-26T01:30"
  ]],
  ["a repeated time, not again when asked in between", "Europe/Berlin", "30 2 * * *", "2026-10-25T01:10Z", [
    "2026-10-26T01:30"
  ]],
  ["with *, repeated times twice and in order", "Europe/Berlin", "*/30 2 * * *", "2026-10-24T22:00Z", [
    "2026-10-25T00:00",
    "2026-10-25T00:30",
    "2026-10-25T01:00",
    "2026-10-25T01:30",
    "2026-10-26T01:00"
  ]],
  ["the hour after the repeated one", "Europe/Berlin", "0 3 * * *", "2026-10-24T22:00Z", ["2026-10-25T02:00"]],
  // New York: 02:00 to 03:00 on 2026-03-08 at 07:00Z; 02:00 to 01:00 on 2026-11-01 at 06:00Z.
  ["a time in the gap, at its end", "America/New_York", "30 2 * * SUN", "2026-03-08T00:00Z", [
    "2026-03-08T07:00",
    "2026-03-15T06:30"
  ]],
  ["a repeated time, the first time", "America/New_York", "30 1 * * *", "2026-11-01T00:00Z", [
    "2026-11-01T05:30",
    "2026-11-02T06:30"
  ]],
  ["with *, every hour of a day of 25 hours", "America/New_York", "0 * * * *", "2026-11-01T04:30Z", [
    "2026-11-01T05:00",
    "2026-11-01T06:00",
    "2026-11-01T07:00"
  ]],
  ["a month away, across a change", "America/New_York", "0 9 1 4 *", "2026-01-01T00:00Z", ["2026-04-01T13:00"]],
  ["with *, a year away", "America/New_York", "*/30 9 1 7 *", "2026-08-01T00:00Z", [
    "2027-07-01T13:00",
    "2027-07-01T13:30",
    "2028-07-01T13:00"
  ]],
  // Lord Howe: half an hour. 02:00 to 01:30 on 2026-04-04 at 15:00Z; 02:00 to 02:30 on 2026-10-03 at 15:30Z.
  ["a time in a gap of 30 minutes, at its end", "Australia/Lord_Howe", "15 2 * * *", "2026-10-03T00:00Z", [
    "2026-10-03T15:30",
    "2026-10-04T15:15"
  ]],
  ["a time after a gap of 30 minutes", "Australia/Lord_Howe", "45 2 * * *", "2026-10-03T00:00Z", ["2026-10-03T15:45"]],
  ["a time that is repeated for 30 minutes, the first time", "Australia/Lord_Howe", "45 1 * * *", "2026-04-04T00:00Z", [
    "2026-04-04T14:45",
    "2026-04-05T15:15"
  ]],
  ["with *, the repeated 30 minutes twice", "Australia/Lord_Howe", "*/15 1 * * *", "2026-04-04T14:10Z", [
    "2026-04-04T14:15",
    "2026-04-04T14:30",
    "2026-04-04T14:45",
    "2026-04-04T15:00",
    "2026-04-04T15:15",
    "2026-04-05T14:30"
  ]],
  // Apia: no 2011-12-30; its offset went from -10 to +14 at 2011-12-30T10:00Z.
  ["a time of a skipped day, at its end", "Pacific/Apia", "0 9 * * *", "2011-12-29T18:00Z", [
    "2011-12-29T19:00",
    "2011-12-30T10:00",
    "2011-12-30T19:00"
  ]],
  ["with *, nothing on a skipped day", "Pacific/Apia", "0 */12 * * *", "2011-12-29T21:00Z", [
    "2011-12-29T22:00",
    "2011-12-30T10:00",
    "2011-12-30T22:00"
  ]],
  // Cairo: midnight does not occur on 2026-04-24 (22:00Z); 2026-10-30 begins twice (change at 2026-10-29T21:00Z).
  ["midnight in the gap, at its end", "Africa/Cairo", "0 0 * * *", "2026-04-23T00:00Z", [
    "2026-04-23T22:00",
    "2026-04-24T21:00"
  ]],
  ["a time after the gap at midnight", "Africa/Cairo", "30 1 * * *", "2026-04-23T12:00Z", ["2026-04-23T22:30"]],
  ["a repeated time before midnight, the first time", "Africa/Cairo", "30 23 * * *", "2026-10-29T12:00Z", [
    "2026-10-29T20:30",
    "2026-10-30T21:30"
  ]],
  ["with *, the repeated hour twice", "Africa/Cairo", "30 * * * *", "2026-10-29T20:00Z", [
    "2026-10-29T20:30",
    "2026-10-29T21:30",
    "2026-10-29T22:30"
  ]],
  ["the first of the month", "Etc/UTC", "0 0 1 * *", "2026-01-31T00:00Z", ["2026-02-01T00:00", "2026-03-01T00:00"]]
]

describe("clock changes", () => {
  it.each(changes)("%s: %s, %s", (_, zone, cron, after, expected) => {
    assert.deepStrictEqual(dues(cron, zone, after, expected.length), [...expected])
  })

  const zones = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Africa/Cairo",
    "Asia/Kathmandu",
    "UTC"
  ]
  const expressions = [
    "*/7 * * * *",
    "30 2 * * *",
    "0,45 0-3 * * *",
    "15 */3 1,28-31 * *",
    "59 23 * * SUN",
    "0 0 29 2 *"
  ]
  it.effect.prop(
    "due times rise, show a named wall time or the end of a gap, and leave none out",
    [
      Schema.Literals(zones),
      Schema.Literals(expressions),
      Schema.Int.check(Schema.isBetween({ minimum: at("2009-01-01"), maximum: at("2030-01-01") }))
    ],
    ([zone, text, from]) =>
      Effect.sync(() => {
        const cron = cronOf(text)
        let last = from
        for (const due of nextDues(cron, zone, from, 5)) {
          assert.isAbove(due, last)
          const wall = due + offsetAt(zone, due)
          const isNamed = cron.nextWall(wall - 1) === wall
          const isGapEnd = offsetAt(zone, due) > offsetAt(zone, due - 1_000)
          assert.isTrue(isNamed || (cron.isFixed && isGapEnd), `${zone} ${text} ${shown(due)}`)
          assert.strictEqual(nextDue(cron, zone, due - 1), due)
          assert.strictEqual(lastDue(cron, zone, from, due), due)
          last = due
        }
        assert.strictEqual(countDues(cron, zone, from, last), Math.min(5, nextDues(cron, zone, from, 5).length))
      })
  )
})

const timing = { id: "sch_1", cron: cronOf("0 * * * *"), timezone: "UTC", jitter_seconds: 0 }
const ten = at("2026-06-01T10:00Z")
const minutes = (count: number) => count * 60_000

describe("missed times", () => {
  it.each(
    [
      ["on time", "once", ten, { fires: ten, next: ten + minutes(60) }],
      ["under five minutes late, with skip", "skip", ten + minutes(5) - 1, { fires: ten, next: ten + minutes(60) }],
      ["five minutes late, with skip", "skip", ten + minutes(5), {
        missed: { due: ten, count: 1 },
        next: ten + minutes(60)
      }],
      ["five minutes late, with once", "once", ten + minutes(5), { fires: ten, next: ten + minutes(60) }],
      ["hours late, with once", "once", ten + minutes(185), {
        fires: ten + minutes(180),
        missed: { due: ten, count: 3 },
        next: ten + minutes(240)
      }],
      ["hours late, with skip", "skip", ten + minutes(185), {
        missed: { due: ten, count: 4 },
        next: ten + minutes(240)
      }],
      ["hours late, the last under five minutes, with skip", "skip", ten + minutes(181), {
        fires: ten + minutes(180),
        missed: { due: ten, count: 3 },
        next: ten + minutes(240)
      }]
    ] as const
  )("%s: %s", (_, catchUp, now, expected) => {
    const { next, ...claimed } = claimOf(timing, ten, catchUp, now)
    assert.deepEqual<unknown>({ ...claimed, next: next?.due }, expected)
  })

  it("counts at most a day of minutes", () => {
    const each = { ...timing, cron: cronOf("* * * * *") }
    assert.strictEqual(claimOf(each, ten, "once", ten + 400 * 86_400_000).missed?.count, 1_440)
  })
})

describe("jitter", () => {
  it("is the same for each reader, never early, and before the next due time", () => {
    const jittered = { ...timing, jitter_seconds: 3_600 }
    const delays = nextDues(timing.cron, "UTC", ten, 200).map((due) => fireAt(jittered, due) - due)
    assert.isTrue(delays.every((delay) => delay >= 0 && delay < minutes(60)))
    assert.isAbove(new Set(delays).size, 190)
    assert.deepStrictEqual(dueAfter(jittered, ten), dueAfter({ ...jittered }, ten))
    assert.notDeepEqual(dueAfter(jittered, ten), dueAfter({ ...jittered, id: "sch_2" }, ten))
  })

  it("leaves the latest due time for later while its delay has not passed", () => {
    const jittered = { ...timing, jitter_seconds: 3_600 }
    const later = fireAt(jittered, ten + minutes(60))
    const claimed = claimOf(jittered, ten, "once", later - 1)
    assert.deepStrictEqual(claimed, { fires: ten, next: { due: ten + minutes(60), fire: later } })
  })
})

describe("overlap", () => {
  it.each(
    [
      ["skip", 0, 0, "fire"],
      ["skip", 1, 0, "skip"],
      ["allow", 3, 0, "fire"],
      ["queue", 0, 0, "fire"],
      ["queue", 1, 0, "queue"],
      ["queue", 1, 1, "skip"],
      ["queue", 0, 1, "skip"]
    ] as const
  )(
    "%s with %j open and %j queued: %s",
    (overlap, open, queued, expected) => assert.strictEqual(overlapOf(overlap, { open, queued }), expected)
  )
})

describe("failures in a row", () => {
  it.each([
    ["executed", null, "resets"],
    ["failed", null, "counts"],
    ["blocked", "policy_violation", "counts"],
    ["blocked", "spending_frozen", "ignored"]
  ])(
    "%s with %s: %s",
    (status, reason_code, expected) => assert.strictEqual(failureOf({ status, reason_code }), expected)
  )
})

/**
 * Cron expressions with five fields, and the instants at which they are due in a zone. The library only lists the wall
 * times of an expression; the mapping to instants is the project's own, so that no update of the library changes it.
 * Spec: reference/schedules.md "Cron", "Clock changes".
 */
import { Cron } from "croner"
import { Result } from "effect"
import { instantOf, latestWall, nextTransition, offsetAt, offsetMillisMax } from "./time-zone.ts"

export const cronLengthMax = 200
/** The most due times that are counted; a count of this many means at least so many. */
export const dueCountMax = 1_440

const minuteMillis = 60_000

export interface CronExpression {
  /** Minute and hour have no `*`: it names times of the day, which occur once on each day. */
  readonly isFixed: boolean
  /** The first wall time after `wall` that the expression names; undefined when there is none. */
  readonly nextWall: (wall: number) => number | undefined
}

const nicknames: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *"
}

/** A comma list of numbers, names, ranges, steps, and the marks of the last, the nearest, and the nth day. */
const fieldPattern = /^[0-9A-Za-z*,/#-]+$/u

/** The failure completes "cron: expected …". */
export const parseCron = (text: string): Result.Result<CronExpression, string> => {
  if (text.length > cronLengthMax) return Result.fail(`at most ${cronLengthMax} characters`)
  const fields = (nicknames[text.trim().toLowerCase()] ?? text).trim().split(/[ \t]+/u)
  const [minute, hour] = fields
  if (fields.length !== 5 || minute === undefined || hour === undefined) {
    return Result.fail("five fields: minute, hour, day of month, month, and day of week, such as 0 9 * * MON-FRI")
  }
  const unknown = fields.find((field) => !fieldPattern.test(field))
  if (unknown !== undefined) return Result.fail(`only numbers, names, and the characters * , - / # in ${unknown}`)
  let pattern: Cron
  try {
    pattern = new Cron(fields.join(" "), { mode: "5-part", timezone: "UTC", paused: true })
  } catch (error) {
    return Result.fail(`a valid expression: ${problemOf(error)}`)
  }
  const nextWall = (wall: number) => pattern.nextRun(new Date(wall))?.getTime()
  return nextWall(Date.UTC(2026, 0, 1)) === undefined
    ? Result.fail("an expression that names a day of the calendar; this one is never due")
    : Result.succeed({ isFixed: !`${minute}${hour}`.includes("*"), nextWall })
}

/** The library's own message, without its prefix. */
const problemOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/^CronPattern: /u, "").replace(/\.$/u, "") : "it cannot be read"

/**
 * The first instant after `after` at which the expression is due; undefined when there is none.
 *
 * A fixed expression follows the latest wall time that the clocks have shown: a time in a gap is due at the gap's end,
 * and a repeated one the first time. Any other follows the clocks: a time in a gap is not due, and a repeated one twice.
 */
export const nextDue = (cron: CronExpression, zone: string, after: number): number | undefined => {
  if (cron.isFixed) {
    const wall = cron.nextWall(latestWall(zone, after))
    return wall === undefined ? undefined : instantOf(zone, wall)
  }
  let from = after
  /** Whether the wall time at `from` itself counts. */
  let inclusive = false
  for (;;) {
    const offset = offsetAt(zone, from)
    const wall = cron.nextWall(from + offset - (inclusive ? 1 : 0))
    if (wall === undefined) return undefined
    const due = wall - offset
    // Times of a distant wall time depend on the changes close to either end only.
    const near = Math.min(due, from + 2 * offsetMillisMax)
    const change = nextTransition(zone, from, near)
    if (change !== undefined) {
      if (due < change) return due
      from = change
      inclusive = true
    } else if (near === due) return due
    else {
      from = Math.max(near, due - 2 * offsetMillisMax)
      inclusive = false
    }
  }
}

/** The next due times after an instant, in order: at most `count`. */
export const nextDues = (cron: CronExpression, zone: string, after: number, count: number): ReadonlyArray<number> => {
  const dues: Array<number> = []
  for (let due = nextDue(cron, zone, after); due !== undefined && dues.length < count;) {
    dues.push(due)
    due = dues.length < count ? nextDue(cron, zone, due) : undefined
  }
  return dues
}

/** The last due time in `(after, until]`; undefined without one. */
export const lastDue = (cron: CronExpression, zone: string, after: number, until: number): number | undefined => {
  let last = nextDue(cron, zone, after)
  if (last === undefined || last > until) return undefined
  let end = until
  while (end - last >= minuteMillis) {
    const middle = last + Math.floor((end - last) / 2)
    const due = nextDue(cron, zone, middle)
    if (due === undefined || due > until) end = middle
    else last = due
  }
  return last
}

/** How many due times lie in `(after, until]`, counted up to `dueCountMax`. */
export const countDues = (cron: CronExpression, zone: string, after: number, until: number): number => {
  let count = 0
  for (
    let due = nextDue(cron, zone, after);
    due !== undefined && due <= until && count < dueCountMax;
    due = nextDue(cron, zone, due)
  ) count++
  return count
}

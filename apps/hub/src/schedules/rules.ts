/** Rules of schedules in the hub. Pure. Spec: reference/schedules.md "Cron", "Failures". */
import { type CronExpression, nextDues, parseCron } from "@countersign/domain/cron"
import { type Detail, invalidRequest } from "@countersign/domain/errors"
import { dueAfter, failureOf, type Timing } from "@countersign/domain/schedule-rules"
import { nextRunsShown } from "@countersign/domain/scheduled-tasks"
import { asSentence } from "@countersign/domain/text"
import { isZone } from "@countersign/domain/time-zone"
import { Effect, Result } from "effect"
import { LRUCache } from "lru-cache"

const expressions = new LRUCache<string, CronExpression>({ max: 2_000 })

/** A stored expression; undefined when this hub cannot read it. */
const expressionOf = (text: string): CronExpression | undefined => {
  const known = expressions.get(text)
  if (known !== undefined) return known
  const parsed = parseCron(text)
  if (Result.isFailure(parsed)) return undefined
  expressions.set(text, parsed.success)
  return parsed.success
}

/** The timing of a stored schedule; undefined when this hub does not have its zone. */
export const timingOf = (
  { cron, id, jitter_seconds, timezone }: {
    readonly id: string
    readonly cron: string
    readonly timezone: string
    readonly jitter_seconds: number
  }
): Timing | undefined => {
  const expression = isZone(timezone) ? expressionOf(cron) : undefined
  return expression === undefined ? undefined : { id, cron: expression, timezone, jitter_seconds }
}

/** The columns of the next due time after a moment; null where there is none. */
export const nextColumns = (timing: Timing, after: number) => {
  const next = dueAfter(timing, after)
  return {
    due_at: next === undefined ? null : new Date(next.due),
    fire_at: next === undefined ? null : new Date(next.fire)
  }
}

/** 400 with each problem of the expression and its zone. */
export const checkedTiming = (
  id: string,
  { cron, jitter_seconds, timezone }: {
    readonly cron: string
    readonly timezone: string
    readonly jitter_seconds: number
  }
) => {
  const details: Array<Detail> = []
  const parsed = parseCron(cron)
  if (Result.isFailure(parsed)) details.push({ path: "cron", message: asSentence(`Expected ${parsed.failure}`) })
  if (!isZone(timezone)) {
    details.push({ path: "timezone", message: "Expected the IANA name of a time zone, such as Europe/Berlin." })
  }
  return details.length > 0 || Result.isFailure(parsed)
    ? Effect.fail(invalidRequest(`The schedule is not valid. ${details[0]?.message ?? ""}`, details))
    : Effect.succeed({ id, cron: parsed.success, timezone, jitter_seconds } satisfies Timing)
}

const shownDues = new LRUCache<string, ReadonlyArray<string>>({ max: 10_000 })

/** The next due times to show: the stored one, and those after it. */
export const nextRunsOf = (
  schedule: { readonly cron: string; readonly timezone: string; readonly due_at: Date | null }
): ReadonlyArray<string> => {
  const { cron, due_at, timezone } = schedule
  if (due_at === null) return []
  const key = `${due_at.getTime()} ${timezone} ${cron}`
  const known = shownDues.get(key)
  if (known !== undefined) return known
  const expression = isZone(timezone) ? expressionOf(cron) : undefined
  const later = expression === undefined ? [] : nextDues(expression, timezone, due_at.getTime(), nextRunsShown - 1)
  const dues = [due_at.getTime(), ...later].map((due) => new Date(due).toISOString())
  shownDues.set(key, dues)
  return dues
}

/** Failures in a row that ends of one schedule add, after a reset if one of them was executed. */
export interface Tally {
  readonly id: string
  readonly resets: boolean
  readonly failed: number
}

export const talliesOf = (
  ends: ReadonlyArray<{ readonly schedule_id: string; readonly outcome: string; readonly reason_code: string | null }>
): ReadonlyArray<Tally> =>
  [...Map.groupBy(ends, ({ schedule_id }) => schedule_id)].map(([id, own]) =>
    own.reduce<Tally>((tally, { outcome, reason_code }) => {
      const failure = failureOf({ status: outcome, reason_code })
      if (failure === "resets") return { id, resets: true, failed: 0 }
      return failure === "counts" ? { ...tally, failed: tally.failed + 1 } : tally
    }, { id, resets: false, failed: 0 })
  ).sort((a, b) => a.id < b.id ? -1 : 1)

/**
 * When a schedule fires: jitter, missed due times, overlap, and pauses after failures. Pure; times in milliseconds since
 * 1970. Spec: reference/schedules.md "Jitter", "Missed times", "Overlap", "Failures".
 */
import { countDues, type CronExpression, dueCountMax, lastDue, nextDue } from "./cron.ts"
import type { CatchUp, Overlap } from "./scheduled-tasks.ts"

/** A firing that is later than this has missed its time. */
export const lateMillisMax = 300_000
/** A schedule pauses after so many failures in a row. */
export const failuresMax = 20
/** Jitter ends this long before the next due time. */
const jitterMarginMillis = 1_000

export interface Timing {
  readonly id: string
  readonly cron: CronExpression
  readonly timezone: string
  readonly jitter_seconds: number
}

/** A due time and the instant at which it fires. */
export interface Due {
  readonly due: number
  readonly fire: number
}

/** 32 bits of FNV-1a, mixed so that close inputs have distant values. */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ value >>> 16, 0x85ebca6b)
  value = Math.imul(value ^ value >>> 13, 0xc2b2ae35)
  return (value ^ value >>> 16) >>> 0
}

/**
 * When a due time fires: never earlier, at most `jitter_seconds` later, and before the next due time. It depends on the
 * schedule and the due time only, so every hub computes the same instant.
 */
export const fireAt = (timing: Timing, due: number): number => {
  if (timing.jitter_seconds === 0) return due
  const next = nextDue(timing.cron, timing.timezone, due)
  const room = next === undefined ? Infinity : Math.max(0, next - due - jitterMarginMillis)
  return due + hash(`${timing.id} ${due}`) % (Math.min(timing.jitter_seconds * 1_000, room) + 1)
}

/** The first due time after an instant; undefined when there is none. */
export const dueAfter = (timing: Timing, after: number): Due | undefined => {
  const due = nextDue(timing.cron, timing.timezone, after)
  return due === undefined ? undefined : { due, fire: fireAt(timing, due) }
}

export interface Claimed {
  /** The due time that fires now. */
  readonly fires?: number
  /** Due times that do not fire: the first, and how many. */
  readonly missed?: { readonly due: number; readonly count: number }
  readonly next: Due | undefined
}

/**
 * The firing and the missed ones of the due times that have passed, from the stored one on. Only the last can fire: if it
 * is less than five minutes late, or with `once`.
 */
export const claimOf = (timing: Timing, due: number, catchUp: CatchUp, now: number): Claimed => {
  const { cron, timezone } = timing
  const until = (end: number) => lastDue(cron, timezone, due, end) ?? due
  const latest = until(now)
  // Jitter may leave the latest due time in the future.
  const isEarly = latest > due && fireAt(timing, latest) > now
  const last = isEarly ? until(latest - 1) : latest
  const next = isEarly ? { due: latest, fire: fireAt(timing, latest) } : dueAfter(timing, last)
  const isFiring = catchUp === "once" || now - fireAt(timing, last) < lateMillisMax
  // The stored due time counts, also where rules of zones have changed since.
  const end = isFiring ? last - 1 : last
  const count = end < due ? 0 : Math.min(dueCountMax, 1 + countDues(cron, timezone, due, end))
  return {
    ...(isFiring ? { fires: last } : {}),
    ...(count === 0 ? {} : { missed: { due, count } }),
    next
  }
}

/** What a firing does while earlier ones of the schedule are open, and `queued` ones wait for their end. */
export const overlapOf = (
  overlap: Overlap,
  { open, queued }: { readonly open: number; readonly queued: number }
): "fire" | "queue" | "skip" => {
  if (overlap === "allow" || open + queued === 0) return "fire"
  return overlap === "queue" && queued === 0 ? "queue" : "skip"
}

/**
 * The effect of an ended firing on the failures in a row. One that a freeze blocked is ignored: the schedule continues
 * after the thaw.
 */
export const failureOf = (
  { reason_code, status }: { readonly status: string; readonly reason_code: string | null }
): "resets" | "counts" | "ignored" => {
  if (status === "executed") return "resets"
  return reason_code === "spending_frozen" ? "ignored" : "counts"
}

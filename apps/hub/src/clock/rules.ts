/** When a clock is trusted. Pure; times in milliseconds since 1970, uptimes in seconds. */

import { unavailable } from "@countersign/domain/errors"

/** The error for callers while the clocks of hub and database are in doubt. */
export const clockDoubted = () =>
  unavailable(
    "The hub's clock is not trusted, so the hub accepts no requests. Retry shortly with the same idempotency-key."
  )

/**
 * A step of up to this much is a correction and not a jump: the time of a workspace waits until the clock has caught
 * up.
 */
export const stepMillisMax = 300_000
/** The maximum difference between the clocks of hub and database. Spec: reference/operation.md "Clocks". */
export const skewMillisMax = 60_000

/** A time read from the database together with the uptime of the hub's machine, which also counts sleep. */
export interface Reading {
  readonly millis: number
  readonly uptime: number
}

/** The database's time at `uptime`, if its clock continued from `reading` without a jump. */
export const expectedAt = (reading: Reading, uptime: number): number =>
  reading.millis + (uptime - reading.uptime) * 1000

export const continues = (from: Reading, now: Reading): boolean =>
  Math.abs(now.millis - expectedAt(from, now.uptime)) <= stepMillisMax

export interface Doubt {
  /** The first reading after the jump; the clock has run without a jump since. */
  readonly since: Reading
}

/**
 * Classifies a reading that does not continue the trusted one: `return` to an earlier trusted clock, `steady` for long
 * enough to be trusted, or still in doubt. A clock that contradicts the hub's own clock is never trusted.
 */
export const judge = (
  now: Reading,
  doubt: Doubt | undefined,
  earlier: ReadonlyArray<Reading>,
  { skewMillis, steadySeconds }: { readonly skewMillis: number; readonly steadySeconds: number }
): { readonly kind: "return" | "steady" } | { readonly kind: "doubt"; readonly doubt: Doubt } => {
  const since = doubt !== undefined && continues(doubt.since, now) ? doubt.since : now
  if (skewMillis <= skewMillisMax) {
    if (earlier.some((reading) => continues(reading, now))) return { kind: "return" }
    if (now.uptime - since.uptime >= steadySeconds) return { kind: "steady" }
  }
  return { kind: "doubt", doubt: { since } }
}

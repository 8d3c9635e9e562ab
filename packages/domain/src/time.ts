/**
 * Times on the wire: RFC 3339 UTC with milliseconds. Queries also take a plain day. Spec: reference/conventions.md
 * "Time".
 */
import { Schema } from "effect"

export const dayMillis = 86_400_000

const dayPattern = /^\d{4}-\d{2}-\d{2}$/u
const pattern = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2}))?$/u

/** Milliseconds since 1970 of a caller's time or UTC day; NaN when there is no such moment. */
export const momentMillis = (text: string): number => {
  if (!pattern.test(text)) return Number.NaN
  const millis = Date.parse(text.replace(" ", "T").toUpperCase())
  // `2026-02-31T12:00Z` is parsed as a time in March; a day that does not print as itself is invalid.
  const day = text.slice(0, 10)
  return Number.isNaN(millis) || dayOf(Date.parse(`${day}T00:00:00Z`)) !== day ? Number.NaN : millis
}

export const isDay = (text: string): boolean => dayPattern.test(text)

/** The UTC day of a moment, `2026-11-21`. */
export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** Completes "expected …" for a time of a caller. */
export const timeExample = "an RFC 3339 time such as 2027-01-31T09:00:00Z"

/** A caller's end time; `momentMillis` reads it. */
export const Expiry = Schema.String.annotate({
  expected: timeExample,
  description: "An RFC 3339 time, such as 2027-01-31T09:00:00Z"
})
  .check(Schema.isMaxLength(40))

/** A query parameter that bounds a list in time. */
export const Moment = Schema.String.check(
  Schema.makeFilter((text: string) => {
    const millis = momentMillis(text)
    // The database and the wire have years of four digits.
    return millis >= Date.UTC(1970, 0, 1) && millis < Date.UTC(10_000, 0, 1)
      ? undefined
      : "expected an RFC 3339 time such as 2026-11-21T09:00:00Z, or a day such as 2026-11-21"
  }),
  Schema.isMaxLength(40)
).annotate({ description: "An RFC 3339 time, or a UTC day (YYYY-MM-DD), which means its first moment" })

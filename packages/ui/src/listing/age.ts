/** A range of ages in an address: `min_age_seconds` and `max_age_seconds`, both inclusive. */
import { durationText } from "./duration.ts"

/** Nine digits, the maximum in an address. */
export const ageSecondsMax = 999_999_999

export interface AgeRange {
  readonly min_age_seconds?: number | undefined
  readonly max_age_seconds?: number | undefined
}

export const inAge = (millis: number, { max_age_seconds, min_age_seconds }: AgeRange): boolean =>
  (min_age_seconds === undefined || millis >= min_age_seconds * 1_000) &&
  (max_age_seconds === undefined || millis <= max_age_seconds * 1_000)

export interface AgeText {
  readonly atLeast: (age: string) => string
  readonly atMost: (age: string) => string
  readonly between: (least: string, most: string) => string
}

export const ageText = (t: AgeText, { max_age_seconds, min_age_seconds }: AgeRange): string | undefined => {
  const words = (seconds: number) => durationText(seconds * 1_000)
  return min_age_seconds === undefined
    ? max_age_seconds === undefined ? undefined : t.atMost(words(max_age_seconds))
    : max_age_seconds === undefined
    ? t.atLeast(words(min_age_seconds))
    : t.between(words(min_age_seconds), words(max_age_seconds))
}

/**
 * A time in words: relative within one hour unless absolute times are set, otherwise absolute with its zone. Design
 * brief 37.
 */
import { timeDisplay } from "./time-zone.ts"

export interface MomentOptions {
  /** BCP 47; British by default: a 24-hour clock, the day before the month. */
  readonly locale?: string | undefined
  /** IANA. By default the account's, otherwise the browser's. */
  readonly timeZone?: string | undefined
  /** Always absolute. */
  readonly isAbsolute?: boolean | undefined
}

const minute_ms = 60_000
const hour_ms = 60 * minute_ms

const formats = new Map<string, Intl.DateTimeFormat>()
const format = (
  options: Intl.DateTimeFormatOptions,
  { locale = "en-GB", timeZone = timeDisplay().timeZone }: MomentOptions
): Intl.DateTimeFormat => {
  const key = JSON.stringify([locale, timeZone, options])
  let made = formats.get(key)
  if (made === undefined) {
    made = new Intl.DateTimeFormat(locale, {
      hourCycle: "h23",
      ...options,
      ...(timeZone !== undefined && { timeZone })
    })
    formats.set(key, made)
  }
  return made
}

const relative = new Map<string, Intl.RelativeTimeFormat>()
const relativeIn = (locale: string): Intl.RelativeTimeFormat => {
  let made = relative.get(locale)
  if (made === undefined) {
    relative.set(locale, made = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" }))
  }
  return made
}

/**
 * "4 min ago", "in 12 min"; beyond one hour "14:02 CET", on another day "3 Nov, 14:02 CET", in another year including
 * the year.
 */
export const momentText = (at_ms: number, now_ms: number, options: MomentOptions = {}): string => {
  const away = at_ms - now_ms
  if (Math.abs(away) < hour_ms && options.isAbsolute !== true) {
    const inWords = relativeIn(options.locale ?? "en-GB")
    const seconds = Math.trunc(away / 1000)
    // a second or two is network delay
    if (Math.abs(seconds) < 3) return inWords.format(0, "second")
    return Math.abs(seconds) < 60
      ? inWords.format(seconds, "second")
      : inWords.format(Math.trunc(away / minute_ms), "minute")
  }
  const day = format({ year: "numeric", month: "2-digit", day: "2-digit" }, options)
  const year = format({ year: "numeric" }, options)
  const time = { hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const
  if (day.format(at_ms) === day.format(now_ms)) return format(time, options).format(at_ms)
  const date = { day: "numeric", month: "short" } as const
  const sameYear = year.format(at_ms) === year.format(now_ms)
  return format(sameYear ? { ...date, ...time } : { year: "numeric", ...date, ...time }, options).format(at_ms)
}

/** The whole timestamp to the second, with its zone. */
export const wholeMomentText = (at_ms: number, options: MomentOptions = {}): string =>
  format({
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short"
  }, options).format(at_ms)

/** "14:02:11", without a zone: for a line that is read at once. */
export const clockText = (at_ms: number): string =>
  format({ hour: "2-digit", minute: "2-digit", second: "2-digit" }, {}).format(at_ms)

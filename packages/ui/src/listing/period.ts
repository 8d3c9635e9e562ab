/** A period of whole UTC days in an address: both days are included. Timestamps stay as they are. */

export const dayMillis = 86_400_000

export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)
export const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/u.test(text)
export const dayAfter = (day: string, days = 1): string => dayOf(Date.parse(day) + days * dayMillis)

export interface Period {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** For lists: `to` becomes exclusive, the start of the next day. */
export const untilMoment = <P extends Period>(filters: P): P =>
  filters.to !== undefined && isDay(filters.to) ? { ...filters, to: dayAfter(filters.to) } : filters

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" })
const dayFormatWithYear = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC"
})
const momentFormat = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
  timeZoneName: "short"
})

/** "21 Nov", or "21 Nov 2025" if the year differs from that of `now_ms`; a timestamp has its time. */
export const dayText = (day: string, now_ms: number): string => {
  const at = Date.parse(day)
  if (!isDay(day)) return momentFormat.format(at)
  return (new Date(at).getUTCFullYear() === new Date(now_ms).getUTCFullYear() ? dayFormat : dayFormatWithYear).format(
    at
  )
}

export type Preset = "today" | "week" | "month" | "thirty" | "ninety"

export const presetPeriod = (preset: Preset, now_ms: number): Required<Period> => {
  const today = dayOf(now_ms)
  const back = { today: 0, week: 6, thirty: 29, ninety: 89, month: Number(today.slice(8)) - 1 }[preset]
  return { from: dayAfter(today, -back), to: today }
}

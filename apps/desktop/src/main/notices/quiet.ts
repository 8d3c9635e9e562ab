/** Hours of the owner's local time without notifications, by day of the week. */
import type { QuietHours } from "../../bridge/settings-schemas.ts"

export const everyDay: QuietHours["days"] = [0, 1, 2, 3, 4, 5, 6]

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** Uses local time; on the day of a clock change, the displayed time counts. */
export const isQuiet = (hours: ReadonlyArray<QuietHours>, at: Date): boolean => {
  const minute = at.getHours() * 60 + at.getMinutes()
  const today = at.getDay()
  const yesterday = (today + 6) % 7
  return hours.some(({ days, from, to }) => {
    const [begin, end] = [minuteOf(from), minuteOf(to)]
    if (begin < end) return days.includes(today) && minute >= begin && minute < end
    return days.includes(today) && minute >= begin || days.includes(yesterday) && minute < end
  })
}

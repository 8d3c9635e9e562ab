/** Due times as people read them: in the schedule's zone and in UTC, with the clock changes between them. Pure. */
import { nextTransition, offsetAt } from "@countersign/domain/time-zone"

export interface DueRow {
  readonly at: string
  /** "Fri 27 Nov 2026, 09:00". */
  readonly local: string
  /** "08:00", or with its day where that differs. */
  readonly utc: string
  /** The clock change since the row before, or since now. */
  readonly change?: { readonly at: string; readonly minutes: number }
}

const formats = new Map<string, Intl.DateTimeFormat>()

const format = (timeZone: string, withDay: boolean): Intl.DateTimeFormat => {
  const key = `${timeZone} ${withDay}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hourCycle: "h23",
    hour: "2-digit",
    minute: "2-digit",
    ...withDay ? { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const : {}
  })
  formats.set(key, made)
  return made
}

/** No clock change is looked for further ahead: more than one may lie between two due times, and the first counts. */
const aheadMillisMax = 400 * 86_400_000

export const dueText = (at: number, timeZone: string): string => format(timeZone, true).format(at)

const dayOf = (at: number, timeZone: string): string => new Intl.DateTimeFormat("en-CA", { timeZone }).format(at)

export const dueRows = (dues: ReadonlyArray<string>, zone: string, now: number): ReadonlyArray<DueRow> =>
  dues.map((at, index) => {
    const due = Date.parse(at)
    const from = index === 0 ? now : Date.parse(dues[index - 1] ?? at)
    const change = due > from ? nextTransition(zone, from, Math.min(due, from + aheadMillisMax)) : undefined
    return {
      at,
      local: dueText(due, zone),
      utc: format("UTC", dayOf(due, zone) !== dayOf(due, "UTC")).format(due),
      ...change === undefined ? {} : {
        change: {
          at: dueText(change, zone),
          minutes: Math.round((offsetAt(zone, change) - offsetAt(zone, change - 1_000)) / 60_000)
        }
      }
    }
  })

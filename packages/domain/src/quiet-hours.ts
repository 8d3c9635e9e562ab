/**
 * Hours without notices, by the wall clock of a person's time zone. On the day of a clock change the displayed time
 * counts. Pure. Spec: reference/notices.md "Quiet hours".
 */
import { nextTransition, offsetAt } from "./time-zone.ts"
import { dayMillis } from "./time.ts"

const minuteMillis = 60_000

/** From `from` to `to`, on the next day if `to` is earlier: `22:00`, `07:00`. */
export interface Hours {
  readonly from: string
  readonly to: string
}

const millisOf = (time: string): number => (Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))) * minuteMillis

/** Since midnight of the wall clock. */
const wallOf = (zone: string, instant: number): number =>
  (((instant + offsetAt(zone, instant)) % dayMillis) + dayMillis) % dayMillis

export const isQuiet = ({ from, to }: Hours, zone: string, instant: number): boolean => {
  const [begin, end, now] = [millisOf(from), millisOf(to), wallOf(zone, instant)]
  return begin < end ? now >= begin && now < end : now >= begin || now < end
}

/** The first moment that is not quiet, from `instant` on; undefined: `instant` is not quiet. */
export const quietUntil = (hours: Hours, zone: string, instant: number): number | undefined => {
  if (!isQuiet(hours, zone, instant)) return undefined
  let at = instant
  for (;;) {
    const end = at + ((millisOf(hours.to) - wallOf(zone, at) + dayMillis) % dayMillis)
    const change = nextTransition(zone, at, end)
    if (change === undefined) return end
    // A change may skip the end, or lead back into the quiet hours.
    if (!isQuiet(hours, zone, change)) return change
    at = change
  }
}

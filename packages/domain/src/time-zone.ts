/**
 * Wall times of IANA zones. A wall time is written as the milliseconds of the same fields in UTC: 09:00 in Berlin is
 * 09:00Z. Pure; the rules of the zones come from the runtime.
 */

const hourMillis = 3_600_000
/** More than any zone's distance from UTC, and less than the distance of two opposite changes of one zone. */
const sampleMillis = 6 * hourMillis
/** No zone is further away from UTC. */
export const offsetMillisMax = 16 * hourMillis

const zonePattern = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/u
export const zoneLengthMax = 64

const formats = new Map<string, Intl.DateTimeFormat>()
/** A process sees few zones, but callers may name all of them, and each in several spellings. */
const formatsMax = 1_000

const formatOf = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" })
  if (formats.size >= formatsMax) formats.clear()
  formats.set(zone, made)
  return made
}

/** Whether the runtime has rules for this IANA name; an offset such as `+02:00` is no zone. */
export const isZone = (text: string): boolean => {
  if (text.length > zoneLengthMax || !zonePattern.test(text)) return false
  try {
    formatOf(text)
    return true
  } catch {
    return false
  }
}

const offsetPattern = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/u

/** The distance of the zone's wall time from UTC at an instant, in milliseconds; east is positive. */
export const offsetAt = (zone: string, instant: number): number => {
  const [, sign, hours, minutes, seconds] = offsetPattern.exec(formatOf(zone).format(instant)) ?? []
  if (sign === undefined) return 0
  const millis = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds ?? 0)) * 1_000
  return sign === "-" ? -millis : millis
}

/** The first instant in `(from, to]` at which the zone has another offset than just before; undefined without one. */
export const nextTransition = (zone: string, from: number, to: number): number | undefined => {
  const before = offsetAt(zone, from)
  let low = from
  while (low < to) {
    const high = Math.min(low + sampleMillis, to)
    if (offsetAt(zone, high) !== before) return firstOther(zone, before, low, high)
    low = high
  }
  return undefined
}

/** Zones change at whole seconds. */
const firstOther = (zone: string, before: number, from: number, to: number): number => {
  let low = Math.floor(from / 1_000)
  let high = Math.floor(to / 1_000)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle * 1_000) === before) low = middle
    else high = middle
  }
  return high * 1_000
}

/**
 * The instant of a wall time: the first of the two where it occurs twice, and the end of the gap where it does not
 * occur.
 */
export const instantOf = (zone: string, wall: number): number => {
  const end = wall + offsetMillisMax
  let start = wall - offsetMillisMax
  for (;;) {
    const instant = wall - offsetAt(zone, start)
    const next = nextTransition(zone, start, end)
    if (next === undefined || instant < next) return Math.max(instant, start)
    start = next
  }
}

/** The latest wall time that the zone's clocks have shown by an instant. It is ahead of the present one after a step back. */
export const latestWall = (zone: string, instant: number): number => {
  let latest = instant + offsetAt(zone, instant)
  let start = instant - 2 * offsetMillisMax
  for (;;) {
    const next = nextTransition(zone, start, instant)
    if (next === undefined) return latest
    // The last wall time before the change.
    latest = Math.max(latest, next - 1 + offsetAt(zone, next - 1_000))
    start = next
  }
}

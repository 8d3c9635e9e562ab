/**
 * The time zone of displayed times, and whether they are relative to now. Set once for the whole page: from the
 * account's setting and from this browser's.
 */
import { sharedValue, useSharedValue } from "../components/shared-value.ts"

export interface TimeDisplay {
  /** IANA. Undefined: the browser's. */
  readonly timeZone: string | undefined
  /** Times within an hour are absolute too. */
  readonly isAbsolute: boolean
}

const shown = sharedValue<TimeDisplay>({ timeZone: undefined, isAbsolute: false })

export const timeDisplay = shown.get

/** A browser with an older database may not support the zone. */
const isKnown = (timeZone: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

export const setTimeDisplay = (changed: Partial<TimeDisplay>): void => {
  const before = shown.get()
  const wanted = { ...before, ...changed }
  const next = wanted.timeZone !== undefined && !isKnown(wanted.timeZone) ? { ...wanted, timeZone: undefined } : wanted
  if (next.timeZone !== before.timeZone || next.isAbsolute !== before.isAbsolute) shown.set(next)
}

export const useTimeDisplay = (): TimeDisplay => useSharedValue(shown)

/**
 * The time zone that times are shown in, and whether they are shown relative to now. Set once for the whole page: by the account's
 * setting, and by this browser's.
 */
import { useSyncExternalStore } from "react"

export interface TimeDisplay {
  /** IANA. Undefined: the browser's. */
  readonly timeZone: string | undefined
  /** Times within an hour are shown as times too. */
  readonly isAbsolute: boolean
}

let shown: TimeDisplay = { timeZone: undefined, isAbsolute: false }
const listeners = new Set<() => void>()

export const timeDisplay = (): TimeDisplay => shown

/** A browser with an older database may not know the zone. */
const isKnown = (timeZone: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

export const setTimeDisplay = (changed: Partial<TimeDisplay>): void => {
  const wanted = { ...shown, ...changed }
  const next = wanted.timeZone !== undefined && !isKnown(wanted.timeZone) ? { ...wanted, timeZone: undefined } : wanted
  if (next.timeZone === shown.timeZone && next.isAbsolute === shown.isAbsolute) return
  shown = next
  listeners.forEach((listener) => listener())
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useTimeDisplay = (): TimeDisplay => useSyncExternalStore(subscribe, timeDisplay)

/**
 * A time: relative within an hour unless absolute times are set, and to the second on hover, on keyboard focus, and on
 * tap (`time-tip.tsx`).
 */
import { useCallback } from "react"
import { type MomentOptions, momentText, wholeMomentText } from "./moment-text.ts"
import { useTicking } from "./ticking.ts"
import { isAlone } from "./time-tip.tsx"
import { useTimeDisplay } from "./time-zone.ts"

export interface RelativeTimeProps extends MomentOptions {
  /** RFC 3339. */
  readonly at: string
  /** The hub's current time in milliseconds since 1970. */
  readonly now: () => number
}

export const RelativeTime = ({ at, now, ...options }: RelativeTimeProps) => {
  const { isAbsolute, timeZone = options.timeZone } = useTimeDisplay()
  const { locale } = options
  const at_ms = Date.parse(at)
  const shownText = useTicking(() =>
    Number.isNaN(at_ms) ? at : momentText(at_ms, now(), { locale, timeZone, isAbsolute })
  )
  const whole = Number.isNaN(at_ms) ? undefined : wholeMomentText(at_ms, { locale, timeZone })
  const stop = useCallback((element: HTMLElement | null) => {
    if (element !== null && isAlone(element)) element.tabIndex = 0
  }, [])
  return (
    <time ref={stop} dateTime={at} title={whole} data-whole={whole} className="tabular-nums whitespace-nowrap">
      {shownText}
    </time>
  )
}

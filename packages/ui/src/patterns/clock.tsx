/** The time until an expiry, by the hub's clock. Silent for screen readers: the app announces 5 min and 1 min once. */
import { classNames } from "../components/class-names.ts"
import styles from "./clock.module.css"
import { useTicking } from "./ticking.ts"
import { type TimeLeft, timeLeft } from "./time-left.ts"

export interface ClockProps {
  /** RFC 3339. */
  readonly until: string
  /** The hub's current time in milliseconds since 1970. */
  readonly now: () => number
  /** "9 min left", "expired". */
  readonly text: (left: TimeLeft) => string
}

export const Clock = ({ until, now, text }: ClockProps) => {
  const end = Date.parse(until)
  const remaining = useTicking(() => text(timeLeft(end - now())))
  const { unit, urgent } = timeLeft(end - now())
  return (
    <time
      dateTime={until}
      className={classNames(styles.clock, unit === "over" ? styles.over : urgent && styles.urgent)}
    >
      {remaining}
    </time>
  )
}

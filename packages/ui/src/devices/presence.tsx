/** Whether a device is online, in words; the mark before them differs in shape, not only in color. */
import { hubClock } from "../hub/hub-time.ts"
import type { Device } from "../hub/queries.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { Phrase } from "../text/catalogue.ts"
import { devicesText } from "../text/devices.ts"
import styles from "./presence.module.css"

export const PresenceMark = ({ presence }: Pick<Device, "presence">) => (
  <svg
    viewBox="0 0 12 12"
    width={12}
    height={12}
    className={`flex-none relative text-3 ${styles.mark}`}
    data-presence={presence}
    aria-hidden
  >
    {presence === "online" && <circle cx="6" cy="6" r="4" className={styles.full} />}
    {presence === "late" && (
      <>
        <circle cx="6" cy="6" r="3.5" />
        <path d="M6 2.5a3.5 3.5 0 0 1 0 7z" className={styles.full} />
      </>
    )}
    {presence === "offline" && <circle cx="6" cy="6" r="3.5" />}
    {presence === "never" && <path d="M2.5 6h7" />}
  </svg>
)

export interface PresenceProps {
  readonly device: Pick<Device, "presence" | "last_heard_at">
  /** Without the time. */
  readonly short?: boolean
}

export const Presence = ({ device: { last_heard_at, presence }, short = false }: PresenceProps) => {
  const t = devicesText.presence
  return (
    <span className={`inline-flex items-baseline min-w-0 ${styles.presence}`}>
      <PresenceMark presence={presence} />
      <span className="min-w-0 overflow-hidden text-ellipsis">
        {short || last_heard_at === undefined
          ? (
            t.short[last_heard_at === undefined ? "never" : presence]
          )
          : <Phrase text={t[presence]} time={<RelativeTime at={last_heard_at} now={hubClock.now} />} />}
      </span>
    </span>
  )
}

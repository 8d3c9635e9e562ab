/** All sessions of a device: a choice of the one whose commands are shown. */
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import type { DeviceSession } from "../hub/queries.ts"
import { momentText } from "../patterns/moment-text.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { Phrase } from "../text/catalogue.ts"
import { devicesText } from "../text/devices.ts"
import styles from "./sessions-panel.module.css"

export interface SessionsPanelProps {
  readonly sessions: ReadonlyArray<DeviceSession>
  readonly shown: string | undefined
  readonly onShow: (session: string) => void
}

export const SessionsPanel = ({ onShow, sessions, shown }: SessionsPanelProps) => {
  const t = devicesText.session
  if (sessions.length < 2) return null
  return (
    <Panel title={t.all} flush>
      <ul>
        {sessions.map((session) => {
          const since = <RelativeTime at={session.started_at} now={hubClock.now} />
          return (
            <li
              key={session.id}
              className={`grid items-center gap-12 type-body ${styles.row}`}
              aria-current={session.id === shown ? "true" : undefined}
            >
              <Badge tone={session.status === "online" ? "ok" : "neutral"}>{t.status[session.status]}</Badge>
              <span>{since}</span>
              <span className={styles.until}>
                {session.status === "ended" && (
                  <Phrase text={t.lasted} time={<RelativeTime at={session.last_heard_at} now={hubClock.now} />} />
                )}
              </span>
              {session.id === shown ? <span className="text-3">{t.shown}</span> : (
                <Button
                  size="small"
                  variant="bare"
                  aria-label={t.show(momentText(Date.parse(session.started_at), hubClock.now()))}
                  onClick={() => onShow(session.id)}
                >
                  {t.showIt}
                </Button>
              )}
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}

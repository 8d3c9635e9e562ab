/**
 * What the person is notified of and where, and how this browser reports new approvals. The desktop app has its own
 * notifications and shows no settings of browsers.
 */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { playTone } from "../app/alert-person.ts"
import { setAlerting, useAlerting } from "../app/alerting.ts"
import { Link } from "../app/link.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { Switch } from "../components/switch.tsx"
import { notificationSettingsQuery } from "../hub/queries.ts"
import { noticesText } from "../text/notices.ts"
import { settingsText } from "../text/settings.ts"
import { NoticeMatrix } from "./notice-matrix.tsx"
import { NoticeTimes } from "./notice-times.tsx"
import { PushPanel } from "./push-panel.tsx"
import { SettingsFrame } from "./settings-frame.tsx"

type Permission = NotificationPermission | "unsupported"
const permissionNow = (): Permission =>
  typeof Notification === "function" && isSecureContext ? Notification.permission : "unsupported"

const isBrowser = location.protocol.startsWith("http")

export const NotificationsScreen = () => {
  const workspace = useWorkspaceId()
  const query = useQuery(notificationSettingsQuery(workspace))
  return (
    <SettingsFrame
      section="notifications"
      action={<Link to="/w/$workspace/settings/notifications/mail" params={{ workspace }}>{noticesText.openMail}</Link>}
    >
      <ScreenState query={query}>
        {query.data !== undefined && (
          <>
            <NoticeMatrix settings={query.data} />
            <NoticeTimes key={workspace} settings={query.data} />
          </>
        )}
      </ScreenState>
      {isBrowser && (
        <>
          <PushPanel />
          <OpenTab />
        </>
      )}
    </SettingsFrame>
  )
}

/** Notices of a tab that is open: they need no subscription. */
const OpenTab = () => {
  const { notifications: t } = settingsText
  const { notify, sound } = useAlerting()
  const [permission, setPermission] = useState(permissionNow)
  const setNotify = async (on: boolean) => {
    const granted = on && permissionNow() === "default" ? await Notification.requestPermission() : permissionNow()
    setPermission(granted)
    setAlerting({ notify: on && granted === "granted" })
  }
  return (
    <Panel title={t.tab}>
      <div className="grid gap-24">
        <p className="type-body text-2">{t.what}</p>
        <Switch
          label={t.notify}
          description={permission === "unsupported"
            ? t.unsupported
            : permission === "denied"
            ? t.denied
            : t.notifyWhat}
          checked={notify && permission === "granted"}
          disabled={permission === "unsupported"}
          onChange={(on) => void setNotify(on)}
        />
        <Switch
          label={t.sound}
          description={t.soundWhat}
          checked={sound}
          onChange={(on) => setAlerting({ sound: on })}
        />
        <div>
          <Button size="small" onClick={() => void playTone().catch(() => {})}>{t.play}</Button>
        </div>
      </div>
    </Panel>
  )
}

/**
 * How this browser reports new approvals. Everything is off by default, and permission is requested on the click that
 * turns it on.
 */
import { useState } from "react"
import { playTone } from "../app/alert-person.ts"
import { setAlerting, useAlerting } from "../app/alerting.ts"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { Switch } from "../components/switch.tsx"
import { settingsText } from "../text/settings.ts"
import { SettingsFrame } from "./settings-frame.tsx"

type Permission = NotificationPermission | "unsupported"
const permissionNow = (): Permission =>
  typeof Notification === "function" && isSecureContext ? Notification.permission : "unsupported"

export const NotificationsScreen = () => {
  const { notifications: t } = settingsText
  const { notify, sound } = useAlerting()
  const [permission, setPermission] = useState(permissionNow)
  const setNotify = async (on: boolean) => {
    const granted = on && permissionNow() === "default" ? await Notification.requestPermission() : permissionNow()
    setPermission(granted)
    setAlerting({ notify: on && granted === "granted" })
  }
  return (
    <SettingsFrame section="notifications" lead={t.what}>
      <Panel>
        <div className="grid gap-24">
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
    </SettingsFrame>
  )
}

/**
 * The owner's settings of this app on this computer. Each change applies at once and shows the answer of the main
 * process. Spec: reference/desktop.md "App settings".
 */
import { Button } from "@countersign/ui/components/button.tsx"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { Switch } from "@countersign/ui/components/switch.tsx"
import type { ConsoleBridge } from "../../bridge/contract.ts"
import { useComputer } from "../app/use-computer.ts"
import styles from "../device/device.module.css"
import { QuietHoursList } from "./quiet-hours-list.tsx"
import { ShortcutField } from "./shortcut-field.tsx"
import { TestNotice } from "./test-notice.tsx"
import { settingsText as t } from "./text.ts"
import { UpdatesPanel } from "./updates-panel.tsx"

export const SettingsScreen = ({ bridge }: { readonly bridge: ConsoleBridge }) => {
  const { act, problem, value } = useComputer(bridge, "settings", bridge.shell.settings)
  if (value === undefined) {
    return problem === undefined
      ? null
      : <p className={styles.problem} role="alert">{problem}</p>
  }
  const { autostart, crash, has_tray, notice_problem, set_aside, settings, shortcuts } = value
  const change = (patch: Parameters<typeof bridge.shell.changeSettings>[0]) => act(bridge.shell.changeSettings(patch))
  return (
    <>
      {problem !== undefined && <p className={styles.problem} role="alert">{problem}</p>}
      {set_aside !== null && <p className={styles.problem} role="status">{t.setAside(set_aside)}</p>}
      <Panel title={t.start}>
        <div className={styles.group}>
          <Switch label={t.autostart} checked={settings.autostart} onChange={(autostart) => change({ autostart })} />
          {autostart.kind === "gone" && <p className={styles.problem} role="status">{t.autostartGone}</p>}
          {autostart.kind === "failed" && (
            <p className={styles.problem} role="status">{t.autostartFailed(autostart.problem)}</p>
          )}
          <Switch
            label={t.hidden}
            description={has_tray ? t.hiddenHint : t.noTray}
            checked={settings.start_hidden}
            disabled={!has_tray || !settings.autostart}
            onChange={(start_hidden) => change({ start_hidden })}
          />
        </div>
      </Panel>
      <Panel title={t.shortcuts}>
        <div className={styles.group}>
          <ShortcutField
            label={t.open}
            value={settings.shortcut}
            state={shortcuts.open}
            onSave={(shortcut) => change({ shortcut })}
          />
          <ShortcutField
            label={t.panic}
            value={settings.panic_shortcut}
            state={shortcuts.panic}
            onSave={(panic_shortcut) => change({ panic_shortcut })}
          />
        </div>
      </Panel>
      <Panel title={t.notices}>
        <div className={styles.group}>
          {notice_problem !== null && <p className={styles.problem} role="status">{t.noticeProblems[notice_problem]}
          </p>}
          <Switch
            label={t.notify}
            checked={settings.notifications}
            onChange={(notifications) => change({ notifications })}
          />
          <div>
            <TestNotice bridge={bridge} />
          </div>
          <QuietHoursList hours={settings.quiet_hours} onChange={(quiet_hours) => change({ quiet_hours })} />
        </div>
      </Panel>
      <UpdatesPanel bridge={bridge} value={value} act={act} />
      <Panel
        title={t.files}
        actions={crash.files.length > 0 && (
          <Button size="small" onClick={() => act(bridge.shell.removeCrashFiles())}>{t.crashRemove}</Button>
        )}
      >
        <div className={styles.group}>
          <Switch
            label={t.crash}
            description={t.crashHint}
            checked={settings.crash_files}
            onChange={(crash_files) => change({ crash_files })}
          />
          {settings.crash_files !== crash.is_keeping && (
            <p className={styles.note} role="status">{crash.problem ?? t.crashNext}</p>
          )}
          {crash.files.length > 0 && <p className={styles.note}>{t.crashList(crash.files.length, crash.folder)}</p>}
        </div>
      </Panel>
      <p className={styles.note}>{t.console}</p>
    </>
  )
}

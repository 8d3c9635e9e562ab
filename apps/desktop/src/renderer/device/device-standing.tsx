/** What it does now, and how that is ended at once. */
import { Button } from "@countersign/ui/components/button.tsx"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { Switch } from "@countersign/ui/components/switch.tsx"
import { useText } from "@countersign/ui/text/catalogue"
import type { DeviceInShell } from "../../bridge/this-computer.ts"
import { timeWords } from "../app/time-words.ts"
import styles from "./device.module.css"
import type { DevicePartProps } from "./lend-panel.tsx"
import { deviceText } from "./text.ts"

const pauseMinutes = 60

const standingWords = (t: typeof deviceText, { view }: DeviceInShell): string =>
  [
    t.phases[view.phase],
    ...view.phase === "paused" && view.pausedUntil !== undefined ? [t.pausedUntil(timeWords(view.pausedUntil))] : []
  ].join(" ")

export const DeviceStanding = ({ act, bridge, device }: DevicePartProps) => {
  const t = useText(deviceText)
  const { panic, view, with_app } = device
  const isPaused = view.phase === "paused"
  return (
    <Panel
      title={standingWords(t, device)}
      actions={!panic.stopped && with_app && (
        isPaused
          ? <Button size="small" onClick={() => act(bridge.shell.resumeDevice())}>{t.resume}</Button>
          : <Button size="small" onClick={() => act(bridge.shell.pauseDevice({ minutes: pauseMinutes }))}>{t.pause}</Button>
      )}
    >
      <div className={styles.standing} data-phase={view.phase}>
        {view.reason !== undefined && <p className={styles.note}>{view.reason}</p>}
        <p className={styles.note} role="status">{t.running(view.running.length)}</p>
        <Switch label={t.withApp} checked={with_app} disabled={panic.stopped} onChange={(on) => act(bridge.shell.setDevice({ on }))} />
        {panic.stopped
          ? (
            <div className={styles.stop} role="status">
              <p className={styles.note}>
                {t.stopped(timeWords(panic.since ?? 0))} {panic.unwritten === true && t.unwritten}
              </p>
              <Button onClick={() => act(bridge.shell.showOwner())}>{t.resumeThere}</Button>
            </div>
          )
          : (
            <div className={styles.stop}>
              <p className={styles.note}>{t.panicHint}</p>
              <Button variant="danger" onClick={() => act(bridge.shell.panic())}>{t.panic}</Button>
            </div>
          )}
      </div>
    </Panel>
  )
}

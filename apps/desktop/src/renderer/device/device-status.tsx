/** The device's current state, with the buttons that pause and stop it. */
import { Button } from "@countersign/ui/components/button.tsx"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { Switch } from "@countersign/ui/components/switch.tsx"
import type { DeviceInShell } from "../../bridge/this-computer.ts"
import { timeWords } from "../app/time-words.ts"
import type { DevicePartProps } from "./connect-panel.tsx"
import styles from "./device.module.css"
import { failureText, failureWords } from "./failure-text.ts"
import { deviceText } from "./text.ts"

const pauseMinutes = 60

const standingWords = (t: typeof deviceText, { view }: DeviceInShell): string =>
  [
    t.phases[view.phase],
    ...view.phase === "paused" && view.pausedUntil !== undefined ? [t.pausedUntil(timeWords(view.pausedUntil))] : []
  ].join(" ")

/** The next action for the present state. */
const NextAct = ({ act, bridge: { shell }, device: { view } }: DevicePartProps) => {
  const t = deviceText
  const [words, work] = view.failure === "superseded"
    ? [t.bringBack, () => shell.bringBackDevice()] as const
    // There is nothing to keep: its key is deleted.
    : view.failure === "revoked"
    ? [t.connectAgain, () => shell.unpairDevice()] as const
    : view.phase === "failed"
    ? [t.again, () => shell.resumeDevice()] as const
    : view.phase === "paused"
    ? [t.resume, () => shell.resumeDevice()] as const
    : [t.pause, () => shell.pauseDevice({ minutes: pauseMinutes })] as const
  return <Button size="small" onClick={() => act(work())}>{words}</Button>
}

export const DeviceStatus = ({ act, bridge, device }: DevicePartProps) => {
  const t = deviceText
  const { panic, view, with_app } = device
  const reason = failureWords(failureText, view)
  return (
    <Panel
      title={standingWords(t, device)}
      actions={!panic.stopped && with_app && <NextAct bridge={bridge} device={device} act={act} />}
    >
      <div className={styles.group} data-phase={view.phase}>
        {reason !== undefined && <p className={styles.note}>{reason}</p>}
        <p className={styles.note} role="status">{t.running(view.running.length)}</p>
        <Switch
          label={t.withApp}
          checked={with_app}
          disabled={panic.stopped}
          onChange={(on) => act(bridge.shell.setDevice({ on }))}
        />
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

/** The device's identity on its hub, its owner's settings, and the button that disconnects it. */
import { Button } from "@countersign/ui/components/button.tsx"
import { ConfirmDialog } from "@countersign/ui/components/confirm-dialog.tsx"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { useState } from "react"
import type { DeviceInShell } from "../../bridge/this-computer.ts"
import { Facts } from "../app/facts.tsx"
import { timeWords } from "../app/time-words.ts"
import type { DevicePartProps } from "./connect-panel.tsx"
import styles from "./device.module.css"
import { deviceText } from "./text.ts"

export interface DeviceFactsProps extends DevicePartProps {
  readonly paired: NonNullable<DeviceInShell["paired"]>
}

const ruleWords = (t: typeof deviceText, rules: DeviceInShell["rules"]): ReadonlyArray<string> => {
  if (rules === null) return []
  if ("problem" in rules) return [rules.problem]
  const { ask_via, count, sandbox } = rules
  return [t.rules(count), t.askVia[ask_via], t.sandbox[sandbox]]
}

export const DeviceFacts = ({ act, bridge, device, paired }: DeviceFactsProps) => {
  const t = deviceText
  const [isLeaving, setLeaving] = useState(false)
  const { device_id, fingerprint, hub, name, paired_at, roots } = paired
  return (
    <>
      <Panel
        title={t.limits}
        actions={
          <Button
            size="small"
            onClick={() => act(bridge.shell.showOwner())}
          >
            {t.edit}
          </Button>
        }
      >
        <div className={styles.group}>
          <p className={styles.note}>{t.limitsLead}</p>
          <ul className={styles.list}>{ruleWords(t, device.rules).map((words) => <li key={words}>{words}</li>)}</ul>
          <Facts rows={[[t.roots, roots.length === 0 ? t.noRoots : roots.join("\n")]]} />
        </div>
      </Panel>
      <Panel title={t.facts}>
        <div className={styles.group}>
          <Facts
            rows={[
              [t.hub, hub],
              [t.deviceName, name],
              [t.deviceId, device_id],
              ...fingerprint === null ? [] : [[t.fingerprint, fingerprint] as const],
              [t.since, timeWords(paired_at)]
            ]}
          />
          <div>
            <Button size="small" variant="danger" onClick={() => setLeaving(true)}>{t.unpair}</Button>
          </div>
        </div>
      </Panel>
      <ConfirmDialog
        open={isLeaving}
        onOpenChange={setLeaving}
        title={t.unpairTitle}
        description={t.unpairLead}
        confirmText={t.unpairSure}
        cancelText={t.keep}
        danger
        onConfirm={() => {
          setLeaving(false)
          act(bridge.shell.unpairDevice())
        }}
      />
    </>
  )
}

/** Connects this computer to a hub: requests pairing, and an operator compares the code on both screens. */
import { lastWorkspace } from "@countersign/ui/app/last-workspace"
import { Button } from "@countersign/ui/components/button.tsx"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { TextField } from "@countersign/ui/components/text-field.tsx"
import { type SyntheticEvent, useState } from "react"
import type { ConsoleBridge, HubInShell } from "../../bridge/contract.ts"
import type { DeviceInShell } from "../../bridge/this-computer.ts"
import { Facts } from "../app/facts.tsx"
import type { ComputerValue } from "../app/use-computer.ts"
import styles from "./device.module.css"
import { deviceText as t } from "./text.ts"

export interface DevicePartProps {
  readonly bridge: ConsoleBridge
  readonly device: DeviceInShell
  readonly act: ComputerValue<unknown>["act"]
}

export interface ConnectPanelProps extends DevicePartProps {
  readonly hub: HubInShell | undefined
}

export const ConnectPanel = ({ act, bridge, device: { host_name, pairing, rules }, hub }: ConnectPanelProps) => {
  const [name, setName] = useState(host_name)
  if (pairing.kind === "waiting") {
    const workspace = lastWorkspace()
    const there = workspace === undefined ? "/" : `/w/${workspace}/devices/pair/${pairing.code}`
    return (
      <Panel title={t.waiting}>
        <div className={styles.group} role="status">
          <p className={styles.note}>{t.waitingLead}</p>
          <p className={styles.code} aria-label={t.code}>{pairing.code}</p>
          <Facts rows={[[t.fingerprint, pairing.fingerprint]]} />
          <div className={styles.acts}>
            <Button variant="primary" onClick={() => location.assign(there)}>{t.confirmHere}</Button>
            <Button onClick={() => act(bridge.shell.cancelPairing())}>{t.cancel}</Button>
          </div>
        </div>
      </Panel>
    )
  }
  const begin = (event: SyntheticEvent) => {
    event.preventDefault()
    act(bridge.shell.pairDevice({ name: name.trim() }))
  }
  return (
    <Panel title={t.unpaired}>
      {hub === undefined
        ? <p className={styles.note}>{t.noHub}</p>
        : (
          <form className={styles.group} onSubmit={begin}>
            <p className={styles.note}>{t.connectLead(hub.name)}</p>
            {rules !== null && (
              <div className={styles.stop}>
                <p className={styles.note}>{t.rulesOfBefore}</p>
                <Button size="small" onClick={() => act(bridge.shell.showOwner())}>{t.edit}</Button>
              </div>
            )}
            <TextField label={t.name} required maxLength={80} value={name} onChange={setName} />
            {pairing.kind === "failed" && <p className={styles.problem} role="alert">{t.failed(pairing.reason)}</p>}
            <div>
              <Button type="submit" variant="primary" pending={pairing.kind === "asking"} pendingText={t.asking}>
                {t.begin}
              </Button>
            </div>
          </form>
        )}
    </Panel>
  )
}
